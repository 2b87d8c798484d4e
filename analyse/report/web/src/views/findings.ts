// All findings: filtered, grouped, paged; one may be open with its source.
import { fill, h, maybeLink, uniqueId, type Child } from '../dom';
import { excerpt } from '../code';
import { count, plural, sentence, short, where } from '../format';
import { icon } from '../icons';
import { inFile } from '../program';
import { CERTAINTIES, SEVERITIES, type Finding, type Report } from '../report';
import { address, change, chosen, state, toggled } from '../state';
import { SEVERITY, categoryLabel } from '../vocabulary';
import type { Section, View } from '../view';
import {
  certaintyMark,
  code,
  copyButton,
  definition,
  empty,
  pager,
  placeCode,
  select,
  severityBadge,
  switcher,
  textField,
  toggles,
} from '../widgets';

const PAGE = 50;
const PRINTED = 200;
const FILE_HINTS = 300;

type Grouping = 'rule' | 'file' | 'severity' | 'category';

const GROUPINGS: [Grouping, string][] = [
  ['rule', 'Rule'],
  ['file', 'File'],
  ['severity', 'Severity'],
  ['category', 'Category'],
];

interface Group {
  name: string;
  title: Child;
  findings: Finding[];
  count: number;
}

const rank = (finding: Finding): number => SEVERITIES.indexOf(finding.severity);

function groupName(finding: Finding, by: Grouping): string {
  return finding[by] || '(none)';
}

function groupTitle(finding: Finding, by: Grouping): Child {
  if (by === 'rule') return [h('span', { class: 'group-title' }, finding.title || finding.message), code(finding.rule)];
  if (by === 'severity') return severityBadge(finding.severity);
  if (by === 'category') return categoryLabel(finding.category);
  return placeCode({ file: finding.file });
}

// Groups with the worst inside first, then the fullest; inside, the report's own order.
function group(findings: Finding[], by: Grouping): Group[] {
  const groups = new Map<string, Group & { worst: number }>();
  for (const finding of findings) {
    const name = groupName(finding, by);
    let into = groups.get(name);
    if (!into) {
      into = { name, title: groupTitle(finding, by), findings: [], count: 0, worst: rank(finding) };
      groups.set(name, into);
    }
    into.findings.push(finding);
    into.count += finding.count;
    into.worst = Math.min(into.worst, rank(finding));
  }
  return [...groups.values()].sort((a, b) => a.worst - b.worst || b.count - a.count || (a.name < b.name ? -1 : 1));
}

type Filter = (finding: Finding) => boolean;

