// Expected performance: the two chips, the bound of each operator class, what to do first, and what is not known.
import { h, maybeLink } from '../dom';
import { count, factor, percent, plural, range } from '../format';
import { icon } from '../icons';
import type { Chip, ClassOutlook, Expected, Intensity, Report } from '../report';
import { drawable, roofline } from '../roofline';
import { address } from '../state';
import { boundOf, classLabel } from '../vocabulary';
import type { Section, View } from '../view';
import { bar, card, cell, code, empty, findingsLink } from '../widgets';

// A multiple of the baseline's speed on a scale from 1/8 to 8, so that half and double are equally far from equal.
function position(multiple: number): number {
  return Math.max(0, Math.min(1, (Math.log2(Math.max(multiple, 1e-9)) + 3) / 6));
}

export function gauge(low: number, high: number): HTMLElement {
  const from = position(low);
  const to = position(high);
  return h(
    'span',
    { class: 'gauge', role: 'img', 'aria-label': `${range(low, high)} of the baseline` },
    h('span', { class: 'gauge-range', style: { left: `${from * 100}%`, width: `${Math.max(1.5, (to - from) * 100)}%` } }),
    h('span', { class: 'gauge-one' }),
  );
}

const FIGURES: { label: string; unit: string; of: (chip: Chip) => number | undefined; compare: boolean }[] = [
  { label: 'FP16 peak', unit: 'TFLOP/s', of: (chip) => chip.fp16, compare: true },
  { label: 'FP32 peak', unit: 'TFLOP/s', of: (chip) => chip.fp32, compare: true },
  { label: 'Memory bandwidth', unit: 'GB/s', of: (chip) => chip.bandwidth, compare: true },
  { label: 'Memory', unit: 'GB', of: (chip) => chip.memory, compare: true },
  { label: 'Ridge in 16 bits', unit: 'FLOP/byte', of: (chip) => chip.ridge, compare: false },
  { label: 'Ridge in FP32', unit: 'FLOP/byte', of: (chip) => chip.ridge32, compare: false },
  { label: 'Ridge in INT8', unit: 'FLOP/byte', of: (chip) => chip.ridge8, compare: false },
  { label: 'Ridge of the vector units', unit: 'FLOP/byte', of: (chip) => chip.ridgeVector, compare: false },
];

function figure(value: number | undefined): string {
  return value === undefined ? '–' : count(Number(value.toPrecision(4)));
}

function chips(chip: Chip | undefined, baseline: Chip | undefined): HTMLElement | null {
  const shown = [chip, baseline].filter((item): item is Chip => item !== undefined);
  if (!shown.length) return null;
  const rows = FIGURES.filter((row) => shown.some((item) => row.of(item) !== undefined));
  return card(
    shown.length === 2 ? 'Chip and baseline' : 'The chip',
    rows.length > 0 &&
      h(
        'table',
        { class: 'data chips' },
        h(
          'thead',
          null,
          h('tr', null, h('th', { scope: 'col' }, 'Figure'), shown.map((item) => h('th', { scope: 'col', class: 'right' }, item.name)), shown.length === 2 && h('th', { scope: 'col', class: 'right' }, 'Ratio')),
        ),
        h(
          'tbody',
          null,
          rows.map((row) => {
            const [a, b] = shown.map(row.of);
            return h(
              'tr',
              null,
              h('th', { scope: 'row' }, row.label, ' ', h('span', { class: 'faint' }, row.unit)),
              shown.map((item) => cell(item.name, figure(row.of(item)), 'right')),
              shown.length === 2 && cell('Ratio', row.compare && a && b && h('strong', null, factor(a / b)), 'right'),
            );
          }),
        ),
      ),
    h('ul', { class: 'sources' }, shown.filter((item) => item.source).map((item) => h('li', null, `${item.name}: `, maybeLink(item.source)))),
  );
}

function limits(expected: Expected): HTMLElement | null {
  const { chip, baseline, classes } = expected;
  if (!drawable(chip)) return null;
  const kinds = ['memory', 'compute', 'host', 'communication'];
  const share = (rows: ClassOutlook[]) => rows.reduce((sum, row) => sum + (row.share ?? 0), 0);
  const whole = share(classes);
  return card(
    'What limits each operator class',
    h(
      'p',
      { class: 'lead' },
      `Below ${figure(chip.ridge)} FLOPs per byte, ${chip.name} waits for memory; above, for arithmetic.`,
    ),
    h('ul', { class: 'line-legend' }, [
      h('li', null, h('span', { class: 'stroke' }), chip.name),
      drawable(baseline) && h('li', null, h('span', { class: 'stroke other' }), baseline.name),
    ]),
    roofline(chip, baseline).element,
    classes.length > 0 &&
      h(
        'ul',
        { class: 'bounds' },
        kinds
          .map((kind) => ({ kind, rows: classes.filter((row) => row.bound === kind) }))
          .filter(({ rows }) => rows.length)
          .map(({ kind, rows }) => {
            const word = boundOf(kind);
            return h(
              'li',
              null,
              h('strong', null, icon(word.icon), word.label, whole > 0 && h('span', { class: 'bound-share' }, percent(share(rows), whole))),
              h('span', { class: 'faint' }, word.text),
              h('span', { class: 'tags' }, rows.map((row) => h('span', { class: 'tag' }, classLabel(row.class)))),
            );
          }),
      ),
  );
}

function small(value: number): string {
  return value >= 10 ? count(Math.round(value)) : String(Number(value.toPrecision(2)));
}

