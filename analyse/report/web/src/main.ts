// The page: reads the report from its own file, builds the frame, and shows the section that the address names.
import { drawCharts } from './charts';
import { h } from './dom';
import { plural } from './format';
import { icon } from './icons';
import { startKeys, type Key } from './keys';
import { load, type Report } from './report';
import { address, lastParams, onChange, open, start, state } from './state';
import { onPaper, startTheme, themeButton, toggleTheme } from './theme';
import type { Section, View } from './view';
import { expected } from './views/expected';
import { files } from './views/files';
import { findings } from './views/findings';
import { operators } from './views/operators';
import { overview } from './views/overview';
import { profiling } from './views/profiling';
import { recommendations } from './views/recommendations';
import { support } from './views/support';

const SCHEMA = 1; // the newest that this page knows
const SECTIONS: Section[] = [overview, operators, support, recommendations, findings, profiling, expected, files];

// The policy in the page's head lets no string become HTML; this one excepts the empty string.
function guardHtml(): void {
  const types = (window as any).trustedTypes;
  types?.createPolicy('default', { createHTML: (text: string) => (text === '' ? '' : null) });
}

function read(): Report {
  const text = document.getElementById('report')?.textContent?.trim() ?? '';
  if (!text) throw new Error('This page holds no report.');
  return load(JSON.parse(text));
}

function banners(report: Report): HTMLElement[] {
  const out: HTMLElement[] = [];
  const banner = (style: string, title: string, text: string) =>
    out.push(h('div', { class: `banner ${style}`, role: 'note' }, icon('warning'), h('p', null, h('strong', null, title), ' ', text)));
  if (report.partial) {
    banner('warn', 'Partial report.', `The run was interrupted after ${plural(report.files.scanned, 'file')}: counts are too low, and missing findings prove nothing.`);
  }
  if (report.schema > SCHEMA) {
    banner('warn', 'Newer report.', `It has schema ${report.schema}; this page knows ${SCHEMA} and may leave things out.`);
  }
  return out;
}

interface Frame {
  main: HTMLElement;
  nav: HTMLElement;
  links: Map<string, HTMLAnchorElement>;
  element: HTMLElement[];
  help: HTMLElement;
}

function frame(report: Report): Frame {
  const links = new Map<string, HTMLAnchorElement>();
  const nav = h('nav', { class: 'sections', 'aria-label': 'Sections' });
  const items = SECTIONS.map((section, index) => {
    const badge = section.badge?.(report);
    const link = h(
      'a',
      { href: address(section.id), title: `${section.title} (${index + 1})` },
      icon(section.icon),
      h('span', { class: 'nav-label' }, section.short),
      badge && h('span', { class: `total ${badge.style ?? ''}`, 'aria-label': badge.label, role: 'img' }, badge.text),
    );
    links.set(section.id, link);
    return h('li', null, link);
  });
  nav.append(h('ul', null, items));
  const help = h('button', { type: 'button', class: 'quiet', title: 'Keys (?)', 'aria-label': 'Keys' }, icon('keys'));
  const print = h('button', { type: 'button', class: 'quiet', title: 'Print', 'aria-label': 'Print' }, icon('print'));
  print.addEventListener('click', () => window.print());
  const main = h('main', { id: 'main', tabindex: -1 });
  const skip = h('a', { class: 'skip', href: '#main' }, 'Skip to the report');
  skip.addEventListener('click', (event) => {
    event.preventDefault(); // the address belongs to the sections
    main.focus();
  });
  const about = [report.soc, report.torch && `PyTorch ${report.torch}`].filter(Boolean).join(' · ');
  const header = h(
    'header',
    { class: 'top' },
    h('a', { class: 'brand', href: address('overview'), 'aria-label': 'Foothold, overview' }, icon('foothold'), h('span', null, 'Foothold')),
    h('h1', { class: 'top-target', title: report.target }, report.target || 'Report'),
    h('p', { class: 'top-about' }, about),
    h('div', { class: 'top-tools' }, print, help, themeButton()),
  );
  const version = `${report.tool.name} ${report.tool.version}`.trim();
  const footer = h('footer', null, h('p', null, `Read from source by ${version}; nothing was run. Verdicts are as good as their sources; measure before you decide.`));
  return { main, nav, links, help, element: [skip, header, h('div', { class: 'frame' }, nav, h('div', { class: 'body' }, main, footer))] };
}

