// Where compute and problems sit: folders and files as a treemap, one folder at a time.
import { chart, color, font, tooltip, type Chart, type Option } from './charts';
import { visible } from './dom';
import { count, short } from './format';
import type { FileSums } from './program';
import { SEVERITIES, SUPPORTS } from './report';
import { SEVERITY, SUPPORT } from './vocabulary';

export type Size = 'sites' | 'parameters' | 'flops';
export type Shade = 'support' | 'severity';

export const SIZES: [Size, string][] = [
  ['sites', 'Operator sites'],
  ['parameters', 'Parameters'],
  ['flops', 'FLOPs'],
];

const TILES = 90; // more cannot be read; the rest of a folder becomes one tile
const SIBLINGS = 40; // of these, at most so many in one folder while others are open too

export interface Node {
  name: string;
  path: string; // a folder's ends with a slash
  value: number;
  sums: FileSums;
  children?: Map<string, Node>;
}

function blank(path: string): FileSums {
  return { file: path, sites: 0, parameters: 0, flops: 0, bySupport: new Map(), bySeverity: new Map() };
}

function addCounts<K>(into: Map<K, number>, from: Map<K, number>): void {
  for (const [key, value] of from) into.set(key, (into.get(key) ?? 0) + value);
}

function addSums(into: FileSums, from: FileSums): void {
  into.sites += from.sites;
  into.parameters += from.parameters;
  into.flops += from.flops;
  addCounts(into.bySupport, from.bySupport);
  addCounts(into.bySeverity, from.bySeverity);
}

// All files as a tree of folders, sized by `size`; files of size nothing are left out.
export function tree(files: Iterable<FileSums>, size: Size): Node {
  const root: Node = { name: '', path: '', value: 0, sums: blank(''), children: new Map() };
  for (const sums of files) {
    if (!(sums[size] > 0)) continue;
    const parts = sums.file.split('/');
    const leaf = parts.pop() as string;
    let at = root;
    let path = '';
    for (const part of [...parts.map((name) => `${name}/`), leaf]) {
      at.value += sums[size];
      addSums(at.sums, sums);
      path += part;
      const folders = at.children as Map<string, Node>;
      let next = folders.get(part);
      if (!next) {
        next = { name: part, path, value: 0, sums: blank(path), children: part === leaf ? undefined : new Map() };
        folders.set(part, next);
      }
      at = next;
    }
    at.value = sums[size];
    at.sums = sums;
  }
  return root;
}

// A folder that holds one folder alone stands for both: `src/transformers/`.
function through(node: Node): Node {
  let at = node;
  let name = node.name;
  while (at.children?.size === 1) {
    const [only] = at.children.values();
    if (!only.children) break;
    at = only;
    name += only.name;
  }
  return at === node ? node : { ...at, name };
}

// The folder that `path` names, or the top.
export function folder(root: Node, path: string): Node {
  let at = root;
  for (const part of path.split('/').filter(Boolean)) {
    const next = at.children?.get(`${part}/`);
    if (!next?.children) return at;
    at = next;
  }
  return through(at);
}

interface Tile {
  node: Node;
  inside?: Tile[]; // an opened folder
  rest?: number; // stands for so many
}

function largest(children: Iterable<Node>, limit: number): Tile[] {
  const sorted = [...children].sort((a, b) => b.value - a.value || (a.path < b.path ? -1 : 1));
  const tiles: Tile[] = sorted.slice(0, limit).map((node) => ({ node: through(node) }));
  const left = sorted.slice(limit);
  if (left.length) {
    const sums = blank('');
    for (const node of left) addSums(sums, node.sums);
    const value = left.reduce((sum, node) => sum + node.value, 0);
    tiles.push({ node: { name: `${count(left.length)} more`, path: '', value, sums }, rest: left.length });
  }
  return tiles;
}

// Opens the largest folders first, for as long as the tiles can still be read.
function tiles(root: Node): Tile[] {
  const top = largest(root.children?.values() ?? [], TILES);
  const queue = [...top];
  let shown = top.length;
  while (queue.length) {
    queue.sort((a, b) => b.node.value - a.node.value);
    const tile = queue.shift() as Tile;
    if (!tile.node.children) continue;
    const inside = largest(tile.node.children.values(), SIBLINGS);
    if (shown - 1 + inside.length > TILES) continue;
    tile.inside = inside;
    shown += inside.length - 1;
    queue.push(...inside);
  }
  return top;
}