// "1–340", "from 1" where there is no end.
function span(intensity: Intensity): string {
  if (intensity.high === undefined) return `from ${small(intensity.low)}`;
  return intensity.high > intensity.low ? `${small(intensity.low)}–${small(intensity.high)}` : small(intensity.low);
}

function turn(intensity: Intensity): HTMLElement | null {
  if (!intensity.turnsAt) return null;
  const unit = intensity.per === 'query' ? 'queries' : `${intensity.per || 'item'}s`;
  const in32 = intensity.turnsAt32 ? `in FP32 from ${count(intensity.turnsAt32)} ${unit}` : undefined;
  return h('span', { title: in32 }, `${count(intensity.turnsAt)} ${unit}`);
}

// Why, once for classes of the same reason.
function reasons(classes: ClassOutlook[]): HTMLElement | null {
  const groups = new Map<string, string[]>();
  for (const row of classes) if (row.reason) groups.set(row.reason, [...(groups.get(row.reason) ?? []), classLabel(row.class)]);
  if (!groups.size) return null;
  return h(
    'ul',
    { class: 'plain reasons' },
    [...groups].map(([reason, names]) => h('li', null, h('strong', null, names.join(', ')), ': ', maybeLink(reason))),
  );
}

function outlook(classes: ClassOutlook[], baseline: string): HTMLElement | null {
  if (!classes.length) return null;
  const ranged = classes.some((row) => row.low !== undefined);
  return card(
    'By operator class',
    h(
      'p',
      { class: 'lead' },
      'FLOP/byte is what a class computes for each byte that it moves in 16 bits, from one item to a large batch; from that batch on its limit is arithmetic. ',
      ranged && `Speed is a multiple of ${baseline || 'the baseline'}; the line marks 1×, equal speed.`,
    ),
    h(
      'table',
      { class: 'data outlook' },
      h(
        'thead',
        null,
        h('tr', null, [
          h('th', { scope: 'col' }, 'Class'),
          h('th', { scope: 'col', class: 'right' }, 'Sites'),
          h('th', { scope: 'col' }, 'Share'),
          h('th', { scope: 'col' }, 'Bound'),
          h('th', { scope: 'col', class: 'right' }, 'FLOP/byte'),
          h('th', { scope: 'col', class: 'right' }, 'From'),
          h('th', { scope: 'col', class: 'gauge-cell' }, 'Speed'),
        ]),
      ),
      h(
        'tbody',
        null,
        classes.map((row) => {
          const word = boundOf(row.bound);
          return h(
            'tr',
            null,
            h('th', { scope: 'row' }, h('a', { href: address('operators', { class: row.class }) }, classLabel(row.class))),
            cell('Sites', row.count !== undefined && count(row.count), 'right'),
            cell('Share', row.share !== undefined && h('span', { class: 'with-bar' }, bar(row.share), percent(row.share, 1))),
            cell('Bound', h('span', { class: 'bound' }, icon(word.icon), word.label)),
            cell('FLOP/byte', row.intensity && h('span', { title: row.intensity.formula }, span(row.intensity)), 'right'),
            cell('From', row.intensity && turn(row.intensity), 'right'),
            cell(
              'Speed',
              row.low !== undefined &&
                row.high !== undefined &&
                h('span', { class: 'with-gauge' }, gauge(row.low, row.high), h('strong', null, range(row.low, row.high))),
              'gauge-cell',
            ),
          );
        }),
      ),
    ),
    reasons(classes),
  );
}

function priorities(expected: Expected): HTMLElement | null {
  if (!expected.priorities.length) return null;
  return card(
    'What to do first',
    h('p', { class: 'lead' }, 'What stops the program comes first, then what a step gains most from; the order is by rule, not by measurement.'),
    h(
      'ol',
      { class: 'ranked wide' },
      expected.priorities.map((item) =>
        h(
          'li',
          { value: item.rank },
          h('strong', null, item.title || item.rule),
          item.reason && h('p', null, maybeLink(item.reason)),
          item.rule && findingsLink({ rule: item.rule }, code(item.rule), item.count !== undefined && ` · ${plural(item.count, 'place')}`),
        ),
      ),
    ),
  );
}

function headline(report: Report): HTMLElement | null {
  const whole = report.expected.range;
  if (!whole) return null;
  const baseline = report.expected.baseline?.name || report.baseline || 'the baseline';
  return h(
    'div',
    { class: 'card headline' },
    h('p', { class: 'headline-number' }, range(whole.low, whole.high), h('span', null, ` of ${baseline}`)),
    h('div', { class: 'scale' }, gauge(whole.low, whole.high), h('div', { class: 'ticks', 'aria-hidden': 'true' }, ['⅛×', '¼×', '½×', '1×', '2×', '4×', '8×'].map((tick) => h('span', null, tick)))),
    whole.reason && h('p', null, maybeLink(whole.reason)),
  );
}

export const expected: Section = {
  id: 'expected',
  title: 'Expected Performance on Ascend',
  short: 'Expected',
  icon: 'chart',
  create(report): View {
    const from = report.expected;
    const parts = [
      headline(report),
      priorities(from),
      limits(from),
      outlook(from.classes, from.baseline?.name ?? report.baseline),
      chips(from.chip, from.baseline),
      from.unknown.length > 0 &&
        card('What reading the source cannot know', h('ul', { class: 'plain' }, from.unknown.map((text) => h('li', null, maybeLink(text))))),
    ].filter(Boolean) as HTMLElement[];
    return {
      element: h('div', { class: 'stack' }, parts.length ? parts : empty('No estimate.', 'The report holds no figures for the chip or the operator classes.')),
    };
  },
};
