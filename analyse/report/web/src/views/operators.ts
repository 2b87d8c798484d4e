// Computation-intensive operators: one row each, opened to its places.
import { fill, h, maybeLink, uniqueId, type Child } from '../dom';
import { count, plural, short } from '../format';
import { icon } from '../icons';
import { inFile } from '../program';
import { SUPPORTS, SUPPORT_SHOWN, type Location, type Operator, type Report } from '../report';
import { address, change, chosen, state, toggled } from '../state';
import { SUPPORT, categoryLabel, classLabel } from '../vocabulary';
import type { Section, View } from '../view';
import {
  bar,
  cell,
  certaintyMark,
  code,
  definition,
  empty,
  pager,
  paged,
  placeCode,
  select,
  supportBadge,
  textField,
  toggles,
} from '../widgets';

const PAGE = 50;
const PLACES = 25;

type Order = 'weight' | 'name' | 'class' | 'support' | 'count' | 'parameters' | 'flops';

const COLUMNS: { order: Order; label: string; right: boolean }[] = [
  { order: 'name', label: 'Operator', right: false },
  { order: 'class', label: 'Class', right: false },
  { order: 'support', label: 'Support', right: false },
  { order: 'count', label: 'Sites', right: true },
  { order: 'parameters', label: 'Parameters', right: true },
  { order: 'flops', label: 'FLOPs', right: true },
];

interface Row {
  operator: Operator;
  locations: Location[]; // those in the chosen file
  sites: number;
}

// Classes that hold nearly all the arithmetic of a model, and those that come next.
const HEAVY = ['matmul', 'convolution', 'attention', 'recurrent'];
const MIDDLE = ['embedding', 'normalisation', 'activation', 'loss', 'reduction', 'optimiser', 'pooling', 'collective'];

function tier(operator: Operator): number {
  return HEAVY.includes(operator.class) ? 0 : MIDDLE.includes(operator.class) ? 1 : 2;
}

const compare: Record<Order, (a: Row, b: Row) => number> = {
  weight: (a, b) => tier(a.operator) - tier(b.operator) || (b.operator.flops ?? 0) - (a.operator.flops ?? 0),
  name: (a, b) => (a.operator.name < b.operator.name ? -1 : 1),
  class: (a, b) => classLabel(a.operator.class).localeCompare(classLabel(b.operator.class), 'en'),
  support: (a, b) => SUPPORTS.indexOf(a.operator.support) - SUPPORTS.indexOf(b.operator.support),
  count: (a, b) => b.sites - a.sites,
  parameters: (a, b) => (b.operator.parameters ?? -1) - (a.operator.parameters ?? -1),
  flops: (a, b) => (b.operator.flops ?? -1) - (a.operator.flops ?? -1),
};

export function operatorFacts(operator: Operator): HTMLElement | null {
  const codes = (names: string[]): Child => names.length > 0 && names.map((name, index) => [index > 0 && ', ', code(name)]);
  return definition([
    ['Limits', operator.limits && maybeLink(operator.limits)],
    ['Why', operator.reason && maybeLink(operator.reason)],
    ['Workaround', operator.workaround && maybeLink(operator.workaround)],
    ['aclnn kernels', codes(operator.kernels)],
    ['Read from', codes(operator.overloads)],
    ['Source', operator.source && maybeLink(operator.source)],
  ]);
}

function flops(of: { flops?: number; per: string }): Child {
  return of.flops !== undefined && [short(of.flops), of.per && h('span', { class: 'faint' }, ` / ${of.per}`)];
}

function places(locations: Location[]): HTMLElement {
  const sized = locations.some((place) => place.parameters !== undefined || place.flops !== undefined);
  return paged('places', locations, PLACES, (rows) =>
    h(
      'table',
      { class: 'data inner' },
      h(
        'thead',
        null,
        h('tr', null, [
          h('th', { scope: 'col' }, 'Place'),
          h('th', { scope: 'col' }, 'Function'),
          h('th', { scope: 'col' }, 'How sure'),
          sized && h('th', { scope: 'col', class: 'right' }, 'Parameters'),
          sized && h('th', { scope: 'col', class: 'right' }, 'FLOPs'),
        ]),
      ),
      h(
        'tbody',
        null,
        rows.map((place) =>
          h(
            'tr',
            null,
            h('td', null, placeCode(place)),
            cell('Function', place.function && code(place.function)),
            cell('How sure', certaintyMark(place.certainty)),
            sized && cell('Parameters', place.parameters !== undefined && short(place.parameters), 'right'),
            sized && cell('FLOPs', flops(place), 'right'),
          ),
        ),
      ),
    ),
  );
}

