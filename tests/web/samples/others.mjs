// The other sample reports: big, empty, hostile, bare.
import { summarise } from './source.mjs';

const tool = { name: 'foothold', version: '0.1.0' };

// A small generator of numbers that is the same everywhere.
function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const CLASSES = ['matmul', 'convolution', 'attention', 'normalisation', 'activation', 'embedding', 'recurrent', 'loss', 'reduction', 'optimiser', 'elementwise', 'indexing', 'pooling', 'collective', 'other'];
const SUPPORTS = ['native', 'native', 'native', 'native', 'native', 'native', 'decomposed', 'decomposed', 'limited', 'fallback', 'unknown'];
const CATEGORIES = ['device', 'distributed', 'precision', 'host', 'memory', 'support', 'fusion'];
const CERTAINTIES = ['certain', 'certain', 'certain', 'likely', 'possible'];

// 50,000 locations of 400 operators and 5,000 findings in 2,900 files, as of a library of models.
export function big() {
  const next = random(7);
  const pick = (list) => list[next(list.length)];
  const files = [];
  for (let model = 0; model < 290; model += 1) {
    const name = `src/models_library/models/family_${String(model).padStart(3, '0')}`;
    const parts = ['modeling', 'modeling_flash', 'configuration', 'processing', 'tokenization', 'convert_weights', 'image_processing', 'modular', 'quantized', 'export'];
    for (const part of parts) files.push(`${name}/${part}_family_${model}.py`);
  }
  // Early families are the fullest, and some hold the operators that the chip does not run well.
  const apart = { fallback: 9, unknown: 5, limited: 4, decomposed: 2 };
  const place = (support = 'native') => {
    const family = Math.floor(Math.min(next(290), next(290), next(290)) / (apart[support] ?? 1)) * (apart[support] ?? 1);
    return { file: files[family * 10 + next(10)], line: 1 + next(2000), column: 5 + next(40) };
  };
  const operators = [];
  for (let index = 0; index < 400; index += 1) {
    const count = index === 0 ? 312000 : 1 + next(240);
    const listed = index === 0 ? 3000 : count;
    const sized = index < 40;
    const support = index === 0 ? 'native' : pick(SUPPORTS);
    const locations = Array.from({ length: listed }, () => ({
      ...place(support),
      function: `Family${next(290)}Attention.forward`,
      certainty: pick(CERTAINTIES),
      ...(sized && next(3) === 0 ? { parameters: 1024 * (1 + next(4096)), flops: 2048 * (1 + next(4096)), per: 'token' } : {}),
    }));
    operators.push({ name: `torch.nn.functional.operator_${index}`, category: 'compute', class: CLASSES[index % CLASSES.length], support, count, locations, kernels: [`aclnnOperator${index}`], overloads: [`aten::operator_${index}`] });
  }
  const total = operators.reduce((sum, operator) => sum + operator.locations.length, 0);
  for (let left = 50000 - total; left > 0; left -= 1) {
    const operator = operators[1 + (left % 399)];
    operator.locations.push({ ...place(operator.support), function: 'forward', certainty: 'certain' });
    operator.count += 1;
  }
  const findings = [];
  for (let index = 0; index < 5000; index += 1) {
    const rule = Math.min(next(60), next(60));
    const severity = rule % 20 === 7 ? 'error' : rule % 3 === 0 ? 'warning' : 'note';
    const at = place();
    findings.push({
      rule: `FH${100 + rule * 10}`,
      title: `Rule number ${rule}`,
      category: CATEGORIES[rule % CATEGORIES.length],
      severity,
      certainty: pick(CERTAINTIES),
      message: `Call ${index} of operator_${next(400)} does what rule ${rule} is about`,
      advice: `Change it as rule ${rule} says.`,
      ...at,
      end_column: at.column + 12,
      operator: `torch.nn.functional.operator_${next(400)}`,
      function: 'forward',
      excerpt: { line: Math.max(1, at.line - 1), text: ['    def forward(self, hidden_states):', `${' '.repeat(at.column - 1)}operator_${index % 1000}(hidden_states, dim=-1)`, '        return hidden_states'].slice(at.line === 1 ? 1 : 0) },
      ...(index % 500 === 0 ? { count: 300000 } : {}),
    });
  }
  const report = {
    schema: 1,
    tool,
    target: 'models-library-5.24.0.tar.gz',
    targets: ['models-library-5.24.0.tar.gz', 'examples'],
    torch: '2.14.0',
    soc: 'Ascend950PR',
    baseline: 'H100-SXM5',
    partial: true,
    files: {
      scanned: 2912,
      bytes: 53600000,
      kinds: { python: 2900, notebook: 7, shell: 5 },
      skipped: Array.from({ length: 1200 }, (_, index) => ({ path: `tests/fixtures/sample_${index}.bin`, reason: 'binary' })),
      notes: Array.from({ length: 300 }, (_, index) => ({ path: files[index], line: index + 1, message: 'syntax error: the rest of the statement was skipped' })),
    },
    operators,
    findings,
    profiling: { steps: Array.from({ length: 30 }, (_, index) => ({ file: files[index], line: 10 + index, function: 'main', kind: index % 2 ? 'training' : 'inference' })), plan: [] },
    summary: {},
  };
  report.summary = summarise(report);
  return report;
}

