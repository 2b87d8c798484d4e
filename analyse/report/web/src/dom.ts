// Builds elements. Strings from the report reach the page only through here, as text nodes or attribute values, never
// as HTML.

export type Child = Node | string | number | null | undefined | false | Child[];
type Value = string | number | boolean | null | undefined | ((event: any) => void) | Record<string, string>;
export type Props = Record<string, Value>;

const SVG = 'http://www.w3.org/2000/svg';

function apply(element: Element, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value); // "onclick" -> "click"
    } else if (name === 'style') {
      // Through the object model: the page's policy refuses style attributes.
      for (const [key, text] of Object.entries(value as Record<string, string>)) {
        (element as HTMLElement).style.setProperty(key, text);
      }
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
}

// Control characters and marks that turn text around are shown as what they are, so that no name or line of code looks
// like another one. Tabs and line ends stay.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f\u0080-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

export function visible(text: string): string {
  return text.replace(UNSEEN, (mark) => `⟨U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : visible(String(child)));
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props | null = null,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (props) apply(element, props);
  append(element, children);
  return element;
}

export function s(tag: string, props: Props | null = null, ...children: Child[]): SVGElement {
  const element = document.createElementNS(SVG, tag) as SVGElement;
  if (props) apply(element, props);
  append(element, children);
  return element;
}

export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

let serial = 0;

export function uniqueId(prefix: string): string {
  serial += 1;
  return `${prefix}-${serial}`;
}

// A source may be a document's address. It becomes a link only when it is plainly one.
export function maybeLink(text: string): Node {
  const parts = text.split(/(https?:\/\/[^\s<>"']+[^\s<>"'.,;)])/);
  const out = document.createDocumentFragment();
  parts.forEach((part, index) => {
    if (index % 2) out.append(h('a', { href: part, rel: 'noopener noreferrer', target: '_blank' }, part));
    else if (part) out.append(visible(part));
  });
  return out;
}
