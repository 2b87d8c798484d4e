// The first page: what this is about, the verdict, and where to look.
import { fill, h, maybeLink } from '../dom';
import { bytes, count, percent, plural, range, short } from '../format';
import { icon } from '../icons';
import { byRule, listedSites, sumsByFile, verdict, type FileSums } from '../program';
import { SUPPORT_SHOWN, type Report } from '../report';
import { address, change } from '../state';
import { folder, SIZES, tree, treemap, type Node, type Shown, type Size } from '../treemap';
import { SEVERITY, SUPPORT, classLabel } from '../vocabulary';
import type { Section, View } from '../view';
import { bar, card, cell, code, findingsLink, paged, path, severityBadge, shares, supportBadge, switcher } from '../widgets';
import { gauge } from './expected';

function hero(report: Report): HTMLElement {
  const said = verdict(report);
  const expected = report.expected.range;
  return h(
    'div',
    { class: `hero hero-${said.style}` },
    h(
      'div',
      { class: 'hero-main' },
      h('p', { class: 'hero-target' }, path(report.targets.join(', ') || '(no target)')),
      h('p', { class: 'verdict' }, h('span', { class: 'verdict-icon' }, icon(said.icon)), h('span', null, said.title)),
      h('p', { class: 'hero-text' }, said.text),
      h('ul', { class: 'hero-facts' }, [
        report.soc && h('li', null, h('span', null, 'Chip'), report.soc),
        report.torch && h('li', null, h('span', null, 'PyTorch'), report.torch),
        report.baseline && h('li', null, h('span', null, 'Compared with'), report.baseline),
      ]),
    ),
    expected &&
      h(
        'a',
        { class: 'hero-range', href: address('expected') },
        h('span', { class: 'hero-range-label' }, 'Expected speed'),
        h('strong', null, range(expected.low, expected.high)),
        h('span', { class: 'hero-range-label' }, report.baseline ? `of ${report.baseline}` : 'of the baseline'),
        gauge(expected.low, expected.high),
      ),
  );
}

function tile(label: string, value: string, detail: string, href: string, style = ''): HTMLElement {
  return h('a', { class: `tile ${style}`, href }, h('span', { class: 'tile-label' }, label), h('strong', null, value), h('span', { class: 'tile-detail' }, detail));
}

function tiles(report: Report): HTMLElement {
  const { summary, files } = report;
  const onDevice = summary.support.native + summary.support.limited + summary.support.decomposed;
  const off = summary.support.fallback + summary.support.refused;
  const { error, warning, note } = summary.findings;
  const parameters = report.operators.reduce((sum, operator) => sum + (operator.parameters ?? 0), 0);
  const shown = parameters ? ` · ${short(parameters)} parameters known` : '';
  return h(
    'div',
    { class: 'tiles' },
    tile('Operator sites', count(summary.sites), `${plural(summary.operators, 'operator')}${shown}`, address('operators')),
    tile('Stay on the NPU', summary.sites ? percent(onDevice, summary.sites) : '–', `${count(onDevice)} sites, limited ones included`, address('support')),
    tile(
      'Leave it or fail',
      count(off),
      `${count(summary.support.fallback)} on the CPU, ${count(summary.support.refused)} refused`,
      address('operators', { support: 'fallback,refused' }),
      off ? 'alert' : '',
    ),
    tile('Findings', count(error + warning + note), `${plural(error, 'error')}, ${plural(warning, 'warning')}, ${plural(note, 'note')}`, address('findings')),
    tile(
      'Files read',
      count(files.scanned),
      [files.bytes !== undefined && bytes(files.bytes), `${count(files.skipped.length)} skipped`, plural(files.notes.length, 'note')]
        .filter(Boolean)
        .join(' · '),
      address('files'),
    ),
  );
}

