// CANN support: each verdict with its operators, worst first.
import { h, maybeLink, type Child } from '../dom';
import { count, factor, plural, short } from '../format';
import { icon } from '../icons';
import { SUPPORTS, SUPPORT_SHOWN, type Operator, type Report, type Support } from '../report';
import { address } from '../state';
import { SUPPORT } from '../vocabulary';
import type { Section, View } from '../view';
import { cell, code, empty, paged, path, shares } from '../widgets';

const PAGE = 20;

function names(list: string[]): Child {
  return list.map((name, index) => [index > 0 && ', ', code(name)]);
}

function line(label: string, text: string): Child {
  return text && h('p', null, h('span', { class: 'label' }, label), maybeLink(text));
}

function entry(operator: Operator): HTMLElement {
  return h(
    'li',
    { class: 'entry' },
    h(
      'div',
      { class: 'entry-head' },
      h('a', { href: address('operators', { q: operator.name, op: operator.name }) }, code(operator.name)),
      h('span', { class: 'faint' }, plural(operator.count, 'site')),
    ),
    line('Limits', operator.limits),
    line(operator.support === 'fallback' || operator.support === 'refused' ? 'Impact' : 'Why', operator.reason),
    line('Workaround', operator.workaround),
    operator.kernels.length > 0 && h('p', null, h('span', { class: 'label' }, 'Kernels'), names(operator.kernels)),
    line('Source', operator.source),
  );
}

// Operators with a kernel have little to say: a table, so that the others stand out.
function table(rows: Operator[]): HTMLElement {
  const noted = rows.some((operator) => operator.limits || operator.reason || operator.workaround);
  return h(
    'table',
    { class: 'data' },
    h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Operator'), h('th', { scope: 'col', class: 'right' }, 'Sites'), ['Kernels', noted && 'Notes', 'Source'].map((label) => label && h('th', { scope: 'col' }, label)))),
    h(
      'tbody',
      null,
      rows.map((operator) => {
        const notes = [operator.limits, operator.reason, operator.workaround].filter(Boolean);
        return h(
          'tr',
          null,
          h('th', { scope: 'row' }, h('a', { href: address('operators', { q: operator.name, op: operator.name }) }, h('code', null, path(operator.name)))),
          cell('Sites', count(operator.count), 'right'),
          cell('Kernels', operator.kernels.length > 0 && names(operator.kernels)),
          noted && cell('Notes', notes.length > 0 && notes.map((text) => h('p', null, maybeLink(text)))),
          cell('Source', operator.source && h('span', { class: 'faint' }, maybeLink(operator.source))),
        );
      }),
    ),
  );
}

// A quotient of peaks, of which the host's are assumed.
function gain(report: Report): Child {
  const { chip, host } = report.expected;
  if (!chip?.fp16 || !chip.bandwidth || !host) return null;
  return h(
    'p',
    { class: 'lead' },
    `Expected gain over a CPU that is assumed to reach ${short(host.tflops)} TFLOP/s and ${short(host.bandwidth)} GB/s: matrix products, convolutions and attention up to `,
    h('strong', null, factor(chip.fp16 / host.tflops)),
    ', memory-bound operators up to ',
    h('strong', null, factor(chip.bandwidth / host.bandwidth)),
    '; less for small tensors. --host-tflops and --host-bandwidth set the CPU.',
  );
}

function group(support: Support, all: Operator[], note: Child): HTMLElement {
  const word = SUPPORT[support];
  const sites = all.reduce((sum, operator) => sum + operator.count, 0);
  const sorted = [...all].sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  return h(
    'section',
    { class: `card verdict-group edge-${support}`, id: `support-${support}` },
    h(
      'h3',
      null,
      h('span', { class: `badge support-${support}` }, icon(word.icon), word.label),
      h('span', { class: 'faint' }, `${plural(all.length, 'operator')}, ${plural(sites, 'site')}`),
    ),
    h('p', { class: 'lead' }, word.text),
    note,
    paged(`${word.label} operators`, sorted, PAGE, (rows) => (support === 'native' ? table(rows) : h('ul', { class: 'entries' }, rows.map(entry)))),
  );
}

export const support: Section = {
  id: 'support',
  title: 'CANN Support Analysis',
  short: 'Support',
  icon: 'chip',
  badge(report: Report) {
    const off = report.summary.support.fallback + report.summary.support.refused;
    return off ? { text: short(off), label: plural(off, 'operator site') + ' off the NPU', style: 'alert' } : null;
  },
  create(report: Report): View {
    const groups = SUPPORTS.map((name) => [name, report.operators.filter((operator) => operator.support === name)] as const);
    const shown = groups.filter(([, all]) => all.length);
    const element = h(
      'div',
      { class: 'stack' },
      shown.length === 0 && empty('No operators found.'),
      shown.length > 0 &&
        h(
          'div',
          { class: 'card' },
          shares(
            'Operator sites by support',
            SUPPORT_SHOWN.map((name) => ({
              label: SUPPORT[name].label,
              value: report.summary.support[name],
              style: `tile-${name}`,
              icon: SUPPORT[name].icon,
              href: address('operators', { support: name }),
              title: SUPPORT[name].text,
            })),
          ),
          h('p', { class: 'faint' }, `Verdicts hold for ${[report.soc, report.torch && `PyTorch ${report.torch}`].filter(Boolean).join(' with ') || 'the default chip and release'}.`),
        ),
      shown.map(([name, all]) => group(name, all, name === 'native' && gain(report))),
    );
    return { element };
  },
};
