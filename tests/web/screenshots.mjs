// node screenshots.mjs FOLDER [SAMPLE]: pictures of every section, light and dark, desktop and phone, to look at.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Bench } from './browser.mjs';

const [folder = 'screenshots', sample = 'minigpt'] = process.argv.slice(2);
const SECTIONS = ['overview', 'operators', 'support', 'recommendations', 'findings', 'profiling', 'expected', 'files'];
const KINDS = {
  light: {},
  dark: { dark: true },
  phone: { width: 390, height: 844 },
};

mkdirSync(folder, { recursive: true });
const bench = await Bench.start();
try {
  for (const [kind, options] of Object.entries(KINDS)) {
    const page = await bench.open(bench.sample(sample), options);
    for (const section of SECTIONS) {
      await page.evaluate((to) => (location.hash = to), section);
      await page.waitForTimeout(150);
      if (section === 'findings') await page.keyboard.press('j');
      if (section === 'operators') await page.locator('#view-operators .opener').first().click({ timeout: 500 }).catch(() => {});
      await page.waitForTimeout(100);
      await page.screenshot({ path: join(folder, `${sample}-${kind}-${section}.png`), fullPage: true });
    }
    if (page.trouble.length) console.log(kind, page.trouble);
    await page.context().close();
  }
} finally {
  await bench.stop();
}
