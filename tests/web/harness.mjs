// What every browser test shares: one browser, and a page that must stay without trouble.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Bench } from './browser.mjs';

export const SECTIONS = ['overview', 'operators', 'support', 'recommendations', 'findings', 'profiling', 'expected', 'files'];

export let bench;

before(async () => {
  bench = await Bench.start();
});

after(async () => {
  await bench?.stop();
});

// Runs `act` on a page and fails on any console error, page error or request. `trouble` says what is expected instead.
export function onPage(name, report, options, act, { trouble = [] } = {}) {
  test(name, { timeout: 300000 }, async () => {
    const url = typeof report === 'string' ? bench.sample(report) : report(bench);
    const page = await bench.open(url, options);
    try {
      await act(page);
      await settle(page);
      assert.deepEqual(page.trouble.map((text) => text.slice(0, 300)), trouble);
    } finally {
      await page.context().close();
    }
  });
}

export async function settle(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

export async function go(page, hash) {
  await page.evaluate((to) => (location.hash = to), hash);
  await page.waitForFunction((id) => !document.getElementById(`view-${id}`)?.hidden, hash.split('?')[0].replace('#', ''));
  await settle(page);
}

export async function overflow(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

export async function hash(page) {
  return page.evaluate(() => decodeURIComponent(location.hash).replace('#/', '#'));
}
