// Files: what was read, what was left out and why.
import { fill, h } from '../dom';
import { bytes, count, plural } from '../format';
import type { Report } from '../report';
import { change } from '../state';
import type { Section, View } from '../view';
import { bar, card, cell, definition, empty, paged, placeCode, textField } from '../widgets';

const PAGE = 50;

interface Line {
  path: string;
  line?: number;
  text: string;
}

function lines(what: string, label: string, rows: Line[]): HTMLElement {
  return paged(what, rows, PAGE, (shown) =>
    h(
      'table',
      { class: 'data' },
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'File'), h('th', { scope: 'col' }, label))),
      h(
        'tbody',
        null,
        shown.map((row) =>
          h('tr', null, h('th', { scope: 'row' }, placeCode({ file: row.path, line: row.line })), cell(label, row.text)),
        ),
      ),
    ),
  );
}

function save(report: string): void {
  const url = URL.createObjectURL(new Blob([report], { type: 'application/json' }));
  const link = h('a', { href: url, download: 'foothold-report.json' });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export const files: Section = {
  id: 'files',
  title: 'Files',
  short: 'Files',
  icon: 'file',
  badge(report) {
    const left = report.files.skipped.length;
    return left ? { text: count(left), label: plural(left, 'skipped file') } : null;
  },
  create(report: Report): View {
    const { files: from } = report;
    const most = Math.max(1, ...from.kinds.map(([, number]) => number));
    const skipped: Line[] = from.skipped.map((item) => ({ path: item.path, text: item.reason }));
    const notes: Line[] = from.notes.map((item) => ({ path: item.path, line: item.line, text: item.message }));
    const search = textField('Search', { hint: 'path or reason' }, (q) => change({ q }));
    const below = h('div', { class: 'stack' });
    const button = h('button', { type: 'button' }, 'Save the report as JSON');
    button.addEventListener('click', () => save(document.getElementById('report')?.textContent ?? ''));
    const element = h(
      'div',
      { class: 'stack' },
      card(
        'Read',
        definition([
          ['Target', report.targets.filter(Boolean).map((target) => h('code', { class: 'block' }, target))],
          ['Files', count(from.scanned)],
          ['Size', from.bytes !== undefined && bytes(from.bytes)],
          ['Skipped', count(skipped.length)],
          ['Tool', `${report.tool.name} ${report.tool.version}`.trim()],
          ['Schema', report.schema ? String(report.schema) : ''],
        ]),
        from.kinds.length > 0 &&
          h(
            'ul',
            { class: 'bars' },
            from.kinds.map(([kind, number]) =>
              h('li', null, h('span', null, h('span', { class: 'bars-label' }, kind), bar(number / most), h('span', { class: 'bars-value' }, count(number)))),
            ),
          ),
        h('div', { class: 'actions' }, button),
      ),
      (skipped.length > 0 || notes.length > 0) && h('div', { class: 'filters' }, h('div', { class: 'filter-row' }, search.element)),
      below,
    );
    const update = (params: Record<string, string>) => {
      search.show(params.q);
      const query = (params.q ?? '').toLowerCase();
      const keep = (row: Line) => `${row.path}\n${row.text}`.toLowerCase().includes(query);
      const left = skipped.filter(keep);
      const noted = notes.filter(keep);
      fill(
        below,
        skipped.length + notes.length === 0 && empty('Nothing was skipped, and nothing went wrong.'),
        skipped.length > 0 && card([`Skipped `, h('span', { class: 'total' }, count(left.length))], left.length ? lines('skipped files', 'Reason', left) : 'None matches.'),
        notes.length > 0 && card([`Notes `, h('span', { class: 'total' }, count(noted.length))], noted.length ? lines('notes', 'Note', noted) : 'None matches.'),
      );
    };
    return { element, update, search: search.box };
  },
};
