// docs/report.schema.json: is itself valid, takes the samples, refuses what the contract forbids, and knows every field
// that docs/json.md names.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Ajv from 'ajv/dist/2020.js';
import { samples } from './samples/index.mjs';

const docs = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../../docs');
const schema = JSON.parse(readFileSync(join(docs, 'report.schema.json'), 'utf8'));
const validate = new Ajv({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true }).compile(schema);

for (const [name, make] of Object.entries(samples)) {
  test(`the ${name} sample is valid`, () => {
    const valid = validate(JSON.parse(JSON.stringify(make())));
    assert.ok(valid, JSON.stringify(validate.errors?.slice(0, 3)));
  });
}

const SPOILERS = {
  'a null field': (report) => (report.torch = null),
  'a null in a finding': (report) => (report.findings[0].advice = null),
  'line 0': (report) => (report.findings[0].line = 0),
  'a column with no line': (report) => delete report.findings[0].line,
  'an unknown severity': (report) => (report.findings[0].severity = 'fatal'),
  'an unknown support': (report) => (report.operators[0].support = 'yes'),
  'an unknown class': (report) => (report.operators[0].class = 'gemm'),
  'a count of one': (report) => (report.findings[0].count = 1),
  'a fraction of a site': (report) => (report.operators[0].count = 1.5),
  'partial: false': (report) => (report.partial = false),
  'another schema number': (report) => (report.schema = 2),
  'a missing summary': (report) => delete report.summary,
  'a skipped file without a reason': (report) => delete report.files.skipped[0].reason,
  'a share over one': (report) => (report.expected.classes[0].share = 71),
  'an empty excerpt': (report) => (report.findings[0].excerpt.text = []),
};

for (const [what, spoil] of Object.entries(SPOILERS)) {
  test(`refuses ${what}`, () => {
    const report = JSON.parse(JSON.stringify(samples.minigpt()));
    spoil(report);
    assert.equal(validate(report), false);
  });
}

test('takes new fields', () => {
  const report = JSON.parse(JSON.stringify(samples.minigpt()));
  report.later = { a: 1 };
  report.findings[0].later = true;
  assert.ok(validate(report));
});

test('names every field of docs/json.md', () => {
  const text = readFileSync(join(docs, 'json.md'), 'utf8').split('```')[1];
  const named = [...text.matchAll(/"([a-z][a-zA-Z0-9_]*)"/g)].map((found) => found[1]);
  const known = JSON.stringify(schema);
  const examples = new Set(['foothold', 'python', 'cuda', 'aclnnAddmm']); // values in the example, kinds of files
  const missing = [...new Set(named)].filter((name) => !examples.has(name) && !known.includes(`"${name}"`));
  assert.deepEqual(missing, []);
});
