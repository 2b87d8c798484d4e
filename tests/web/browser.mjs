// Builds the page once, fills it with a report as the C program does, and opens it in Chromium from file://.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { samples } from './samples/index.mjs';

export const here = dirname(fileURLToPath(import.meta.url));
export const web = join(here, '../../analyse/report/web');

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export class Bench {
  static async start() {
    const bench = new Bench();
    bench.folder = mkdtempSync(join(tmpdir(), 'foothold-page-'));
    execFileSync(process.execPath, [join(web, 'build.mjs'), '--out', bench.folder], { stdio: 'inherit' });
    bench.head = readFileSync(join(bench.folder, 'page.head.html'), 'utf8');
    bench.tail = readFileSync(join(bench.folder, 'page.tail.html'), 'utf8');
    const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
    if (!existsSync(executablePath)) throw new Error(`${executablePath} is missing: install chromium, or set CHROMIUM`);
    bench.browser = await chromium.launch({ executablePath, headless: true, args: FLAGS });
    return bench;
  }

  // Writes a report into the page; `text` is used as it is.
  write(name, text) {
    const path = join(this.folder, `${name}.html`);
    writeFileSync(path, this.head + text + this.tail);
    return pathToFileURL(path).href;
  }

  fill(name, report) {
    return this.write(name, JSON.stringify(report).replaceAll('<', '\\u003c'));
  }

  sample(name) {
    this.made ??= {};
    return (this.made[name] ??= this.fill(name, samples[name]()));
  }

  // Opens an address in a fresh profile. `trouble` gathers console errors, page errors and requests to anywhere else.
  async open(url, { hash = '', width = 1360, height = 860, dark = false, permissions = [] } = {}) {
    const context = await this.browser.newContext({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', permissions });
    const page = await context.newPage();
    page.trouble = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) page.trouble.push(`console ${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => page.trouble.push(`page error: ${error.stack ?? error}`));
    page.on('request', (request) => {
      const to = request.url();
      if (to.split('#')[0] !== url && !to.startsWith('data:') && !to.startsWith('blob:')) page.trouble.push(`request: ${to.slice(0, 200)}`);
    });
    await page.goto(url + hash);
    await page.waitForSelector('h1');
    return page;
  }

  async stop() {
    await this.browser?.close();
    if (this.folder) rmSync(this.folder, { recursive: true, force: true });
  }
}