function run(report: Report, app: HTMLElement): void {
  const { main, nav, links, help, element } = frame(report);
  const views = new Map<string, { view: View; box: HTMLElement }>();
  app.replaceChildren(...element);
  main.append(...banners(report));
  document.title = `${report.target || 'Report'} – Foothold`;

  const make = (section: Section) => {
    let made = views.get(section.id);
    if (!made) {
      const view = section.create(report);
      const title = `title-${section.id}`;
      const box = h('section', { class: 'view', id: `view-${section.id}`, 'aria-labelledby': title }, h('h2', { id: title }, section.title), view.element);
      box.hidden = true;
      made = { view, box };
      views.set(section.id, made);
      const order = SECTIONS.map((item) => item.id);
      const after = [...main.querySelectorAll(':scope > .view')].find((other) => order.indexOf(other.id.slice(5)) > order.indexOf(section.id));
      main.insertBefore(box, after ?? null);
    }
    return made;
  };

  let shown = '';
  onChange(({ view: id, params }) => {
    const section = SECTIONS.find((item) => item.id === id) as Section;
    const { view } = make(section);
    for (const [name, { box }] of views) box.hidden = name !== id;
    for (const [name, link] of links) {
      if (name === id) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
      link.href = address(name, lastParams(name));
    }
    if (shown !== id) window.scrollTo(0, 0);
    view.update?.(params);
    if (shown !== id) {
      const link = links.get(id) as HTMLElement; // on a phone the sections scroll sideways
      nav.scrollLeft = link.offsetLeft + link.offsetWidth / 2 - nav.clientWidth / 2;
    }
    shown = id;
  });

  const current = () => make(SECTIONS.find((item) => item.id === state().view) as Section).view;
  const inFindings = (act: (view: View) => void) => {
    if (state().view !== 'findings') open('findings', lastParams('findings'));
    act(current());
  };
  const keys: Key[] = [
    ...SECTIONS.map((section, index) => ({
      keys: [String(index + 1)],
      text: section.title,
      run: () => open(section.id, lastParams(section.id)),
    })),
    {
      keys: ['/'],
      text: 'Search in this section',
      run: () => {
        if (current().search) current().search?.focus();
        else inFindings((view) => view.search?.focus());
      },
    },
    { keys: ['j'], text: 'Next finding', run: () => inFindings((view) => view.step?.(1)) },
    { keys: ['k'], text: 'Previous finding', run: () => inFindings((view) => view.step?.(-1)) },
    { keys: ['o'], text: 'Close the open finding', run: () => current().toggle?.() },
    { keys: ['t'], text: 'Light or dark', run: toggleTheme },
  ];
  const more: [string, string][] = [['Esc', 'Leave a field']];
  help.addEventListener('click', startKeys(keys, more));

  // Paper gets every section.
  window.addEventListener('beforeprint', () => {
    for (const section of SECTIONS) {
      const { view, box } = make(section);
      box.hidden = false;
      if (section.id !== state().view && !view.printed) view.update?.({});
      view.printed?.(true);
    }
    onPaper(true);
    drawCharts();
  });
  window.addEventListener('afterprint', () => {
    for (const [id, { view, box }] of views) {
      box.hidden = id !== state().view;
      view.printed?.(false);
    }
    onPaper(false);
  });

  start(SECTIONS.map((section) => section.id));
}

function fail(app: HTMLElement, error: unknown): void {
  app.replaceChildren(
    h('main', { class: 'failed' }, h('h1', null, 'This report cannot be shown'), h('p', null, error instanceof Error ? error.message : String(error)), h('p', null, 'The file may be damaged or cut short. Make it again with: foothold analyze PATH --format html -o report.html')),
  );
}

const app = document.getElementById('app') as HTMLElement;
guardHtml();
startTheme();
try {
  run(read(), app);
} catch (error) {
  fail(app, error);
}