function detail(row: Row): HTMLElement {
  const { operator, locations } = row;
  const hidden = operator.count - operator.locations.length;
  return h(
    'div',
    { class: 'detail' },
    h('p', { class: 'faint' }, SUPPORT[operator.support].text),
    operatorFacts(operator),
    locations.length > 0 && places(locations),
    hidden > 0 &&
      h('p', { class: 'faint' }, `${plural(hidden, 'more place')} counted but not listed (raise --max-locations to list more).`),
    h('p', null, h('a', { class: 'go', href: address('findings', { q: operator.name }) }, 'Findings about this operator', icon('chevron'))),
  );
}

function matches(row: Operator, params: Record<string, string>, without = ''): boolean {
  const query = (params.q ?? '').toLowerCase();
  if (query && ![row.name, ...row.kernels, ...row.overloads].some((name) => name.toLowerCase().includes(query))) return false;
  const supports = chosen(params.support);
  if (without !== 'support' && supports.size && !supports.has(row.support)) return false;
  if (params.class && row.class !== params.class) return false;
  if (params.category && row.category !== params.category) return false;
  return true;
}

function create(report: Report): View {
  const operators = report.operators;
  const classes = [...new Set(operators.map((operator) => operator.class))].sort();
  const categories = [...new Set(operators.map((operator) => operator.category).filter((name) => name))].sort();
  const search = textField('Search', { hint: 'name, aclnn kernel, aten overload' }, (q) => change({ q, p: '' }));
  const file = textField('File', { hint: 'path or folder/' }, (value) => change({ file: value, p: '' }));
  const supports = toggles(
    'Support',
    SUPPORT_SHOWN.map((value) => ({ value, label: SUPPORT[value].label, icon: SUPPORT[value].icon, style: `support-${value}`, total: 0 })),
    (value) => change({ support: toggled(state().params.support, value), p: '' }),
  );
  const classSelect = select('Class', [['', 'All classes'], ...classes.map((name): [string, string] => [name, classLabel(name)])], (value) =>
    change({ class: value, p: '' }),
  );
  const categorySelect = select(
    'Category',
    [['', 'All categories'], ...categories.map((name): [string, string] => [name, categoryLabel(name)])],
    (value) => change({ category: value, p: '' }),
  );
  const status = h('p', { class: 'status', role: 'status' });
  const body = h('div');
  const openRows = new Set<string>();
  const mostSites = Math.max(1, ...operators.map((operator) => operator.count));

  const heads = COLUMNS.map((column) => {
    const button = h('button', { type: 'button', class: 'sort' }, column.label, icon('chevron'));
    button.addEventListener('click', () => {
      const { sort, down } = state().params;
      const again = sort === column.order;
      // A third press goes back to the heaviest first.
      change({ sort: again && down ? '' : column.order, down: again && !down ? '1' : '', p: '' });
    });
    return { column, cell: h('th', { scope: 'col', class: column.right ? 'right' : '' }, button) };
  });

  const rowNodes = (row: Row): HTMLElement[] => {
    const { operator } = row;
    const id = uniqueId('places');
    const more = h('tr', { class: 'more', id, hidden: true }, h('td', { colspan: COLUMNS.length }));
    const button = h('button', { type: 'button', class: 'opener', 'aria-controls': id }, icon('chevron'), h('code', null, operator.name.split('.').flatMap((part, i): Child[] => (i ? [h('wbr'), `.${part}`] : [part]))));
    const show = (open: boolean) => {
      button.setAttribute('aria-expanded', String(open));
      more.hidden = !open;
      const cell = more.firstElementChild as HTMLElement;
      if (open && !cell.firstChild) cell.append(detail(row));
    };
    button.addEventListener('click', () => {
      if (!openRows.delete(operator.name)) openRows.add(operator.name);
      show(openRows.has(operator.name));
    });
    show(openRows.has(operator.name));
    return [
      h(
        'tr',
        null,
        h('th', { scope: 'row' }, button),
        cell('Class', classLabel(operator.class)),
        cell('Support', supportBadge(operator.support)),
        cell('Sites', h('span', { class: 'with-bar' }, bar(row.sites / mostSites), count(row.sites)), 'right'),
        cell('Parameters', operator.parameters !== undefined && short(operator.parameters), 'right'),
        cell('FLOPs', flops(operator), 'right'),
      ),
      more,
    ];
  };

  const update = (params: Record<string, string>) => {
    search.show(params.q);
    file.show(params.file);
    classSelect.show(params.class);
    categorySelect.show(params.category);
    const totals = new Map<string, number>();
    const rows: Row[] = [];
    for (const operator of operators) {
      const locations = params.file ? operator.locations.filter((place) => inFile(place.file, params.file)) : operator.locations;
      if (params.file && !locations.length) continue;
      const sites = params.file ? locations.length : operator.count;
      if (matches(operator, params, 'support')) totals.set(operator.support, (totals.get(operator.support) ?? 0) + 1);
      if (matches(operator, params)) rows.push({ operator, locations, sites });
    }
    supports.show(params.support, totals);
    clear.hidden = !['q', 'file', 'support', 'class', 'category'].some((name) => params[name]);
    const order: Order = COLUMNS.some((column) => column.order === params.sort) ? (params.sort as Order) : 'weight';
    const sign = params.down ? -1 : 1;
    rows.sort((a, b) => sign * compare[order](a, b) || compare.count(a, b) || compare.name(a, b));
    for (const { column, cell } of heads) {
      const ascending = ['name', 'class', 'support'].includes(column.order) === !params.down;
      if (column.order === order) cell.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
      else cell.removeAttribute('aria-sort');
    }
    const sites = rows.reduce((sum, row) => sum + row.sites, 0);
    status.textContent = `${plural(rows.length, 'operator')} of ${count(operators.length)}, ${plural(sites, 'site')}${order === 'weight' && rows.length > 1 ? ', heaviest first' : ''}`;
    const page = Math.min(Math.max(1, Number(params.p) || 1), Math.max(1, Math.ceil(rows.length / PAGE)));
    if (params.op) openRows.add(params.op);
    fill(
      body,
      rows.length
        ? h(
            'table',
            { class: 'data operators' },
            h('caption', { class: 'reader' }, 'Operators'),
            h('thead', null, h('tr', null, heads.map((head) => head.cell))),
            h('tbody', null, rows.slice((page - 1) * PAGE, page * PAGE).flatMap(rowNodes)),
          )
        : empty(operators.length ? 'No operator matches.' : 'No operators found.', operators.length ? 'Loosen or clear the filters.' : ''),
      pager('operators', rows.length, page, PAGE, (p) => change({ p: p > 1 ? String(p) : '' })),
    );
  };

  const clear = h('button', { type: 'button', class: 'quiet' }, 'Clear filters');
  clear.addEventListener('click', () => change({ q: '', file: '', support: '', class: '', category: '', p: '' }));
  const element = h(
    'div',
    null,
    h('div', { class: 'filters', role: 'search', 'aria-label': 'Filter operators' }, [
      h('div', { class: 'filter-row' }, search.element, file.element, classSelect.element, categories.length > 1 && categorySelect.element),
      supports.element,
    ]),
    h('div', { class: 'status-row' }, status, clear),
    body,
  );
  return { element, update, search: search.box };
}

export const operators: Section = {
  id: 'operators',
  title: 'Computation-Intensive Operators',
  short: 'Operators',
  icon: 'grid',
  badge: (report) => ({ text: count(report.summary.operators), label: plural(report.summary.operators, 'operator') }),
  create,
};
