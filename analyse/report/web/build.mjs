// Builds the report page: one HTML file with everything inlined and one marked place for the JSON report.
//
//   dist/page.html        the template, with MARK where the JSON goes
//   dist/page.head.html   the part before MARK, byte for byte
//   dist/page.tail.html   the part after MARK
//
// head + JSON + tail is a finished report. Whoever fills it in writes every `<` of the JSON as \u003c.
// `node build.mjs --out DIR` writes elsewhere. Needs no network; two builds are byte-equal.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const MARK = '@@FOOTHOLD_REPORT_JSON@@';
const LIMIT = 1000 * 1000; // bytes; a report should open at once and travel by mail
const here = dirname(fileURLToPath(import.meta.url));

function outputFolder(args) {
  const at = args.indexOf('--out');
  if (at < 0) return join(here, 'dist');
  if (!args[at + 1]) throw new Error('--out needs a folder');
  return resolve(args[at + 1]);
}

async function bundle(entry, loader) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['es2021', 'chrome100', 'firefox100', 'safari15.4'],
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader,
  });
  return result.outputFiles[0].text.trim();
}

// A closing tag inside inlined text would end the element early.
function inlineScript(text) {
  return text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
}

function contentHash(text) {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}

// Only our two inlined texts may run or style; nothing may be fetched; and no string becomes HTML, save
// the empty one (the page's trusted-types policy sees to that), which charts use to clear their box.
function policy(script, style) {
  return [
    "default-src 'none'",
    `script-src ${contentHash(script)}`,
    `style-src ${contentHash(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ');
}

function once(text, part) {
  const first = text.indexOf(part);
  if (first < 0 || text.indexOf(part, first + 1) >= 0) throw new Error(`the page must hold ${part} exactly once`);
  return first;
}

function notices() {
  const names = ['echarts', 'zrender', 'tslib'];
  return names
    .map((name) => {
      const { version, license } = JSON.parse(readFileSync(join(here, 'node_modules', name, 'package.json'), 'utf8'));
      return `${name} ${version} (${license})`;
    })
    .join(', ');
}

const out = outputFolder(process.argv.slice(2));
const script = inlineScript(await bundle('src/main.ts'));
const style = await bundle('src/style/page.css');
if (style.includes('</style')) throw new Error('the style sheet holds </style');

const parts = { policy: policy(script, style), notices: notices(), style, script, report: MARK };
let page = readFileSync(join(here, 'src/page.html'), 'utf8');
for (const [name, text] of Object.entries(parts)) {
  const slot = `{{${name}}}`;
  const at = once(page, slot);
  page = page.slice(0, at) + text + page.slice(at + slot.length);
}

const at = once(page, MARK);
const size = Buffer.byteLength(page);
if (size > LIMIT) throw new Error(`the page has ${size} bytes, over the limit of ${LIMIT}`);

mkdirSync(out, { recursive: true });
writeFileSync(join(out, 'page.html'), page);
writeFileSync(join(out, 'page.head.html'), page.slice(0, at));
writeFileSync(join(out, 'page.tail.html'), page.slice(at + MARK.length));
console.log(`${join(out, 'page.html')}: ${size} bytes`);