// The worst verdict inside, and how much of the whole it is.
function verdict(sums: FileSums, shade: Shade): { fill: string; text: string } {
  if (shade === 'support') {
    const worst = SUPPORTS.find((name) => sums.bySupport.has(name));
    if (!worst) return { fill: 'tile-none', text: '' };
    const some = sums.bySupport.get(worst) as number;
    const of = some === sums.sites ? count(some) : `${count(some)} of ${count(sums.sites)}`;
    return { fill: `tile-${worst}`, text: `${SUPPORT[worst].label}: ${of}` };
  }
  const worst = SEVERITIES.find((name) => sums.bySeverity.has(name));
  if (!worst) return { fill: 'tile-none', text: 'No finding' };
  return { fill: `tile-${worst}`, text: `${SEVERITY[worst].label}: ${count(sums.bySeverity.get(worst) as number)}` };
}

// The library copies what it is given: a tile goes in by its number in `all`, and comes back as that.
function item(tile: Tile, shade: Shade, all: Tile[]): object {
  const { node, inside } = tile;
  const data = { name: visible(node.name), value: node.value, number: all.push(tile) - 1 };
  if (inside) return { ...data, children: inside.map((child) => item(child, shade, all)) };
  const { fill, text } = verdict(node.sums, shade);
  return { ...data, text, itemStyle: { color: color(tile.rest ? 'tile-none' : fill) } };
}

function describe({ node, rest }: Tile, size: Size): string {
  const { sums } = node;
  const lines = [rest ? node.name : node.path || node.name, `${count(sums.sites)} operator sites`];
  if (sums.parameters) lines.push(`${short(sums.parameters)} parameters known`);
  if (sums.flops) lines.push(`${short(sums.flops)} FLOPs known`);
  for (const name of SUPPORTS) if (sums.bySupport.has(name)) lines.push(`    ${SUPPORT[name].label}: ${count(sums.bySupport.get(name) as number)}`);
  const problems = SEVERITIES.filter((name) => sums.bySeverity.has(name));
  if (problems.length) lines.push('Findings');
  for (const name of problems) lines.push(`    ${SEVERITY[name].label}: ${count(sums.bySeverity.get(name) as number)}`);
  if (size === 'sites' && node.children) lines.push('Click to open the folder');
  return lines.map(visible).join('\n');
}

function option(root: Node, shade: Shade, size: Size, all: Tile[]): Option {
  const describeNumber = ({ data }: { data?: { number?: number } }) => (data?.number === undefined ? '' : describe(all[data.number], size));
  return {
    tooltip: { ...tooltip(), formatter: describeNumber },
    series: [
      {
        type: 'treemap',
        data: tiles(root).map((tile) => item(tile, shade, all)),
        left: 0,
        right: 0,
        top: 0,
        bottom: 0,
        roam: false,
        nodeClick: false,
        squareRatio: 0.62,
        breadcrumb: { show: false },
        label: {
          fontFamily: font(),
          fontSize: 13,
          lineHeight: 17,
          color: '#fff',
          overflow: 'truncate',
          position: 'insideTopLeft',
          distance: 5,
          // A function, not a template: braces in names are then no mark-up.
          formatter: ({ data, name }: { data: { text?: string }; name: string }) => `${name}\n${data.text ?? ''}`,
        },
        upperLabel: {
          show: true,
          height: 22,
          color: color('ink'),
          fontFamily: font(),
          fontSize: 12,
          fontWeight: 600,
          formatter: ({ name }: { name: string }) => name,
        },
        itemStyle: { borderColor: color('surface-3'), borderWidth: 1, gapWidth: 1 },
        levels: [{ itemStyle: { borderWidth: 0, gapWidth: 2, borderColor: color('surface') }, upperLabel: { show: false } }],
      },
    ],
  };
}

export interface Shown {
  size: Size;
  shade: Shade;
  root: Node;
}

export function treemap(files: number, what: () => Shown, onPick: (node: Node) => void): Chart {
  const height = files < 6 ? 240 : files < 30 ? 330 : 460;
  let all: Tile[] = [];
  const current = () => {
    const { size, shade, root } = what();
    all = [];
    return option(root, shade, size, all);
  };
  return chart('Treemap of files; the table below holds the same numbers', height, current, (drawn) => {
    drawn.on('click', (event: any) => {
      const tile: Tile | undefined = all[event.data?.number];
      if (tile && !tile.rest) onPick(tile.node);
    });
  });
}
