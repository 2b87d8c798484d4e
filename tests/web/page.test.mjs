// The page as a reader uses it: sections, filters, links, keys, themes, phones, paper.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bench, go, hash, onPage, overflow, SECTIONS, settle } from './harness.mjs';
import { samples } from './samples/index.mjs';

const report = samples.minigpt();
const total = (list) => list.reduce((sum, finding) => sum + (finding.count ?? 1), 0);
const status = (page, view = 'findings') => page.locator(`#view-${view} .status`).textContent();

// ---- every sample, every section, three widths ----

for (const name of Object.keys(samples)) {
  for (const width of name === 'bare' ? [390] : [1360, 820, 390]) {
    onPage(`${name}: every section at ${width} pixels`, name, { width }, async (page) => {
      for (const section of SECTIONS) {
        await go(page, section);
        assert.ok(await page.locator(`#view-${section} h2`).textContent(), section);
        assert.equal(await page.locator('main .view:not([hidden])').count(), 1, section);
        assert.equal(await overflow(page), 0, `${section} scrolls sideways`);
        assert.equal(await page.locator('nav.sections [aria-current=page]').count(), 1);
        assert.doesNotMatch(await page.locator(`#view-${section}`).innerText(), /\b(undefined|NaN|null|\[object)\b/, section);
      }
    });
  }
}

// ---- what the sections say ----

onPage('overview: verdict, counts, first steps', 'minigpt', {}, async (page) => {
  const text = await page.locator('#view-overview').innerText();
  assert.match(text, /Needs changes before it runs on Ascend910B3/);
  assert.match(text, /6 errors and 2 operator sites that the chip refuses/);
  assert.match(text, /0\.6–0\.95×/);
  const tiles = await page.locator('.tile strong').allTextContents();
  assert.deepEqual(tiles, [String(report.summary.operator_sites), '84 %', '3', String(report.findings.length), '9']);
  const first = await page.locator('#view-overview .ranked strong').allTextContents();
  assert.deepEqual(first, report.expected.priorities.map((item) => item.title));
  assert.match(await page.title(), /minigpt/);
});

onPage('overview: treemap opens folders and files', 'big', {}, async (page) => {
  await page.waitForSelector('.chart canvas');
  assert.equal(await page.locator('.trail [aria-current]').textContent(), 'models/');
  await page.locator('.chart').first().scrollIntoViewIfNeeded();
  const box = await page.locator('.chart').first().boundingBox();
  const click = async (x, y) => {
    await page.mouse.click(box.x + box.width * x, box.y + box.height * y);
    await settle(page);
  };
  const start = await hash(page);
  await click(0.3, 0.5);
  const inside = await hash(page);
  assert.notEqual(inside, start);
  assert.match(inside, /in=src\/models_library\/models\/family_\d+\/|file=src\//);
  await page.locator('.trail a').first().click();
  await settle(page);
  assert.doesNotMatch(await hash(page), /in=/);
  await page.getByRole('button', { name: 'Worst finding' }).click();
  assert.match(await hash(page), /colour=severity/);
  await page.getByRole('button', { name: 'Parameters' }).click();
  assert.match(await hash(page), /size=parameters/);
});

onPage('overview: the table holds what the treemap draws', 'minigpt', {}, async (page) => {
  await page.locator('summary').click();
  const rows = await page.locator('#view-overview details tbody tr').allInnerTexts();
  const sites = {};
  for (const operator of report.operators) for (const place of operator.locations) sites[place.file] = (sites[place.file] ?? 0) + 1;
  assert.equal(rows.length, 4);
  for (const row of rows) {
    const [file, number] = row.split(/\s+/);
    assert.equal(Number(number), sites[file] ?? 0, row);
  }
  await go(page, 'overview?file=model.py');
  assert.match(await page.locator('.file-detail').innerText(), /model\.py.*operator sites/s);
});

onPage('operators: rows, sorting, places', 'minigpt', {}, async (page) => {
  await go(page, 'operators');
  const names = () => page.locator('#view-operators tbody th').allInnerTexts();
  assert.equal((await names())[0].trim(), 'torch.nn.Linear'); // the heaviest
  await page.getByRole('button', { name: 'Sites' }).click();
  const sites = (await page.locator('#view-operators td[data-label=Sites]').allInnerTexts()).map(Number);
  assert.deepEqual(sites, [...sites].sort((a, b) => b - a));
  assert.equal(await page.locator('th[aria-sort]').getAttribute('aria-sort'), 'descending');
  await page.getByRole('button', { name: 'Sites' }).click();
  assert.equal(await page.locator('th[aria-sort]').getAttribute('aria-sort'), 'ascending');
  await page.getByRole('button', { name: 'Operator', exact: true }).click();
  const sorted = (await names()).map((name) => name.trim());
  assert.deepEqual(sorted, report.operators.map((operator) => operator.name).sort());
  const linear = page.locator('.opener', { hasText: 'torch.nn.Linear' });
  await linear.click();
  assert.equal(await linear.getAttribute('aria-expanded'), 'true');
  const places = await page.locator('#view-operators .inner tbody td:first-child').allInnerTexts();
  const expected = report.operators[0].locations.map((place) => `${place.file}:${place.line}:${place.column}`);
  assert.deepEqual(places.map((text) => text.trim()), expected);
});

onPage('operators: filters', 'minigpt', {}, async (page) => {
  await go(page, 'operators');
  await page.locator('#view-operators [data-value=fallback]').click();
  assert.match(await status(page, 'operators'), /^1 operator of 15, 1 site$/);
  await page.locator('#view-operators [data-value=refused]').click();
  assert.match(await status(page, 'operators'), /^2 operators of 15, 3 sites/);
  assert.match(await hash(page), /support=fallback,refused/);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.locator('#view-operators').getByLabel('File').fill('train.py');
  await page.waitForFunction(() => /^2 operators/.test(document.querySelector('#view-operators .status').textContent));
  await page.locator('#view-operators').getByLabel('File').fill('');
  await page.locator('#view-operators').getByLabel('Search').fill('aclnnflash');
  await page.waitForFunction(() => /^1 operator /.test(document.querySelector('#view-operators .status').textContent));
});

onPage('support: each verdict with its operators, impact and workaround', 'minigpt', {}, async (page) => {
  await go(page, 'support');
  const fallback = await page.locator('#support-fallback').innerText();
  assert.match(fallback, /clip_grad_norm_/);
  assert.match(fallback, /Impact\s*Per call: every gradient/);
  assert.match(fallback, /Workaround\s*Clip through the fused/);
  const native = report.operators.filter((operator) => operator.support === 'native').length;
  assert.equal(await page.locator('#support-native tbody tr').count(), native);
  const link = page.locator('#support-refused a[target=_blank]');
  assert.equal(await link.getAttribute('href'), 'https://www.hiascend.com/document');
  assert.equal(await link.getAttribute('rel'), 'noopener noreferrer');
});

onPage('recommendations: subjects and links to findings', 'minigpt', {}, async (page) => {
  await go(page, 'recommendations');
  const titles = await page.locator('#view-recommendations .card > h3').allTextContents();
  assert.deepEqual(titles.slice(0, 3), ['Automatic mixed precision', 'Graph and fusion', 'Distributed training']);
  assert.match(await page.locator('#advice-precision').innerText(), /FP16 peak is 3\.77× the FP32 peak/);
  await page.locator('#advice-fusion .places a').first().click();
  await page.waitForSelector('.finding.open');
  assert.match(await hash(page), /^#findings\?rule=FH301&f=FH301:model\.py:35:13$/);
});

onPage('profiling: the plan, and code that copies whole', 'minigpt', {}, async (page) => {
  await go(page, 'profiling');
  assert.equal(await page.locator('.plan > li').count(), report.profiling.plan.length);
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => (window.copied = text) } });
  });
  await page.locator('.plan .copy').nth(2).click();
  assert.equal(await page.evaluate(() => window.copied), report.profiling.plan[2].code);
  assert.equal(await page.locator('.plan .copy').nth(2).innerText(), 'Copied');
});

