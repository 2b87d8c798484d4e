// Reports that nobody made with care: hostile strings, wrong types, damage.
import assert from 'node:assert/strict';
import { bench, go, onPage, SECTIONS, settle } from './harness.mjs';
import { HOSTILE, samples } from './samples/index.mjs';

onPage('hostile strings stay text in every section', 'hostile', {}, async (page) => {
  for (const section of SECTIONS) {
    await go(page, section === 'findings' ? 'findings?all=1' : section);
    if (section === 'operators') for (const opener of await page.locator('.opener').all()) await opener.click();
    if (section === 'overview') {
      await page.locator('summary').click();
      await page.locator('.chart').first().scrollIntoViewIfNeeded();
      const box = await page.locator('.chart').first().boundingBox();
      await page.mouse.move(box.x + 40, box.y + 60); // a tooltip
    }
    await settle(page);
  }
  const found = await page.evaluate(() => ({
    hacked: window.hacked,
    images: document.querySelectorAll('img, iframe, object, embed, b, base, form').length,
    scripts: document.querySelectorAll('script').length,
    handlers: [...document.querySelectorAll('*')].flatMap((element) => [...element.attributes].map((attribute) => attribute.name)).filter((name) => name.startsWith('on')),
    links: [...document.querySelectorAll('a')].map((link) => link.getAttribute('href')).filter((href) => !/^(#|https:\/\/example\.org\/a$)/.test(href)),
    polluted: {}.polluted,
  }));
  assert.deepEqual(found, { hacked: undefined, images: 0, scripts: 2, handlers: [], links: [], polluted: undefined });
  const text = await page.locator('#view-support').textContent();
  for (const string of HOSTILE.filter((item) => !/[\u0000-\u001f\u2028-\u202e]/.test(item))) assert.ok(text.includes(string), string);
  assert.ok(text.includes('⟨U+202E⟩reversed⟨U+202C⟩ ⟨U+0000⟩nul'), 'marks that turn text around are shown');
});

onPage('columns count code points', 'hostile', { hash: '#findings?all=1' }, async (page) => {
  // Columns 10 to 13 of: 数据🦄🦄 = "</script>
  const marks = await page.locator('.finding mark').allTextContents();
  assert.equal(marks[0], '/scr');
});

onPage('a hostile address is only an address', 'minigpt', { hash: '#findings?q=%3Cimg%20onerror%3D1%3E&__proto__=1&severity=%00&p=-5&by=constructor&f=%22%3E' }, async (page) => {
  assert.ok(await page.locator('#view-findings .empty').count());
  await go(page, 'nowhere?x=1'.replace('nowhere', 'overview'));
  await page.evaluate(() => (location.hash = '#nowhere?%E0%A4%A'));
  await settle(page);
  assert.equal(await page.locator('main .view:not([hidden])').getAttribute('id'), 'view-overview');
});

onPage(
  'strings cannot become HTML or leave the page',
  'minigpt',
  {},
  async (page) => {
    const outcome = await page.evaluate(async () => {
      const out = {};
      try {
        document.createElement('div').innerHTML = '<b>x</b>';
        out.html = 'set';
      } catch (error) {
        out.html = error.name;
      }
      out.fetch = await fetch('data:text/plain,x').then(() => 'sent', () => 'refused');
      return out;
    });
    assert.deepEqual(outcome, { html: 'TypeError', fetch: 'refused' });
    page.trouble.length = 0; // what was provoked
  },
);

const damaged = (name, text) => (bench) => bench.write(name, text);

for (const [name, text] of Object.entries({ nothing: '', torn: '{"schema":1,"operators":[{"na', words: 'hello' })) {
  onPage(`damage: ${name}`, damaged(`damaged-${name}`, text), {}, async (page) => {
    assert.match(await page.locator('main').innerText(), /This report cannot be shown/);
  });
}

onPage('a newer schema is shown, with a word of care', (bench) => bench.fill('newer', { ...samples.minigpt(), schema: 2 }), {}, async (page) => {
  assert.match(await page.locator('.banner').innerText(), /schema 2/);
});

// Values of another type in every kind of place of the report. Leaves go together, each round with another odd value;
// containers one at a time.
const ODD = [null, 0, -1, 1e308, 'x', true, [null], { a: null }];

function places(value, path = []) {
  if (typeof value !== 'object' || value === null) return [{ path, leaf: true }];
  const entries = Object.entries(value).slice(0, Array.isArray(value) ? 1 : undefined);
  const inside = entries.flatMap(([key, item]) => places(item, [...path, key]));
  return [{ path, leaf: false }, ...inside];
}

function replace(report, path, odd) {
  if (!path.length) return odd;
  let at = report;
  for (const key of path.slice(0, -1)) at = at[key];
  at[path.at(-1)] = odd;
  return report;
}

async function stands(page, bench, report, what) {
  await page.goto(bench.fill('odd', report));
  const problem = await page.evaluate((sections) => {
    if (document.querySelector('.failed')) return document.querySelector('.failed').textContent;
    let said = '';
    for (const section of sections) {
      history.replaceState(null, '', `#/${section}`);
      window.dispatchEvent(new Event('hashchange'));
      said ||= /\b(undefined|NaN|\[object Object\])/.exec(document.getElementById('app').textContent)?.[0] ?? '';
    }
    return said;
  }, SECTIONS);
  assert.deepEqual([problem, ...page.trouble.filter((text) => !text.startsWith('request'))], [''], what);
}

onPage('wrong types anywhere: the page stands', 'minigpt', {}, async (page) => {
  const report = JSON.parse(JSON.stringify(samples.minigpt()));
  const all = places(report);
  const leaves = all.filter(({ leaf }) => leaf);
  const containers = all.filter(({ leaf }) => !leaf);
  assert.ok(leaves.length > 80 && containers.length > 30, `${leaves.length} ${containers.length}`);
  for (const odd of ODD) {
    for (let from = 0; from < leaves.length; from += 40) {
      const batch = leaves.slice(from, from + 40);
      const copy = structuredClone(report);
      for (const { path } of batch) replace(copy, path, odd);
      await stands(page, bench, copy, `${JSON.stringify(odd)} from ${batch[0].path.join('.')} to ${batch.at(-1).path.join('.')}`);
    }
  }
  for (const [index, { path }] of containers.entries()) {
    const odd = ODD[(index * 5) % ODD.length];
    await stands(page, bench, replace(structuredClone(report), path, odd), `${JSON.stringify(odd)} at ${path.join('.')}`);
  }
  page.trouble.length = 0; // other pages of ours were asked for
});
