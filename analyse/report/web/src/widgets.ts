// Parts that several sections share: badges, filters, pagers, copy buttons, bars.
import { h, uniqueId, type Child, type Props } from './dom';
import { count, percent, where } from './format';
import { icon } from './icons';
import type { Place, Severity, Support } from './report';
import { address, chosen } from './state';
import { CERTAINTY, SEVERITY, SUPPORT } from './vocabulary';

export function supportBadge(support: Support): HTMLElement {
  const word = SUPPORT[support];
  return h('span', { class: `badge support-${support}`, title: word.text }, icon(word.icon), word.label);
}

export function severityBadge(severity: Severity): HTMLElement {
  const word = SEVERITY[severity];
  return h('span', { class: `badge severity-${severity}`, title: word.text }, icon(word.icon), word.label);
}

export function certaintyMark(certainty: string): HTMLElement | null {
  if (!certainty) return null;
  const level = Object.hasOwn(CERTAINTY, certainty) ? certainty : 'possible';
  return h(
    'span',
    { class: `certainty certainty-${level}`, title: CERTAINTY[level] },
    h('span', { class: 'dots', 'aria-hidden': 'true' }, h('i'), h('i'), h('i')),
    certainty,
  );
}

export function code(text: string): HTMLElement {
  return h('code', null, text);
}

// A path may be broken over lines after each slash.
export function path(text: string): Child[] {
  return text.split(/(?<=[/_.])/).flatMap((part, index): Child[] => (index ? [h('wbr'), part] : [part]));
}

export function placeCode(place: Place): HTMLElement {
  return h('code', { class: 'place' }, path(where(place)));
}

export function findingsLink(params: Record<string, string>, ...children: Child[]): HTMLElement {
  return h('a', { class: 'go', href: address('findings', params) }, ...children, icon('chevron'));
}

export function empty(title: string, text = ''): HTMLElement {
  return h('div', { class: 'empty' }, h('p', { class: 'empty-title' }, title), text && h('p', null, text));
}

export function card(title: Child, ...children: Child[]): HTMLElement {
  return h('section', { class: 'card' }, title && h('h3', null, title), ...children);
}

// A table cell; on a phone, where a row becomes a card, it carries its column's name, or is left out when blank.
export function cell(label: string, content: Child, style = ''): HTMLElement {
  const blank = content === undefined || content === null || content === '' || content === false;
  return h(
    'td',
    { class: `${style}${blank ? ' blank' : ''}`.trim(), 'data-label': label },
    h('span', { class: 'cell' }, blank ? '–' : content),
  );
}

export function definition(pairs: [string, Child][]): HTMLElement | null {
  const known = pairs.filter(([, value]) => value !== '' && value !== null && value !== undefined && value !== false);
  if (!known.length) return null;
  return h(
    'dl',
    { class: 'facts' },
    known.map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value))),
  );
}

// ---- copying ----

function copyThroughSelection(text: string): boolean {
  const box = h('textarea', { class: 'offscreen', 'aria-hidden': 'true', tabindex: -1 });
  box.value = text;
  document.body.append(box);
  const before = document.activeElement as HTMLElement | null;
  box.select();
  let done = false;
  try {
    done = document.execCommand('copy');
  } catch {
    done = false;
  }
  box.remove();
  before?.focus();
  return done;
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyThroughSelection(text); // no clipboard on this page: an old browser, or an address it does not trust
  }
}

export function copyButton(what: string, text: () => string, label = ''): HTMLElement {
  const word = h('span', { role: 'status', class: label ? '' : 'reader' }, label);
  const button = h('button', { type: 'button', class: 'quiet copy', title: what, 'aria-label': label ? null : what }, icon('copy'), word);
  button.addEventListener('click', async () => {
    const done = await copy(text());
    button.classList.toggle('done', done);
    word.textContent = done ? 'Copied' : 'Not copied';
    word.classList.remove('reader');
    setTimeout(() => {
      word.textContent = label;
      word.classList.toggle('reader', !label);
      button.classList.remove('done');
    }, 1500);
  });
  return button;
}

// ---- filters ----

export interface Choice {
  value: string;
  label: string;
  icon?: string;
  style?: string;
  total?: number;
}

// Buttons of which any number may be pressed; none pressed means all.
export function toggles(label: string, choices: Choice[], onToggle: (value: string) => void) {
  const buttons = new Map<string, { button: HTMLElement; total: HTMLElement }>();
  const element = h('div', { class: 'toggles', role: 'group', 'aria-label': label });
  for (const choice of choices) {
    const total = h('span', { class: 'total' }, choice.total === undefined ? '' : count(choice.total));
    const button = h(
      'button',
      { type: 'button', class: `toggle ${choice.style ?? ''}`, 'aria-pressed': 'false', 'data-value': choice.value },
      choice.icon && icon(choice.icon),
      choice.label,
      total,
    );
    button.addEventListener('click', () => onToggle(choice.value));
    buttons.set(choice.value, { button, total });
    element.append(button);
  }
  return {
    element,
    show(value: string | undefined, totals?: Map<string, number>) {
      const pressed = chosen(value);
      for (const [name, { button, total }] of buttons) {
        button.setAttribute('aria-pressed', String(pressed.has(name)));
        if (totals) {
          total.textContent = count(totals.get(name) ?? 0);
          button.classList.toggle('none', !totals.get(name));
        }
      }
    },
  };
}

