// Performance profiling: where the steps are, and a plan with code to copy.
import { listing } from '../code';
import { h, maybeLink } from '../dom';
import { plural } from '../format';
import type { PlanItem, Report } from '../report';
import type { Section, View } from '../view';
import { card, cell, code, copyButton, empty, placeCode } from '../widgets';

const LANGUAGES: Record<string, string> = { python: 'Python', shell: 'Shell' };

function item(step: PlanItem): HTMLElement {
  const language = Object.hasOwn(LANGUAGES, step.language) ? LANGUAGES[step.language] : step.language;
  return h(
    'li',
    { class: 'card plan-item' },
    h('h3', null, step.title || 'Step'),
    step.text && h('p', null, maybeLink(step.text)),
    step.code &&
      h(
        'figure',
        { class: 'listing' },
        h(
          'figcaption',
          null,
          h('span', null, language, step.file && [language && ' · ', placeCode(step)]),
          copyButton(`Copy the code of “${step.title}”`, () => step.code, 'Copy'),
        ),
        listing(step.code, step.language),
      ),
  );
}

function steps(report: Report): HTMLElement {
  const found = report.profiling.steps;
  if (!found.length) {
    return card('Steps found', h('p', { class: 'faint' }, 'No training or inference step was recognised. Put the profiler around the loop that you want to measure.'));
  }
  return card(
    'Steps found',
    h('p', { class: 'lead' }, `${plural(found.length, 'place')} to measure.`),
    h(
      'table',
      { class: 'data' },
      h('thead', null, h('tr', null, ['Kind', 'Place', 'Function'].map((label) => h('th', { scope: 'col' }, label)))),
      h(
        'tbody',
        null,
        found.map((step) =>
          h('tr', null, [
            h('th', { scope: 'row' }, step.kind || 'step'),
            cell('Place', placeCode(step)),
            cell('Function', step.function && code(step.function)),
          ]),
        ),
      ),
    ),
  );
}

export const profiling: Section = {
  id: 'profiling',
  title: 'Performance Profiling',
  short: 'Profiling',
  icon: 'clock',
  create(report): View {
    const { plan } = report.profiling;
    return {
      element: h(
        'div',
        { class: 'stack' },
        steps(report),
        plan.length ? h('ol', { class: 'plan' }, plan.map(item)) : empty('No plan.', 'The report holds no profiling plan.'),
      ),
    };
  },
};