function fileTable(files: FileSums[], size: Size): HTMLElement {
  const sorted = [...files].sort((a, b) => b[size] - a[size] || (a.file < b.file ? -1 : 1));
  return paged('files', sorted, 20, (rows) =>
    h(
      'table',
      { class: 'data' },
      h(
        'thead',
        null,
        h('tr', null, h('th', { scope: 'col' }, 'File'), [
          ...SIZES.map(([, label]) => h('th', { scope: 'col', class: 'right' }, label)),
          h('th', { scope: 'col' }, 'Worst support'),
          h('th', { scope: 'col' }, 'Worst finding'),
        ]),
      ),
      h(
        'tbody',
        null,
        rows.map((row) =>
          h(
            'tr',
            null,
            h('th', { scope: 'row' }, h('a', { href: address('findings', { file: row.file }) }, h('code', null, path(row.file)))),
            cell('Operator sites', count(row.sites), 'right'),
            cell('Parameters', row.parameters > 0 && short(row.parameters), 'right'),
            cell('FLOPs', row.flops > 0 && short(row.flops), 'right'),
            cell('Worst support', row.support && supportBadge(row.support)),
            cell('Worst finding', row.severity && severityBadge(row.severity)),
          ),
        ),
      ),
    ),
  );
}

function fileDetail(sums: FileSums | undefined): HTMLElement | null {
  if (!sums) return null;
  const problems = [...sums.bySeverity.values()].reduce((a, b) => a + b, 0);
  return h(
    'div',
    { class: 'file-detail' },
    h('code', null, path(sums.file)),
    h('span', null, plural(sums.sites, 'operator site')),
    sums.support && supportBadge(sums.support),
    sums.severity && severityBadge(sums.severity),
    problems > 0 && findingsLink({ file: sums.file }, plural(problems, 'finding')),
    sums.sites > 0 && h('a', { class: 'go', href: address('operators', { file: sums.file }) }, 'Operators', icon('chevron')),
  );
}

function shadeLegend(shade: Shown['shade']): HTMLElement {
  const words = shade === 'support' ? SUPPORT_SHOWN.map((name) => [name, SUPPORT[name]] as const) : Object.entries(SEVERITY);
  return h(
    'ul',
    { class: 'legend small' },
    words.map(([name, word]) => h('li', null, h('span', null, h('span', { class: `swatch tile-${name}` }, icon(word.icon)), word.label))),
    shade === 'severity' && h('li', null, h('span', null, h('span', { class: 'swatch tile-none' }), 'No finding')),
  );
}

// The folders above the one that is drawn, each a way back.
function folderTrail(path: string, params: Record<string, string>): HTMLElement[] {
  const parts = path.split('/').filter(Boolean);
  const to = (depth: number) => address('overview', { ...params, file: '', in: depth ? `${parts.slice(0, depth).join('/')}/` : '' });
  const steps = ['All files', ...parts.map((name) => `${name}/`)];
  return steps.map((name, depth) =>
    depth === parts.length
      ? h('span', { 'aria-current': 'true' }, name)
      : h('a', { href: to(depth) }, name),
  );
}

function map(report: Report): { element: HTMLElement; update(params: Record<string, string>): void } {
  const files = sumsByFile(report);
  const all = [...files.values()];
  const has = (size: Size) => all.some((sums) => sums[size] > 0);
  const trees = new Map<Size, Node>();
  const now: Shown = { size: 'sites', shade: 'support', root: tree([], 'sites') };
  const sizes = SIZES.filter(([size]) => size === 'sites' || has(size));
  const sizeSwitch = switcher('Size', sizes, (size) => change({ size: size === 'sites' ? '' : size }));
  const shadeSwitch = switcher('Colour', [['support', 'Worst support'], ['severity', 'Worst finding']], (shade) =>
    change({ colour: shade === 'support' ? '' : shade }),
  );
  const pick = (node: Node) => (node.children ? change({ in: node.path, file: '' }) : change({ file: node.path }));
  const drawn = treemap(files.size, () => now, pick);
  const trail = h('nav', { class: 'trail', 'aria-label': 'Folder shown' });
  const detail = h('div', { 'aria-live': 'polite' });
  const legend = h('div');
  const table = h('div');
  const listed = listedSites(report.operators);
  const element = card(
    'Where compute and problems sit',
    h('div', { class: 'controls' }, sizes.length > 1 && sizeSwitch.element, shadeSwitch.element),
    legend,
    trail,
    drawn.element,
    detail,
    listed < report.summary.sites &&
      h('p', { class: 'faint small-print' }, `Drawn from the ${count(listed)} sites listed, of ${count(report.summary.sites)} counted.`),
    h('details', null, h('summary', null, `The same as a table (${plural(all.length, 'file')})`), table),
  );
  let drawnFor = '';
  return {
    element,
    update(params) {
      now.size = sizes.some(([size]) => size === params.size) ? (params.size as Size) : 'sites';
      now.shade = params.colour === 'severity' ? 'severity' : 'support';
      sizeSwitch.show(now.size);
      shadeSwitch.show(now.shade);
      fill(detail, fileDetail(params.file ? files.get(params.file) : undefined));
      const wanted = JSON.stringify([now.size, now.shade, params.in]);
      if (wanted === drawnFor) return;
      drawnFor = wanted;
      if (!trees.has(now.size)) trees.set(now.size, tree(all, now.size));
      now.root = folder(trees.get(now.size) as Node, params.in ?? '');
      fill(trail, folderTrail(now.root.path, params));
      fill(legend, shadeLegend(now.shade));
      fill(table, fileTable(all, now.size));
      drawn.draw();
    },
  };
}

