// The JSON report (docs/json.md) as the page sees it. Fields may be missing or, in a damaged file, of another type:
// `load` turns whatever it is given into this shape, so that no view checks again.

export const SUPPORTS = ['refused', 'fallback', 'limited', 'unknown', 'decomposed', 'native'] as const; // worst first
export const SUPPORT_SHOWN: readonly Support[] = ['native', 'decomposed', 'limited', 'fallback', 'refused', 'unknown'];
export const SEVERITIES = ['error', 'warning', 'note'] as const;
export const CERTAINTIES = ['certain', 'likely', 'possible'] as const;

export type Support = (typeof SUPPORTS)[number];
export type Severity = (typeof SEVERITIES)[number];
export type Certainty = (typeof CERTAINTIES)[number];

export interface Place {
  file: string;
  line?: number;
  column?: number;
}

export interface Location extends Place {
  function: string;
  certainty: string;
  parameters?: number;
  flops?: number;
  per: string;
}

export interface Operator {
  name: string;
  category: string;
  class: string;
  support: Support;
  kernels: string[];
  overloads: string[];
  limits: string;
  reason: string;
  workaround: string;
  source: string;
  count: number;
  locations: Location[];
  parameters?: number;
  flops?: number;
  sized?: number;
  per: string; // the unit of `flops` where all locations share one
}

export interface Finding extends Place {
  key: string; // names the finding in links; survives another run as long as its place does
  rule: string;
  title: string;
  category: string;
  severity: Severity;
  certainty: string;
  message: string;
  advice: string;
  endLine?: number;
  endColumn?: number;
  operator: string;
  function: string;
  excerpt?: { line: number; text: string[] };
  count: number;
  search: string; // lower case, what free text is matched with
}

export interface Step extends Place {
  function: string;
  kind: string;
}

export interface PlanItem extends Place {
  title: string;
  text: string;
  language: string;
  code: string;
}

export interface Chip {
  name: string;
  fp16?: number; // TFLOP/s
  fp32?: number; // TFLOP/s
  bandwidth?: number; // GB/s
  memory?: number; // GB
  ridge?: number; // FLOP per byte, in 16 bits
  ridge32?: number; // in FP32
  ridge8?: number; // in INT8
  ridgeVector?: number; // of the vector units
  source: string;
}

// FLOPs for each byte moved, in 16 bits.
export interface Intensity {
  low: number;
  high?: number; // there is none: no end
  per: string; // what a batch counts
  turnsAt?: number; // size of the batch from which on the matrix units are the limit
  turnsAt32?: number; // the same in FP32
  sized?: number;
  formula: string;
}

export interface ClassOutlook {
  class: string;
  count?: number;
  share?: number; // 0..1
  bound: string;
  low?: number;
  high?: number;
  intensity?: Intensity;
  reason: string;
}

export interface Priority {
  rank: number;
  rule: string;
  title: string;
  reason: string;
  count?: number;
}

export interface Expected {
  chip?: Chip;
  baseline?: Chip;
  host?: { tflops: number; bandwidth: number }; // assumed
  classes: ClassOutlook[];
  priorities: Priority[];
  range?: { low: number; high: number; reason: string };
  unknown: string[];
}

export interface Report {
  schema: number;
  tool: { name: string; version: string };
  target: string;
  targets: string[];
  torch: string;
  soc: string;
  baseline: string;
  partial: boolean;
  files: {
    scanned: number;
    bytes?: number;
    kinds: [string, number][];
    skipped: { path: string; reason: string }[];
    notes: { path: string; line?: number; message: string }[];
  };
  operators: Operator[];
  findings: Finding[];
  profiling: { steps: Step[]; plan: PlanItem[] };
  expected: Expected;
  summary: {
    operators: number;
    sites: number;
    support: Record<Support, number>;
    findings: Record<Severity, number>;
    rules: Map<string, number>;
  };
}

