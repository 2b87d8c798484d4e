// The built page: its parts, its size, its independence of everything outside.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const web = join(here, '../../analyse/report/web');
const MARK = '@@FOOTHOLD_REPORT_JSON@@';
let folder;
let page;

function build(name) {
  const out = join(folder, name);
  execFileSync(process.execPath, [join(web, 'build.mjs'), '--out', out], { stdio: ['ignore', 'ignore', 'inherit'] });
  return Object.fromEntries(['page', 'page.head', 'page.tail'].map((part) => [part, readFileSync(join(out, `${part}.html`), 'utf8')]));
}

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'foothold-build-'));
  page = build('one');
});

after(() => rmSync(folder, { recursive: true, force: true }));

test('head, mark and tail are the page', () => {
  assert.equal(page['page.head'] + MARK + page['page.tail'], page.page);
  assert.ok(page['page.head'].endsWith('<script type="application/json" id="report">'));
  assert.ok(page['page.tail'].startsWith('</script>'));
  assert.equal(page.page.split(MARK).length, 2);
});

test('two builds are byte-equal', () => assert.deepEqual(build('two'), page));

test('is well below 1 MB', () => assert.ok(Buffer.byteLength(page.page) < 800 * 1000));

test('loads nothing', () => {
  const html = page.page.replace(/<style>.*?<\/style>/s, '').replace(/<script>.*<\/script>/s, '');
  assert.doesNotMatch(html, /<(script|img|iframe|object|embed|audio|video|source)[^>]*\s(src|data)=/);
  assert.doesNotMatch(html, /<link[^>]*href="(?!data:)/);
  const style = /<style>(.*?)<\/style>/s.exec(page.page)[1];
  assert.doesNotMatch(style, /url\(|@import|@font-face/);
});

test('the policy names the hashes of what is inlined, and nothing else', () => {
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page.page)[1];
  const script = /<script>(.*)<\/script>\s*<\/body>/s.exec(page.page)[1];
  const style = /<style>(.*?)<\/style>/s.exec(page.page)[1];
  const digest = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const rules = policy.split('; ');
  assert.ok(rules.includes("default-src 'none'"));
  assert.ok(rules.includes(`script-src ${digest(script)}`));
  assert.ok(rules.includes(`style-src ${digest(style)}`));
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
});

test('the lock files name no registry', () => {
  for (const at of [web, here]) {
    const lock = JSON.parse(readFileSync(join(at, 'package-lock.json'), 'utf8'));
    for (const [name, entry] of Object.entries(lock.packages)) {
      if (!entry.resolved) continue;
      assert.equal(new URL(entry.resolved).host, 'registry.npmjs.org', name);
    }
    for (const [name, entry] of Object.entries(lock.packages)) if (name) assert.ok(entry.integrity, `${name} has no hash`);
  }
});

test('the types hold', () => {
  execFileSync(process.execPath, [join(here, 'node_modules/typescript/bin/tsc'), '-p', here], { stdio: 'inherit' });
});
