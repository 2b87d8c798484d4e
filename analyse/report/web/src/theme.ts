// Light and dark: the system's choice, until the reader chooses. The choice lasts for later reports where the browser
// lets pages remember.
import { h } from './dom';
import { icon } from './icons';

const KEY = 'foothold-theme';
const system = window.matchMedia('(prefers-color-scheme: dark)');
const listeners: (() => void)[] = [];

function stored(): string {
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

let chosen = stored();
let paper = false; // paper is light, whatever the screen is

export function dark(): boolean {
  return !paper && (chosen ? chosen === 'dark' : system.matches);
}

function show(): void {
  document.documentElement.dataset.theme = dark() ? 'dark' : 'light';
  for (const listener of listeners) listener();
}

export function onPaper(on: boolean): void {
  paper = on;
  show();
}

export function onTheme(listener: () => void): void {
  listeners.push(listener);
}

export function toggleTheme(): void {
  chosen = dark() ? 'light' : 'dark';
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // The choice then lasts as long as the page.
  }
  show();
}

export function themeButton(): HTMLElement {
  const button = h('button', { type: 'button', class: 'quiet', id: 'theme' });
  const label = () => {
    const text = dark() ? 'Use light colours' : 'Use dark colours';
    button.setAttribute('aria-label', text);
    button.title = `${text} (t)`;
    button.replaceChildren(icon(dark() ? 'sun' : 'moon'));
  };
  button.addEventListener('click', toggleTheme);
  onTheme(label);
  label();
  return button;
}

export function startTheme(): void {
  system.addEventListener('change', show);
  show();
}
