// Optimization recommendations: what to change, by subject and rule.
import { h, maybeLink } from '../dom';
import { factor, plural } from '../format';
import { icon } from '../icons';
import { byRule, type RuleGroup } from '../program';
import type { Report } from '../report';
import { address } from '../state';
import { categoryLabel } from '../vocabulary';
import type { Section, View } from '../view';
import { code, empty, findingsLink, placeCode, severityBadge } from '../widgets';

const SUBJECTS: { category: string; title: string; text: string }[] = [
  { category: 'precision', title: 'Automatic mixed precision', text: 'Matrix work in half precision: more arithmetic per second and half the memory traffic.' },
  { category: 'fusion', title: 'Graph and fusion', text: 'Several operators as one kernel: fewer launches, and less traffic to memory between them.' },
  { category: 'distributed', title: 'Distributed training', text: 'Collectives through HCCL, and communication hidden behind compute.' },
  { category: 'support', title: 'Operator support', text: 'Operators, extensions and packages that do not run on the NPU as they are.' },
  { category: 'device', title: 'Device code', text: 'Code that names CUDA, or counts on it.' },
  { category: 'host', title: 'Host-bound code', text: 'Places where the device waits for Python, or a graph breaks.' },
  { category: 'memory', title: 'Memory and input', text: 'Feeding the device, and fitting on it.' },
  { category: 'compute', title: 'Compute', text: 'How the heavy operators are called.' },
];

const SHOWN = 3;

function rule(group: RuleGroup): HTMLElement {
  const places = group.findings.slice(0, SHOWN);
  return h(
    'li',
    { class: 'entry' },
    h('div', { class: 'entry-head' }, severityBadge(group.severity), h('strong', null, group.title), code(group.rule)),
    group.findings.length === 1 && group.findings[0].message !== group.title && h('p', { class: 'faint' }, group.findings[0].message),
    group.advice && h('p', { class: 'advice' }, maybeLink(group.advice)),
    h(
      'ul',
      { class: 'places' },
      places.map((finding) => h('li', null, h('a', { href: address('findings', { rule: group.rule, f: finding.key }) }, placeCode(finding)))),
      group.count > 1 && h('li', null, findingsLink({ rule: group.rule }, `All ${plural(group.count, 'place')}`)),
    ),
  );
}

// The gain that the chip's own peaks allow; the report's figures, not a promise.
function peakRatio(report: Report): string {
  const chip = report.expected.chip;
  if (!chip?.fp16 || !chip.fp32) return '';
  return ` On ${chip.name} the FP16 peak is ${factor(chip.fp16 / chip.fp32)} the FP32 peak.`;
}

export const recommendations: Section = {
  id: 'recommendations',
  title: 'Optimization Recommendations',
  short: 'Advice',
  icon: 'bulb',
  create(report): View {
    const groups = byRule(report.findings);
    const known = new Set(SUBJECTS.map((subject) => subject.category));
    const others = [...new Set(groups.map((group) => group.category))].filter((name) => !known.has(name));
    const subjects = [...SUBJECTS, ...others.map((category) => ({ category, title: categoryLabel(category), text: '' }))]
      .map((subject) => ({ ...subject, rules: groups.filter((group) => group.category === subject.category) }))
      .filter((subject) => subject.rules.length);
    const clean = SUBJECTS.slice(0, 3).filter((subject) => !subjects.some((other) => other.category === subject.category));
    const element = h(
      'div',
      { class: 'stack' },
      subjects.length === 0 && empty('No recommendations.', 'No rule found anything to change.'),
      subjects.length > 1 &&
        h(
          'ul',
          { class: 'jump', 'aria-label': 'Subjects' },
          subjects.map((subject) => {
            const button = h('button', { type: 'button' }, subject.title, h('span', { class: 'total' }, subject.rules.length));
            button.addEventListener('click', () => {
              const to = document.getElementById(`advice-${subject.category}`);
              to?.scrollIntoView({ block: 'start' });
              to?.querySelector('h3')?.focus({ preventScroll: true });
            });
            return h('li', null, button);
          }),
        ),
      subjects.map((subject) =>
        h(
          'section',
          { class: 'card', id: `advice-${subject.category}` },
          h('h3', { tabindex: -1 }, subject.title),
          subject.text && h('p', { class: 'lead' }, subject.text, subject.category === 'precision' && peakRatio(report)),
          h('ul', { class: 'entries' }, subject.rules.map(rule)),
        ),
      ),
      subjects.length > 0 &&
        clean.length > 0 &&
        h('p', { class: 'faint' }, icon('check'), ` Nothing to recommend for: ${clean.map((subject) => subject.title.toLowerCase()).join(', ')}.`),
    );
    return { element };
  },
};