onPage('expected: figures, ratios, bounds, limits of knowledge', 'minigpt', {}, async (page) => {
  await go(page, 'expected');
  const text = await page.locator('#view-expected').innerText();
  assert.match(text, /0\.6–0\.95× of A100-80G-SXM4/);
  const row = await page.locator('.chips tr', { hasText: 'Memory bandwidth' }).innerText();
  assert.deepEqual(row.split(/\t|\n/).map((part) => part.trim()).filter(Boolean), ['Memory bandwidth GB/s', '1,600', '2,039', '0.78×']);
  assert.match(text, /Compute-bound\s*83 %/);
  for (const item of report.expected.unknown) assert.ok(text.includes(item));
  assert.ok(await page.locator('#view-expected canvas').count());
});

onPage('files: what was left out, and the report itself', 'minigpt', {}, async (page) => {
  await go(page, 'files');
  const text = await page.locator('#view-files').innerText();
  assert.match(text, /data\/train\.bin\s*binary/);
  assert.match(text, /configurator\.py:20/);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save the report as JSON' }).click()]);
  const stream = await download.createReadStream();
  let saved = '';
  for await (const chunk of stream) saved += chunk;
  assert.deepEqual(JSON.parse(saved), JSON.parse(JSON.stringify(report)));
});

onPage('partial report: a banner', 'big', {}, async (page) => {
  assert.match(await page.locator('.banner').innerText(), /Partial report.*2,912 files/);
});

