// What the reader looks at, kept in the address after `#`: `#/findings?severity=error&q=item`. A copied link opens the
// same section with the same filters and the same finding. Keys with an empty value are left out.

export interface State {
  view: string;
  params: Record<string, string>;
}

type Listener = (state: State) => void;

const listeners: Listener[] = [];
const remembered = new Map<string, Record<string, string>>(); // the filters a section was left with
let known: readonly string[] = [];
let current: State = { view: '', params: {} };

function parse(hash: string): State {
  const [view, query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const params: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) if (value) params[name] = value;
  return known.includes(view) ? { view, params } : { view: known[0], params: {} };
}

export function address(view: string, params: Record<string, string> = {}): string {
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value)).toString();
  // ':' and '/' are legal in a fragment and make links readable.
  return `#/${view}${query ? `?${query.replaceAll('%2F', '/').replaceAll('%3A', ':')}` : ''}`;
}

export function state(): State {
  return current;
}

export function lastParams(view: string): Record<string, string> {
  return view === current.view ? current.params : (remembered.get(view) ?? {});
}

function announce(): void {
  remembered.set(current.view, current.params);
  for (const listener of listeners) listener(current);
}

function go(next: State, keepHistory: boolean): void {
  const to = address(next.view, next.params);
  current = next;
  try {
    if (keepHistory) history.pushState(null, '', to);
    else history.replaceState(null, '', to);
  } catch {
    // Browsers limit how often, and from which pages, history may be written; the section still changes.
  }
  announce();
}

// Opens a section as a new step of the browser's history.
export function open(view: string, params: Record<string, string> = {}): void {
  go({ view, params }, true);
}

// Changes some filters of the open section, in place.
export function change(params: Record<string, string>): void {
  const next = { ...current.params, ...params };
  for (const name of Object.keys(next)) if (!next[name]) delete next[name];
  go({ view: current.view, params: next }, false);
}

export function onChange(listener: Listener): void {
  listeners.push(listener);
}

export function start(views: readonly string[]): void {
  known = views;
  let seen = ''; // a click on a link raises both events
  const read = () => {
    const next = parse(location.hash);
    const to = address(next.view, next.params);
    if (to === seen && to === address(current.view, current.params)) return;
    seen = to;
    current = next;
    announce();
  };
  window.addEventListener('hashchange', read);
  window.addEventListener('popstate', read);
  read();
}

export function chosen(value: string | undefined): Set<string> {
  return new Set((value ?? '').split(',').filter((item) => item));
}

export function toggled(value: string | undefined, item: string): string {
  const set = chosen(value);
  if (!set.delete(item)) set.add(item);
  return [...set].join(',');
}