function start(report: Report): HTMLElement {
  const { priorities } = report.expected;
  const rules = byRule(report.findings);
  if (!priorities.length && !rules.length) return card('Start here', h('p', { class: 'faint' }, 'Nothing to do.'));
  const rows = priorities.length
    ? priorities.slice(0, 5).map((item) => ({ rule: item.rule, title: item.title, text: item.reason, count: item.count }))
    : rules.slice(0, 5).map((group) => ({ rule: group.rule, title: group.title, text: group.advice, count: group.count }));
  return card(
    'Start here',
    h(
      'ol',
      { class: 'ranked' },
      rows.map((row) =>
        h(
          'li',
          null,
          h('strong', null, row.title || row.rule),
          row.text && h('p', null, maybeLink(row.text)),
          row.rule && findingsLink({ rule: row.rule }, code(row.rule), row.count !== undefined && ` · ${plural(row.count, 'place')}`),
        ),
      ),
    ),
  );
}

function classes(report: Report): HTMLElement {
  const sums = new Map<string, { sites: number; parameters: number }>();
  for (const operator of report.operators) {
    const row = sums.get(operator.class) ?? { sites: 0, parameters: 0 };
    row.sites += operator.count;
    row.parameters += operator.parameters ?? 0;
    sums.set(operator.class, row);
  }
  const rows = [...sums].sort((a, b) => b[1].sites - a[1].sites);
  const most = rows.length ? rows[0][1].sites : 1;
  return card(
    'Operator classes',
    rows.length === 0 && h('p', { class: 'faint' }, 'No operators.'),
    h(
      'ul',
      { class: 'bars' },
      rows.map(([name, row]) =>
        h(
          'li',
          null,
          h(
            'a',
            { href: address('operators', { class: name }) },
            h('span', { class: 'bars-label' }, classLabel(name)),
            bar(row.sites / most),
            h('span', { class: 'bars-value' }, count(row.sites)),
          ),
        ),
      ),
    ),
  );
}

export const overview: Section = {
  id: 'overview',
  title: 'Overview',
  short: 'Overview',
  icon: 'home',
  create(report): View {
    const where = map(report);
    const { support } = report.summary;
    const element = h(
      'div',
      { class: 'stack' },
      hero(report),
      tiles(report),
      report.summary.sites > 0 &&
        card(
          'Operator support',
          shares(
            'Operator sites by support',
            SUPPORT_SHOWN.map((name) => ({
              label: SUPPORT[name].label,
              value: support[name],
              style: `tile-${name}`,
              icon: SUPPORT[name].icon,
              href: address('operators', { support: name }),
              title: SUPPORT[name].text,
            })),
          ),
        ),
      (report.operators.length > 0 || report.findings.length > 0) && where.element,
      h('div', { class: 'columns' }, start(report), classes(report)),
    );
    return { element, update: where.update };
  },
};