// ---- findings ----

onPage('findings: each filter leaves what it should', 'minigpt', {}, async (page) => {
  await go(page, 'findings');
  const view = page.locator('#view-findings');
  assert.equal(await status(page), `${report.findings.length} findings`);
  const cases = [
    ['severity', 'error', (finding) => finding.severity === 'error'],
    ['severity', 'note', (finding) => finding.severity === 'note'],
    ['category', 'fusion', (finding) => finding.category === 'fusion'],
    ['certainty', 'likely', (finding) => finding.certainty === 'likely'],
  ];
  for (const [name, value, test] of cases) {
    const button = view.locator(`[data-value="${value}"]`);
    await button.click();
    const kept = report.findings.filter(test);
    assert.equal(await view.locator('.finding').count(), kept.length, value);
    assert.match(await status(page), new RegExp(`^${total(kept)} findings? of ${report.findings.length}$`));
    assert.equal(await button.getAttribute('aria-pressed'), 'true');
    assert.ok((await hash(page)).includes(`${name}=${value}`));
    await button.click();
  }
  await view.getByLabel('Rule').selectOption('FH101');
  assert.equal(await view.locator('.finding').count(), 3);
  await view.getByLabel('Rule').selectOption('');
  await view.getByLabel('Search').fill('gelu Kernels');
  await page.waitForFunction(() => /^1 finding /.test(document.querySelector('#view-findings .status').textContent));
  await view.getByLabel('Search').fill('no such thing at all');
  await page.waitForSelector('#view-findings .empty');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  assert.equal(await status(page), `${report.findings.length} findings`);
});

onPage('findings: an address brings back filters, grouping and the open finding', 'minigpt', { hash: '#findings?severity=warning&file=train.py&by=file&f=FH601:train.py:50:27' }, async (page) => {
  const kept = report.findings.filter((finding) => finding.severity === 'warning' && finding.file === 'train.py');
  assert.equal(await page.locator('.finding').count(), kept.length);
  assert.equal(await page.locator('.group').count(), 1);
  assert.equal(await page.locator('.finding.open').getAttribute('data-key'), 'FH601:train.py:50:27');
  assert.equal(await page.locator('.finding.open mark').innerText(), 'loss.item()');
  assert.equal(await page.locator('#view-findings').getByLabel('File').inputValue(), 'train.py');
});

onPage('findings: every excerpt marks its place', 'minigpt', { hash: '#findings?all=1' }, async (page) => {
  assert.equal(await page.locator('.finding.open').count(), report.findings.length);
  const marks = await page.evaluate(() => Object.fromEntries([...document.querySelectorAll('.finding')].map((item) => [item.dataset.key, [...item.querySelectorAll('mark')].map((mark) => mark.textContent)])));
  for (const finding of report.findings) {
    const key = `${finding.rule}:${finding.file}:${finding.line}:${finding.column}`;
    const line = finding.excerpt.text[finding.line - finding.excerpt.line];
    const last = finding.end_line ?? finding.line;
    const end = last === finding.line ? finding.end_column - 1 : line.length;
    assert.equal(marks[key][0], [...line].slice(finding.column - 1, end).join(''), key);
    assert.equal(marks[key].length, last - finding.line + 1, key);
  }
});

