// Source excerpts: light colouring, and the finding's place marked. Columns count code points from 1.
import { h, visible } from './dom';
import type { Finding } from './report';

type Kind = 'plain' | 'keyword' | 'text' | 'comment' | 'number' | 'name' | 'decorator';

interface Token {
  kind: Kind;
  text: string;
}

interface Language {
  keywords: Set<string>;
  comment: string[]; // what starts a comment that runs to the end of the line
  triple: boolean; // has """text over lines"""
}

const PYTHON = words(
  'False None True and as assert async await break case class continue def del elif else except finally for from ' +
    'global if import in is lambda match nonlocal not or pass raise return try while with yield self',
);
const C = words(
  '__device__ __forceinline__ __global__ __host__ __restrict__ __shared__ auto bool char class const constexpr ' +
    'double else enum extern false float for half if include inline int int64_t long namespace nullptr return short ' +
    'size_t sizeof static struct switch template true typename unsigned using void volatile while',
);
const SHELL = words('case do done elif else esac export fi for function if in local return then unset while');

function words(list: string): Set<string> {
  return new Set(list.split(' '));
}

function languageOf(file: string): Language {
  const end = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  if (['cu', 'cuh', 'c', 'cc', 'cpp', 'cxx', 'h', 'hpp'].includes(end)) {
    return { keywords: C, comment: ['//'], triple: false };
  }
  if (end === 'sh' || end === 'bash' || end === 'shell') return { keywords: SHELL, comment: ['#'], triple: false };
  if (['json', 'yaml', 'yml', 'toml', 'txt', 'cfg'].includes(end)) {
    return { keywords: new Set(['true', 'false', 'null']), comment: end === 'json' ? [] : ['#'], triple: false };
  }
  return { keywords: PYTHON, comment: ['#'], triple: true };
}

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*\.?[\d_]*(?:[eE][+-]?\d+)?j?)/y;
const PREFIX = /(?:[rRbBuUfF]{1,2})?(?:"""|'''|"|')/y;
const DECORATOR = /@[\p{L}_][\p{L}\p{N}_.]*/uy;

function match(pattern: RegExp, line: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0] ?? '';
}

function textEnd(line: string, from: number, quote: string): number {
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line.startsWith(quote, at)) return at + quote.length;
  }
  return -1;
}

// Cuts lines into tokens; a triple-quoted text may run over lines.
function tokenise(lines: string[], language: Language): Token[][] {
  let open = '';
  return lines.map((line) => {
    const tokens: Token[] = [];
    let at = 0;
    const push = (kind: Kind, text: string) => {
      const last = tokens[tokens.length - 1];
      if (last && last.kind === kind) last.text += text;
      else tokens.push({ kind, text });
      at += text.length;
    };
    const pushText = (from: number) => {
      const end = textEnd(line, from, open);
      push('text', line.slice(at, end < 0 ? line.length : end));
      if (end >= 0 || open.length === 1) open = '';
    };
    if (open) pushText(0);
    while (at < line.length) {
      const here = line[at];
      if (language.comment.some((mark) => line.startsWith(mark, at))) {
        push('comment', line.slice(at));
        continue;
      }
      const quote = match(PREFIX, line, at);
      if (quote) {
        const mark = quote.replace(/^[a-zA-Z]+/, '');
        open = language.triple || mark.length === 1 ? mark : mark[0];
        pushText(at + quote.length - (mark.length - open.length));
        continue;
      }
      const decorator = /^\s*$/.test(line.slice(0, at)) ? match(DECORATOR, line, at) : '';
      if (decorator) {
        push('decorator', decorator);
        continue;
      }
      const word = match(WORD, line, at);
      if (word) {
        const called = line[at + word.length] === '(';
        push(language.keywords.has(word) ? 'keyword' : called ? 'name' : 'plain', word);
        continue;
      }
      const digits = match(NUMBER, line, at);
      push(digits ? 'number' : 'plain', digits || here);
    }
    return tokens;
  });
}

// The index, in UTF-16 units, of a column that counts code points from 1.
function unitIndex(line: string, column: number): number {
  let left = column - 1;
  let at = 0;
  while (left > 0 && at < line.length) {
    at += (line.codePointAt(at) as number) > 0xffff ? 2 : 1;
    left -= 1;
  }
  return at;
}

// What to mark on a line: [from, to), or nothing. Without an end, the name at the place (`nn.Linear`) is marked.
function marked(finding: Finding, number: number, line: string): [number, number] | undefined {
  const first = finding.line;
  if (first === undefined || number < first) return undefined;
  const last = finding.endLine ?? first;
  if (number > last) return undefined;
  const indent = line.length - line.trimStart().length;
  const from = number === first ? unitIndex(line, finding.column ?? indent + 1) : indent;
  let to = line.trimEnd().length;
  if (number === last && finding.endColumn !== undefined) to = unitIndex(line, finding.endColumn);
  else if (number === first && finding.endLine === undefined && finding.column !== undefined) {
    to = from + (/^[\p{L}\p{N}_.@]+/u.exec(line.slice(from))?.[0].length ?? 1);
  }
  return to > from ? [from, Math.min(to, line.length)] : undefined;
}

function spans(tokens: Token[], mark: [number, number] | undefined): Node[] {
  const out: Node[] = [];
  const inside: Node[] = [];
  let at = 0;
  const emit = (into: Node[], kind: Kind, text: string) => {
    if (!text) return;
    into.push(kind === 'plain' ? document.createTextNode(visible(text)) : h('span', { class: `c-${kind}` }, text));
  };
  let placed = false;
  const place = () => {
    if (placed || !inside.length) return;
    placed = true;
    out.push(h('mark', null, inside));
  };
  for (const { kind, text } of tokens) {
    const [from, to] = mark ?? [0, 0];
    const before = Math.max(0, Math.min(text.length, from - at));
    const through = Math.max(before, Math.min(text.length, to - at));
    emit(out, kind, text.slice(0, before));
    emit(inside, kind, text.slice(before, through));
    if (through < text.length) place();
    emit(out, kind, text.slice(through));
    at += text.length;
  }
  place();
  return out;
}

function block(lines: Node[][], first: number | undefined, current: (number: number) => boolean): HTMLElement {
  return h(
    'pre',
    { class: 'source', tabindex: 0 },
    lines.map((nodes, index) => {
      const number = (first ?? 1) + index;
      return h(
        'span',
        { class: current(number) ? 'row current' : 'row' },
        first !== undefined && h('span', { class: 'number', 'data-line': number, 'aria-hidden': 'true' }),
        h('span', { class: 'text' }, nodes, '\n'),
      );
    }),
  );
}

export function excerpt(finding: Finding): HTMLElement | null {
  const { excerpt: given } = finding;
  if (!given) return null;
  const tokens = tokenise(given.text, languageOf(finding.file));
  const lines = tokens.map((row, index) => spans(row, marked(finding, given.line + index, given.text[index])));
  const last = finding.endLine ?? finding.line ?? 0;
  const pre = block(lines, given.line, (number) => number >= (finding.line ?? Infinity) && number <= last);
  pre.setAttribute('aria-label', `Source of ${finding.file} from line ${given.line}`);
  return pre;
}

export function listing(text: string, language: string): HTMLElement {
  const lines = text.replace(/\n$/, '').split('\n');
  const tokens = tokenise(lines, languageOf(`x.${language === 'shell' ? 'sh' : 'py'}`));
  const pre = block(tokens.map((row) => spans(row, undefined)), undefined, () => false);
  pre.setAttribute('aria-label', 'Code to copy');
  return pre;
}
