// Accessibility, judged by axe-core: every section, light and dark, desktop and phone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { go, onPage, SECTIONS } from './harness.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

for (const [name, options] of Object.entries({ light: {}, dark: { dark: true }, phone: { width: 390, height: 844 } })) {
  for (const sample of name === 'light' ? ['minigpt', 'bare', 'empty'] : ['minigpt']) {
    onPage(`axe finds nothing: ${sample}, ${name}`, sample, options, async (page) => {
      await page.evaluate(axe);
      for (const section of SECTIONS) {
        await go(page, section === 'findings' ? 'findings?all=1' : section);
        if (section === 'operators') for (const opener of (await page.locator('.opener').all()).slice(0, 2)) await opener.click();
        const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
        const said = violations.map((item) => `${section}: ${item.id}: ${item.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`).join(' | ')}`);
        assert.deepEqual(said, []);
      }
    });
  }
}