onPage('findings: back and forward walk the sections', 'minigpt', {}, async (page) => {
  await page.locator('nav.sections a', { hasText: 'Findings' }).click();
  await page.locator('#view-findings [data-value=error]').click();
  await page.locator('nav.sections a', { hasText: 'Profiling' }).click();
  await page.goBack();
  await settle(page);
  assert.match(await hash(page), /^#findings\?severity=error$/);
  assert.equal(await page.locator('.finding').count(), 6);
  await page.goForward();
  await settle(page);
  assert.equal(await hash(page), '#profiling');
  await page.locator('nav.sections a', { hasText: 'Findings' }).click();
  assert.match(await hash(page), /severity=error/, 'a section remembers its filters');
});

// ---- the keyboard ----

onPage('keys', 'minigpt', {}, async (page) => {
  const key = async (name) => {
    await page.keyboard.press(name);
    await settle(page);
  };
  const open = () => page.locator('.finding.open').getAttribute('data-key');
  await key('j');
  assert.match(await hash(page), /^#findings\?f=/);
  const keys = await page.locator('.finding').evaluateAll((list) => list.map((item) => item.dataset.key));
  assert.equal(await open(), keys[0]);
  await key('j');
  await key('j');
  assert.equal(await open(), keys[2]);
  await key('k');
  assert.equal(await open(), keys[1]);
  assert.equal(await page.evaluate(() => document.activeElement.closest('.finding')?.dataset.key), keys[1], 'focus follows');
  await key('k');
  await key('k');
  assert.equal(await open(), keys[0], 'stays at the first');
  await key('o');
  assert.equal(await page.locator('.finding.open').count(), 0);
  await key('/');
  assert.equal(await page.evaluate(() => document.activeElement.type), 'search');
  await page.keyboard.type('jk?2');
  await page.waitForTimeout(200);
  assert.match(await hash(page), /^#findings\?q=jk\?2$/, 'keys typed into a field are text');
  assert.equal(await page.locator('dialog[open]').count(), 0);
  await key('Escape');
  assert.notEqual(await page.evaluate(() => document.activeElement.type), 'search');
  for (const [index, section] of SECTIONS.entries()) {
    await key(String(index + 1));
    assert.ok((await hash(page)).startsWith(`#${section}`), section);
  }
  await key('?');
  assert.equal(await page.locator('dialog[open]').count(), 1);
  await key('1');
  assert.equal(await hash(page), '#files', 'the dialog keeps other keys away');
  await key('Escape');
  assert.equal(await page.locator('dialog[open]').count(), 0);
  await key('Control+j');
  assert.equal(await hash(page), '#files');
});

onPage('keys: skip link, and focus that shows', 'minigpt', {}, async (page) => {
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the report');
  await page.waitForTimeout(50);
  assert.ok((await page.locator('.skip').boundingBox()).y >= 0);
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  for (let step = 0; step < 12; step += 1) {
    await page.keyboard.press('Tab');
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.notEqual(outline, 'none', await page.evaluate(() => document.activeElement.outerHTML.slice(0, 200)));
  }
});

// ---- light and dark ----

onPage('dark when the system is, light on request, and remembered', 'minigpt', { dark: true }, async (page) => {
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  assert.equal(await theme(), 'dark');
  const darkGround = await ground();
  await page.locator('#theme').click();
  assert.equal(await theme(), 'light');
  assert.notEqual(await ground(), darkGround);
  await page.reload();
  assert.equal(await theme(), 'light');
  await page.keyboard.press('t');
  assert.equal(await theme(), 'dark');
});

onPage('follows the system while nothing was chosen', 'minigpt', {}, async (page) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
});

// ---- size ----

onPage('big: opens, filters and steps without a freeze', 'big', {}, async (page) => {
  const big = samples.big();
  // The page's own CPU time, which a busy machine does not stretch.
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spentSoFar = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * metrics.find((metric) => metric.name === 'TaskDuration').value;
  };
  const timed = async (what, limit, act) => {
    const start = await spentSoFar();
    await act();
    await settle(page);
    const spent = (await spentSoFar()) - start;
    if (process.env.SHOW_TIMES) console.log(what, Math.round(spent), 'ms');
    assert.ok(spent < limit, `${what} took ${spent} ms`);
  };
  for (const section of SECTIONS) await timed(section, 2000, () => go(page, section));
  await go(page, 'findings');
  assert.ok((await page.locator('.finding').count()) <= 50);
  const errors = total(big.findings.filter((finding) => finding.severity === 'error'));
  await timed('severity', 1500, () => page.locator('#view-findings [data-value=error]').click());
  assert.match(await status(page), new RegExp(`^${errors.toLocaleString('en')} findings of `));
  await page.getByRole('button', { name: 'Clear filters' }).click();
  for (const by of ['File', 'Severity', 'Category', 'Rule']) {
    await timed(`group by ${by}`, 1500, () => page.locator('#view-findings .switch button', { hasText: by }).click());
  }
  await page.getByRole('button', { name: 'Next page' }).click();
  assert.match(await page.locator('#view-findings .pager').innerText(), /51–100 of 5,000/);
  await page.keyboard.press('k'); // the page turns with the finding
  await page.keyboard.press('j');
  await settle(page);
  assert.equal(await page.locator('.finding.open').count(), 1);
  await go(page, 'operators?sort=count');
  await page.locator('.opener').first().click();
  const detail = await page.locator('#view-operators .detail').first().innerText();
  assert.match(detail, /1–25 of 3,000/);
  assert.match(detail, /309,000 more places counted but not listed/);
  assert.ok(await page.evaluate(() => document.querySelectorAll('*').length) < 20000);
});

onPage('big: a link to the last finding opens its page', 'big', {}, async (page) => {
  await go(page, 'findings?p=100');
  const last = await page.locator('.finding').last().getAttribute('data-key');
  await go(page, 'overview');
  await go(page, `findings?f=${encodeURIComponent(last)}`);
  assert.equal(await page.locator('.finding.open').getAttribute('data-key'), last);
  assert.match(await page.locator('#view-findings .pager').innerText(), /page 100 of 100/);
  const box = await page.locator('.finding.open .finding-head').boundingBox();
  assert.ok(box.y >= 0 && box.y < 860, 'scrolled into view');
});

// ---- paper ----

onPage('print: every section, findings open, and back', 'big', {}, async (page) => {
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  assert.equal(await page.locator('main .view:not([hidden])').count(), SECTIONS.length);
  assert.equal(await page.locator('.finding.open').count(), 200);
  assert.match(await page.locator('#view-findings').innerText(), /The first 200 of 5,000 findings/);
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  assert.equal(await page.locator('main .view:not([hidden])').count(), 1);
});

onPage('print: light paper from a dark page, charts drawn', 'minigpt', { dark: true }, async (page) => {
  const drawn = await page.evaluate(() => {
    window.dispatchEvent(new Event('beforeprint'));
    const theme = document.documentElement.dataset.theme;
    const filled = [...document.querySelectorAll('.chart canvas')].map((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return data.some((value) => value > 0);
    });
    window.dispatchEvent(new Event('afterprint'));
    return { theme, filled, after: document.documentElement.dataset.theme };
  });
  assert.deepEqual(drawn, { theme: 'light', filled: [true, true], after: 'dark' });
});

onPage('print: a PDF', 'minigpt', {}, async (page) => {
  const pdf = await page.pdf({ format: 'A4' });
  const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g).length;
  assert.ok(pages >= 8 && pages < 30, `${pages} pages`);
});

test('the tests fail on a console error', async () => {
  const page = await bench.open(bench.sample('bare'));
  await page.evaluate(() => console.error('on purpose'));
  await page.evaluate(() => setTimeout(() => undefined.fail));
  await page.evaluate(() => fetch('https://example.invalid/').catch(() => {}));
  await page.waitForTimeout(100);
  assert.ok(page.trouble.some((text) => text.includes('on purpose')));
  assert.ok(page.trouble.some((text) => text.startsWith('page error')));
  assert.ok(page.trouble.some((text) => text.includes('Content Security Policy')), String(page.trouble));
  await page.context().close();
});
