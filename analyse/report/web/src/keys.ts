// The keyboard: single keys that act anywhere but in a field, and the dialog that lists them.
import { h } from './dom';
import { icon } from './icons';

export interface Key {
  keys: string[];
  text: string;
  run: () => void;
}

function typing(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, select, textarea, [contenteditable]') !== null;
}

function help(keys: Key[], more: [string, string][]): HTMLDialogElement {
  const rows: [string[], string][] = [...keys.map((key): [string[], string] => [key.keys, key.text])];
  for (const [key, text] of more) rows.push([[key], text]);
  const close = h('button', { type: 'button', class: 'quiet', 'aria-label': 'Close' }, icon('cross'));
  const dialog = h(
    'dialog',
    { id: 'keys', 'aria-labelledby': 'keys-title' },
    h('header', null, h('h2', { id: 'keys-title' }, 'Keys'), close),
    h(
      'dl',
      null,
      rows.map(([names, text]) => h('div', null, h('dt', null, names.map((name) => h('kbd', null, name))), h('dd', null, text))),
    ),
  );
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close(); // the backdrop
  });
  return dialog;
}

export function startKeys(keys: Key[], more: [string, string][]): () => void {
  const toggle = () => (dialog.open ? dialog.close() : dialog.showModal());
  const all = [...keys, { keys: ['?'], text: 'This list', run: toggle }];
  const dialog = help(all, more);
  document.body.append(dialog);
  const table = new Map(all.flatMap((key) => key.keys.map((name): [string, Key] => [name, key])));
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (typing(event.target)) {
      if (event.key === 'Escape') (event.target as HTMLElement).blur();
      return;
    }
    const key = table.get(event.key);
    if (!key || (dialog.open && event.key !== '?')) return;
    event.preventDefault();
    key.run();
  });
  return toggle;
}