type Fields = Record<string, unknown>;

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function texts(value: unknown): string[] {
  return list(value)
    .map(text)
    .filter((item) => item !== '');
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function oneOf<T extends string>(value: unknown, all: readonly T[], otherwise: T): T {
  return all.includes(value as T) ? (value as T) : otherwise;
}

function place(value: Fields): Place {
  return { file: text(value.file), line: number(value.line), column: number(value.column) };
}

function sum(values: (number | undefined)[]): number | undefined {
  const known = values.filter((value): value is number => value !== undefined);
  return known.length ? known.reduce((a, b) => a + b, 0) : undefined;
}

function readLocation(value: unknown): Location {
  const from = fields(value);
  return {
    ...place(from),
    function: text(from.function),
    certainty: text(from.certainty),
    parameters: number(from.parameters),
    flops: number(from.flops),
    per: text(from.per),
  };
}

function readOperator(value: unknown): Operator {
  const from = fields(value);
  const locations = list(from.locations).map(readLocation);
  const units = new Set(locations.filter((location) => location.flops !== undefined).map((location) => location.per));
  return {
    name: text(from.name) || '(unnamed operator)',
    category: text(from.category),
    class: text(from.class) || 'other',
    support: oneOf(from.support, SUPPORTS, 'unknown'),
    kernels: texts(from.kernels),
    overloads: texts(from.overloads),
    limits: text(from.limits),
    reason: text(from.reason),
    workaround: text(from.workaround),
    source: text(from.source),
    count: number(from.count) ?? locations.length,
    locations,
    parameters: number(from.parameters) ?? sum(locations.map((location) => location.parameters)),
    flops: number(from.flops) ?? sum(locations.map((location) => location.flops)),
    sized: number(from.sized),
    per: units.size === 1 ? [...units][0] : '',
  };
}

function readExcerpt(value: unknown): Finding['excerpt'] {
  const from = fields(value);
  const lines = list(from.text).map((line) => text(line).replace(/\r?\n?$/, ''));
  return lines.length ? { line: number(from.line) ?? 1, text: lines } : undefined;
}

function findingKey(finding: Place & { rule: string }, seen: Map<string, number>): string {
  const key = [finding.rule, finding.file, finding.line ?? 0, finding.column ?? 0].join(':');
  const before = seen.get(key) ?? 0;
  seen.set(key, before + 1);
  return before ? `${key}~${before + 1}` : key;
}

function readFinding(value: unknown, seen: Map<string, number>): Finding {
  const from = fields(value);
  const at = place(from);
  const rule = text(from.rule) || '(no rule)';
  const finding = {
    ...at,
    key: findingKey({ ...at, rule }, seen),
    rule,
    title: text(from.title),
    category: text(from.category) || 'other',
    severity: oneOf(from.severity, SEVERITIES, 'note'),
    certainty: text(from.certainty),
    message: text(from.message),
    advice: text(from.advice),
    endLine: number(from.end_line),
    endColumn: number(from.end_column),
    operator: text(from.operator),
    function: text(from.function),
    excerpt: readExcerpt(from.excerpt),
    count: number(from.count) ?? 1,
    search: '',
  };
  finding.search = [rule, finding.title, finding.message, at.file, finding.operator, finding.function, finding.advice]
    .join('\n')
    .toLowerCase();
  return finding;
}

function readChip(value: unknown): Chip | undefined {
  const from = fields(value);
  if (!text(from.name)) return undefined;
  const fp16 = number(from.fp16_tflops);
  const bandwidth = number(from.memory_GBps);
  return {
    name: text(from.name),
    fp16,
    fp32: number(from.fp32_tflops),
    bandwidth,
    memory: number(from.memory_GB),
    ridge: number(from.ridge) ?? (fp16 && bandwidth ? (fp16 * 1000) / bandwidth : undefined),
    ridge32: number(from.ridge_fp32),
    ridge8: number(from.ridge_int8),
    ridgeVector: number(from.ridge_vector),
    source: text(from.source),
  };
}

function readHost(value: unknown): Expected['host'] {
  const from = fields(value);
  const tflops = number(from.fp32_tflops);
  const bandwidth = number(from.memory_GBps);
  return tflops && bandwidth ? { tflops, bandwidth } : undefined;
}

function readIntensity(value: unknown): Intensity | undefined {
  const from = fields(value);
  const low = number(from.low);
  if (low === undefined) return undefined;
  return {
    low,
    high: number(from.high),
    per: text(from.per),
    turnsAt: number(from.turns_at),
    turnsAt32: number(from.turns_at_fp32),
    sized: number(from.sized),
    formula: text(from.formula),
  };
}

function readRange(value: unknown): Expected['range'] {
  const from = fields(value);
  const low = number(from.low);
  const high = number(from.high);
  if (low === undefined || high === undefined) return undefined;
  return { low, high, reason: text(from.reason) };
}

function readExpected(value: unknown): Expected {
  const from = fields(value);
  return {
    chip: readChip(from.chip),
    baseline: readChip(from.baseline),
    host: readHost(from.host),
    classes: list(from.classes).map((item) => {
      const row = fields(item);
      return {
        class: text(row.class) || 'other',
        count: number(row.count),
        share: number(row.share),
        bound: text(row.bound),
        low: number(row.low),
        high: number(row.high),
        intensity: readIntensity(row.intensity),
        reason: text(row.reason),
      };
    }),
    priorities: list(from.priorities)
      .map((item, index) => {
        const row = fields(item);
        return {
          rank: number(row.rank) ?? index + 1,
          rule: text(row.rule),
          title: text(row.title),
          reason: text(row.reason),
          count: number(row.count),
        };
      })
      .sort((a, b) => a.rank - b.rank),
    range: readRange(from.range),
    unknown: texts(from.unknown),
  };
}

function readFiles(value: unknown): Report['files'] {
  const from = fields(value);
  const skipped = list(from.skipped).map(fields);
  const notes = list(from.notes).map(fields);
  return {
    scanned: number(from.scanned) ?? 0,
    bytes: number(from.bytes),
    kinds: Object.entries(fields(from.kinds))
      .map(([kind, count]): [string, number] => [kind, number(count) ?? 0])
      .sort((a, b) => b[1] - a[1]),
    skipped: skipped.map((item) => ({ path: text(item.path), reason: text(item.reason) })),
    notes: notes.map((item) => ({ path: text(item.path), line: number(item.line), message: text(item.message) })),
  };
}

function readProfiling(value: unknown): Report['profiling'] {
  const from = fields(value);
  return {
    steps: list(from.steps).map((item) => {
      const row = fields(item);
      return { ...place(row), function: text(row.function), kind: text(row.kind) };
    }),
    plan: list(from.plan).map((item) => {
      const row = fields(item);
      return {
        ...place(row),
        title: text(row.title),
        text: text(row.text),
        language: text(row.language),
        code: text(row.code),
      };
    }),
  };
}

// The summary's numbers where it has them; else counted from what is listed.
function readSummary(value: unknown, operators: Operator[], findings: Finding[]): Report['summary'] {
  const from = fields(value);
  const support = Object.fromEntries(SUPPORTS.map((name) => [name, 0])) as Record<Support, number>;
  for (const operator of operators) support[operator.support] += operator.count;
  const severity = Object.fromEntries(SEVERITIES.map((name) => [name, 0])) as Record<Severity, number>;
  const rules = new Map<string, number>();
  for (const finding of findings) {
    severity[finding.severity] += finding.count;
    rules.set(finding.rule, (rules.get(finding.rule) ?? 0) + finding.count);
  }
  const givenSupport = fields(from.support);
  for (const name of SUPPORTS) support[name] = number(givenSupport[name]) ?? support[name];
  const givenFindings = fields(from.findings);
  for (const name of SEVERITIES) severity[name] = number(givenFindings[name]) ?? severity[name];
  for (const [rule, count] of Object.entries(fields(from.by_rule))) rules.set(rule, number(count) ?? 0);
  return {
    operators: number(from.operators) ?? operators.length,
    sites: number(from.operator_sites) ?? operators.reduce((all, operator) => all + operator.count, 0),
    support,
    findings: severity,
    rules,
  };
}

export function load(value: unknown): Report {
  const from = fields(value);
  const tool = fields(from.tool);
  const seen = new Map<string, number>();
  const operators = list(from.operators).map(readOperator);
  const findings = list(from.findings).map((item) => readFinding(item, seen));
  const targets = texts(from.targets);
  const target = text(from.target) || targets[0] || '';
  return {
    schema: number(from.schema) ?? 0,
    tool: { name: text(tool.name) || 'foothold', version: text(tool.version) },
    target,
    targets: targets.length ? targets : [target],
    torch: text(from.torch),
    soc: text(from.soc),
    baseline: text(from.baseline),
    partial: from.partial === true,
    files: readFiles(from.files),
    operators,
    findings,
    profiling: readProfiling(from.profiling),
    expected: readExpected(from.expected),
    summary: readSummary(from.summary, operators, findings),
  };
}