export function empty() {
  const report = { schema: 1, tool, target: '.', targets: ['.'], torch: '2.14.0', soc: 'Ascend910B3', baseline: 'A100-80G-SXM4', files: { scanned: 0, bytes: 0, kinds: {}, skipped: [], notes: [] }, operators: [], findings: [], profiling: { steps: [], plan: [] }, expected: { classes: [], priorities: [], unknown: [] }, summary: {} };
  report.summary = summarise(report);
  return report;
}

export const HOSTILE = [
  '</script><img src=x onerror="window.hacked=1">',
  '<!-- <script> alert(1) </script>',
  '"><svg onload=window.hacked=2>',
  '{a|b}${window.hacked=3}%s\\u003c',
  'javascript:window.hacked=4',
  '\u202ereversed\u202c \u0000nul \u2028line\u2029 \ud83e\udd84 数据',
  '__proto__',
  'constructor',
];

// Every string that comes from the target holds something that a careless page would run or choke on.
export function hostile() {
  const file = (index) => `${HOSTILE[index % HOSTILE.length]}/${HOSTILE[(index + 1) % HOSTILE.length]}.py`;
  const report = {
    schema: 1,
    tool,
    target: HOSTILE[0],
    targets: [HOSTILE[0], HOSTILE[1]],
    torch: '2.14.0',
    soc: HOSTILE[2],
    baseline: HOSTILE[3],
    files: {
      scanned: 3,
      kinds: { ['__proto__']: 1, '</style><b>': 2 },
      skipped: HOSTILE.map((text) => ({ path: text, reason: text })),
      notes: HOSTILE.map((text) => ({ path: text, line: 1, message: text })),
    },
    operators: HOSTILE.map((text, index) => ({
      name: text,
      category: 'compute',
      class: CLASSES[index],
      support: SUPPORTS[index + 3],
      kernels: [text],
      overloads: [text],
      limits: text,
      reason: text,
      workaround: text,
      source: `${text} javascript:alert(1) https://example.org/a"onmouseover="window.hacked=5`,
      count: 3,
      locations: [0, 1, 2].map((step) => ({ file: file(index + step), line: 1 + step, column: 1, function: text, certainty: 'certain', parameters: 10, flops: 20, per: 'token' })),
    })),
    findings: HOSTILE.flatMap((text, index) =>
      [0, 1].map((step) => ({
        rule: `FH${100 + index}`,
        title: text,
        category: CATEGORIES[index % CATEGORIES.length],
        severity: ['error', 'warning', 'note'][index % 3],
        certainty: CERTAINTIES[index % CERTAINTIES.length],
        message: text,
        advice: text,
        file: file(index),
        line: 2,
        column: 10,
        end_column: 14,
        operator: text,
        function: text,
        excerpt: { line: 1, text: [`x = """${text}`, `数据\ud83e\udd84\ud83e\udd84 = "${text}" ; mark`, `${text}""" + 'open`, '\t\t@torch.no_grad()', 'y'.repeat(20000)].slice(step) },
      })),
    ),
    profiling: { steps: [{ file: file(0), line: 1, function: HOSTILE[0], kind: 'training' }], plan: HOSTILE.map((text) => ({ title: text, text, language: 'python', code: `${text}\n` })) },
    expected: {
      chip: { name: HOSTILE[0], fp16_tflops: 1e-9, memory_GBps: 1e9, source: HOSTILE[2] },
      baseline: { name: HOSTILE[1], fp16_tflops: 1e12, fp32_tflops: 3, memory_GBps: 1e-6 },
      classes: [{ class: 'matmul', count: 1, share: 1, bound: 'compute', low: 0, high: 1e9, reason: HOSTILE[0] }],
      priorities: [{ rank: 1, rule: 'FH100', title: HOSTILE[0], reason: HOSTILE[1] }],
      range: { low: 0, high: 1e9, reason: HOSTILE[0] },
      unknown: [...HOSTILE],
    },
    summary: {},
  };
  report.summary = summarise(report);
  return report;
}

// Only what the schema requires.
export function bare() {
  return {
    schema: 1,
    tool: { name: 'foothold', version: '0.1.0' },
    target: 'one.py',
    files: { scanned: 1, skipped: [], notes: [] },
    operators: [{ name: 'torch.add', category: 'compute', support: 'native', count: 1, locations: [{ file: 'one.py', line: 1, column: 1, certainty: 'certain' }] }],
    findings: [{ rule: 'FH101', category: 'device', severity: 'warning', certainty: 'certain', message: 'A finding about a whole file', file: 'one.py' }],
    summary: {},
  };
}