function filters(params: Record<string, string>): Record<string, Filter> {
  const within = (name: 'severity' | 'certainty' | 'category'): Filter => {
    const set = chosen(params[name]);
    return (finding) => !set.size || set.has(finding[name]);
  };
  const words = (params.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return {
    severity: within('severity'),
    certainty: within('certainty'),
    category: within('category'),
    rule: (finding) => !params.rule || finding.rule === params.rule,
    file: (finding) => inFile(finding.file, params.file ?? ''),
    q: (finding) => words.every((word) => finding.search.includes(word)),
  };
}

// How many findings each choice of a filter would leave, the other filters being as they are.
function totals(findings: Finding[], tests: Record<string, Filter>, name: 'severity' | 'certainty' | 'category'): Map<string, number> {
  const others = Object.entries(tests).filter(([key]) => key !== name);
  const out = new Map<string, number>();
  for (const finding of findings) {
    if (others.every(([, test]) => test(finding))) out.set(finding[name], (out.get(finding[name]) ?? 0) + finding.count);
  }
  return out;
}

function detail(finding: Finding): HTMLElement {
  const link = () => {
    const at = new URL(location.href);
    at.hash = address('findings', { f: finding.key });
    return at.href;
  };
  return h(
    'div',
    { class: 'detail' },
    excerpt(finding),
    finding.advice && h('div', { class: 'advice' }, h('strong', null, 'What to do'), h('p', null, maybeLink(finding.advice))),
    definition([
      ['Rule', [code(finding.rule), finding.title && ` ${finding.title}`]],
      ['Category', categoryLabel(finding.category)],
      ['How sure', certaintyMark(finding.certainty)],
      ['Operator', finding.operator && h('a', { href: address('operators', { q: finding.operator, op: finding.operator }) }, code(finding.operator))],
      ['Function', finding.function && code(finding.function)],
      ['Equal ones', finding.count > 1 && `${count(finding.count)} in all, shown as one`],
    ]),
    h(
      'div',
      { class: 'actions' },
      copyButton('Copy the place', () => where(finding), 'Copy place'),
      copyButton('Copy a link to this finding', link, 'Copy link'),
    ),
  );
}

function create(report: Report): View {
  const all = report.findings;
  const unique = (pick: (finding: Finding) => string) => [...new Set(all.map(pick).filter((item) => item))].sort();
  const reset = { p: '', f: '' };

  const search = textField('Search', { hint: 'message, rule, operator, file' }, (q) => change({ q, ...reset }));
  const filesId = uniqueId('files');
  const file = textField('File', { hint: 'path or folder/', list: filesId }, (value) => change({ file: value, ...reset }));
  const titles = new Map(all.map((finding) => [finding.rule, finding.title]));
  const ruleSelect = select(
    'Rule',
    [['', 'All rules'], ...unique((f) => f.rule).map((name): [string, string] => [name, `${name} ${titles.get(name) ?? ''}`.trim()])],
    (rule) => change({ rule, ...reset }),
  );
  const toggle = (name: string) => (value: string) => change({ [name]: toggled(state().params[name], value), ...reset });
  const severities = toggles(
    'Severity',
    SEVERITIES.map((value) => ({ value, label: SEVERITY[value].label, icon: SEVERITY[value].icon, style: `severity-${value}`, total: 0 })),
    toggle('severity'),
  );
  const categories = toggles('Category', unique((f) => f.category).map((value) => ({ value, label: categoryLabel(value), total: 0 })), toggle('category'));
  const certainties = toggles(
    'How sure',
    CERTAINTIES.filter((value) => all.some((finding) => finding.certainty === value)).map((value) => ({ value, label: sentence(value), total: 0 })),
    toggle('certainty'),
  );
  const grouping = switcher('Group by', GROUPINGS, (by) => change({ by: by === 'rule' ? '' : by, p: '' }));
  const status = h('p', { class: 'status', role: 'status' });
  const list = h('div', { class: 'findings' });
  const showAll = h('button', { type: 'button', class: 'quiet', 'aria-pressed': 'false' }, icon('list'), 'Show all code');
  showAll.addEventListener('click', () => change({ all: state().params.all ? '' : '1' }));
  const clear = h('button', { type: 'button', class: 'quiet' }, 'Clear filters');
  clear.addEventListener('click', () => change({ q: '', file: '', rule: '', severity: '', category: '', certainty: '', ...reset }));

  let ordered: Finding[] = []; // as shown, over all pages
  let printing = false;
  let scrolledTo = '';
  let shownFor = '';
  let shown = new Map<string, { show(open: boolean): void; element: HTMLElement }>();

  const row = (finding: Finding): HTMLElement => {
    const id = uniqueId('finding');
    const body = h('div', { id, hidden: true });
    const button = h(
      'button',
      { type: 'button', class: 'finding-head', 'aria-controls': id },
      icon('chevron'),
      h('span', { class: `mark severity-${finding.severity}`, title: SEVERITY[finding.severity].label }, icon(SEVERITY[finding.severity].icon), h('span', { class: 'reader' }, SEVERITY[finding.severity].label)),
      h('span', { class: 'finding-text' }, finding.message || finding.title || finding.rule),
      h('span', { class: 'finding-place' }, placeCode(finding), finding.count > 1 && h('span', { class: 'times' }, `×${count(finding.count)}`)),
    );
    const element = h('li', { class: 'finding', 'data-key': finding.key }, button, body);
    const show = (open: boolean) => {
      button.setAttribute('aria-expanded', String(open));
      element.classList.toggle('open', open);
      body.hidden = !open;
      if (open && !body.firstChild) body.append(detail(finding));
    };
    button.addEventListener('click', () => {
      const open = button.getAttribute('aria-expanded') !== 'true';
      scrolledTo = finding.key; // it is in view already
      if (state().params.all) show(open);
      else change({ f: open ? finding.key : '' });
    });
    shown.set(finding.key, { show, element });
    return element;
  };

  // Rows are grouped anew on each page, so that no page holds more than PAGE rows whatever the groups' sizes.
  const draw = (by: Grouping, from: number, to: number, page: number) => {
    shown = new Map();
    const groups = group(ordered, by);
    let at = 0;
    const sections: HTMLElement[] = [];
    for (const item of groups) {
      const rows = item.findings.slice(Math.max(0, from - at), Math.max(0, to - at));
      at += item.findings.length;
      if (!rows.length) continue;
      sections.push(
        h(
          'section',
          { class: 'group' },
          h('h3', null, item.title, h('span', { class: 'total' }, count(item.count))),
          h('ul', null, rows.map(row)),
        ),
      );
    }
    fill(
      list,
      sections,
      !ordered.length && empty(all.length ? 'No finding matches.' : 'No findings.', all.length ? 'Loosen or clear the filters.' : 'Every rule ran, and none had anything to say.'),
      printing && ordered.length > to && h('p', { class: 'faint' }, `The first ${count(to)} of ${count(ordered.length)} findings.`),
      !printing && pager('findings', ordered.length, page, PAGE, (p) => {
        change({ p: p > 1 ? String(p) : '', f: '' });
        list.scrollIntoView({ block: 'start' });
      }),
    );
  };

  const update = (params: Record<string, string>) => {
    const by = GROUPINGS.some(([name]) => name === params.by) ? (params.by as Grouping) : 'rule';
    search.show(params.q);
    file.show(params.file);
    ruleSelect.show(params.rule);
    grouping.show(by);
    clear.hidden = !['q', 'file', 'rule', 'severity', 'category', 'certainty'].some((name) => params[name]);
    showAll.setAttribute('aria-pressed', String(Boolean(params.all)));
    const { f, p, all: every, ...rest } = params;
    const filtersNow = JSON.stringify([rest, by]);
    if (filtersNow !== shownFor) {
      const tests = filters(params);
      const kept = all.filter((finding) => Object.values(tests).every((test) => test(finding)));
      ordered = group(kept, by).flatMap((item) => item.findings);
      severities.show(params.severity, totals(all, tests, 'severity'));
      categories.show(params.category, totals(all, tests, 'category'));
      certainties.show(params.certainty, totals(all, tests, 'certainty'));
      const found = ordered.reduce((sum, finding) => sum + finding.count, 0);
      const whole = all.reduce((sum, finding) => sum + finding.count, 0);
      status.textContent = `${plural(found, 'finding')}${found === whole ? '' : ` of ${count(whole)}`}`;
    }
    const chosenIndex = f ? ordered.findIndex((finding) => finding.key === f) : -1;
    const pages = Math.max(1, Math.ceil(ordered.length / PAGE));
    let page = Math.min(Math.max(1, Number(p) || 1), pages);
    if (chosenIndex >= 0) page = Math.floor(chosenIndex / PAGE) + 1;
    const drawnFor = JSON.stringify([filtersNow, page, printing]);
    if (drawnFor !== list.dataset.drawn) {
      list.dataset.drawn = drawnFor;
      draw(by, printing ? 0 : (page - 1) * PAGE, printing ? PRINTED : page * PAGE, page);
    }
    shownFor = filtersNow;
    for (const [key, item] of shown) item.show(printing || Boolean(every) || key === f);
    for (const item of shown.values()) item.element.removeAttribute('aria-current');
    if (f) shown.get(f)?.element.setAttribute('aria-current', 'true');
    if (f && f !== scrolledTo && !printing) {
      scrolledTo = f;
      const element = shown.get(f)?.element;
      element?.scrollIntoView({ block: 'nearest' });
    }
    if (!f) scrolledTo = '';
  };

  const step = (by: 1 | -1) => {
    if (!ordered.length) return;
    const at = ordered.findIndex((finding) => finding.key === state().params.f);
    const page = Math.max(1, Number(state().params.p) || 1);
    const to = at < 0 ? (by > 0 ? (page - 1) * PAGE : ordered.length - 1) : at + by;
    const finding = ordered[Math.min(ordered.length - 1, Math.max(0, to))];
    change({ f: finding.key, p: '' });
    const head = shown.get(finding.key)?.element.querySelector('button');
    head?.focus({ preventScroll: true });
  };

  const files = unique((f) => f.file);
  const element = h(
    'div',
    null,
    h('datalist', { id: filesId }, files.slice(0, FILE_HINTS).map((name) => h('option', { value: name }))),
    h('div', { class: 'filters', role: 'search', 'aria-label': 'Filter findings' }, [
      h('div', { class: 'filter-row' }, search.element, file.element, ruleSelect.element),
      h('div', { class: 'filter-row' }, severities.element, certainties.element),
      categories.element,
    ]),
    h('div', { class: 'status-row' }, status, clear, h('span', { class: 'spring' }), grouping.element, showAll),
    list,
  );
  return {
    element,
    update,
    search: search.box,
    step,
    toggle() {
      const { f } = state().params;
      if (f) change({ f: '' });
    },
    printed(on) {
      printing = on;
      update(state().view === 'findings' ? state().params : {});
    },
  };
}

export const findings: Section = {
  id: 'findings',
  title: 'Findings',
  short: 'Findings',
  icon: 'list',
  badge(report) {
    const { error, warning, note } = report.summary.findings;
    const all = error + warning + note;
    return { text: short(all), label: plural(all, 'finding'), style: error ? 'alert' : '' };
  },
  create,
};