// Buttons of which exactly one is pressed.
export function switcher(label: string, choices: [string, string][], onChoose: (value: string) => void) {
  const buttons = choices.map(([value, text]) => {
    const button = h('button', { type: 'button', 'aria-pressed': 'false' }, text);
    button.addEventListener('click', () => onChoose(value));
    return { value, button };
  });
  return {
    element: h(
      'div',
      { class: 'switcher' },
      h('span', { class: 'field-label', 'aria-hidden': 'true' }, label),
      h('div', { class: 'switch', role: 'group', 'aria-label': label }, buttons.map(({ button }) => button)),
    ),
    show(value: string) {
      for (const item of buttons) item.button.setAttribute('aria-pressed', String(item.value === value));
    },
  };
}

export function select(label: string, choices: [string, string][], onChoose: (value: string) => void) {
  const id = uniqueId('select');
  const box = h('select', { id }, choices.map(([value, text]) => h('option', { value }, text)));
  box.addEventListener('change', () => onChoose(box.value));
  return {
    element: h('span', { class: 'field' }, h('label', { for: id, class: 'field-label' }, label), box),
    show(value: string | undefined) {
      box.value = value ?? '';
      if (box.selectedIndex < 0) box.selectedIndex = 0;
    },
  };
}

export function textField(label: string, props: Props & { hint?: string }, onInput: (value: string) => void) {
  const id = uniqueId('text');
  const { hint, ...rest } = props;
  const box = h('input', {
    id,
    type: 'search',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: hint,
    ...rest,
  });
  let timer = 0; // runs while typed text is still to be sent
  const send = () => {
    timer = 0;
    onInput(box.value.trim());
  };
  box.addEventListener('input', () => {
    clearTimeout(timer);
    timer = window.setTimeout(send, 120); // a long list is filtered once the typing rests
  });
  return {
    box,
    element: h('span', { class: 'field grow' }, h('label', { for: id, class: 'field-label' }, label), box),
    show(value: string | undefined) {
      if (!timer && box.value.trim() !== (value ?? '')) box.value = value ?? '';
    },
  };
}

// ---- long lists ----

export function pager(what: string, total: number, page: number, size: number, onPage: (page: number) => void): Node {
  const pages = Math.max(1, Math.ceil(total / size));
  if (pages === 1) return document.createDocumentFragment();
  const step = (label: string, to: number, turned: string) => {
    const button = h('button', { type: 'button', 'aria-label': label, disabled: to < 1 || to > pages || to === page });
    button.append(icon('chevron', turned));
    button.addEventListener('click', () => onPage(to));
    return button;
  };
  const from = (page - 1) * size + 1;
  return h(
    'nav',
    { class: 'pager', 'aria-label': `Pages of ${what}` },
    step('Previous page', page - 1, 'back'),
    h(
      'span',
      null,
      `${count(from)}–${count(Math.min(total, page * size))} of ${count(total)}`,
      h('span', { class: 'faint' }, ` · page ${count(page)} of ${count(pages)}`),
    ),
    step('Next page', page + 1, ''),
  );
}

// A list that shows `size` items at a time and keeps its own page.
export function paged<T>(what: string, items: T[], size: number, show: (items: T[]) => Node): HTMLElement {
  const element = h('div', { class: 'paged' });
  const turn = (page: number) => {
    const bar = pager(what, items.length, page, size, turn);
    element.replaceChildren(show(items.slice((page - 1) * size, page * size)), bar);
  };
  turn(1);
  return element;
}

// ---- bars ----

export interface Part {
  label: string;
  value: number;
  style: string;
  icon: string;
  href?: string;
  title?: string;
}

// A bar cut into shares, with a legend that names each one.
export function shares(label: string, parts: Part[]): HTMLElement {
  const all = parts.reduce((sum, part) => sum + part.value, 0);
  const shown = parts.filter((part) => part.value > 0);
  const bar = h(
    'div',
    { class: 'shares', role: 'img', 'aria-label': `${label}: ${shown.map((p) => `${p.label} ${count(p.value)}`).join(', ')}` },
    shown.map((part) => h('span', { class: `fill ${part.style}`, style: { 'flex-grow': String(part.value) } })),
  );
  const legend = h(
    'ul',
    { class: 'legend' },
    parts.map((part) => {
      const inside = [
        h('span', { class: `swatch ${part.style}` }, icon(part.icon)),
        h('span', { class: 'legend-label' }, part.label),
        h('strong', null, count(part.value)),
        h('span', { class: 'faint' }, percent(part.value, all)),
      ];
      const linked = part.href && part.value > 0;
      return h(
        'li',
        { class: part.value ? '' : 'none', title: part.title },
        linked ? h('a', { href: part.href as string }, inside) : h('span', null, inside),
      );
    }),
  );
  return h('div', { class: 'shares-box' }, bar, legend);
}

export function bar(share: number, style = ''): HTMLElement {
  const width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return h('span', { class: `bar ${style}`, 'aria-hidden': 'true' }, h('span', { style: { width } }));
}
