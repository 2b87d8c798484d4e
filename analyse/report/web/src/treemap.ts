// Where compute and problems sit: folders and files as a treemap.
import { chart, color, font, tooltip, type Chart, type Option } from './charts';
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

interface TreeNode {
  name: string;
  path: string; // a folder's ends with a slash
  value: number;
  rank: number; // of the worst verdict inside; lower is worse
  sums?: FileSums; // of a file
  children?: TreeNode[];
}

const CLEAN = 99;

function rankOf(sums: FileSums, shade: Shade): number {
  const rank = shade === 'support' ? SUPPORTS.indexOf(sums.support as never) : SEVERITIES.indexOf(sums.severity as never);
  return rank < 0 ? CLEAN : rank;
}

function add(root: TreeNode, sums: FileSums, value: number, rank: number): void {
  const parts = sums.file.split('/');
  let at = root;
  let path = '';
  parts.forEach((name, index) => {
    const leaf = index === parts.length - 1;
    path += leaf ? name : `${name}/`;
    at.value += value;
    at.rank = Math.min(at.rank, rank);
    at.children ??= [];
    let next = leaf ? undefined : at.children.find((child) => child.path === path && child.children);
    if (!next) {
      next = { name: leaf ? name : `${name}/`, path, value: 0, rank: CLEAN, children: leaf ? undefined : [] };
      at.children.push(next);
    }
    at = next;
  });
  at.value = value;
  at.rank = rank;
  at.sums = sums;
}

// A folder that holds one folder alone is drawn as one: `src/transformers/`.
function collapse(node: TreeNode): void {
  while (node.children?.length === 1 && node.children[0].children) {
    const only = node.children[0];
    node.name += only.name;
    node.path = only.path;
    node.children = only.children;
  }
  node.children?.forEach(collapse);
}

export function tree(files: Iterable<FileSums>, size: Size, shade: Shade): TreeNode {
  const root: TreeNode = { name: '', path: '', value: 0, rank: CLEAN, children: [] };
  for (const sums of files) if (sums[size] > 0) add(root, sums, sums[size], rankOf(sums, shade));
  collapse(root);
  return root;
}

function style(rank: number, shade: Shade): { fill: string; word: string } {
  if (rank === CLEAN) return { fill: color('tile-none'), word: '' };
  const name = shade === 'support' ? SUPPORTS[rank] : SEVERITIES[rank];
  const word = shade === 'support' ? SUPPORT[SUPPORTS[rank]].label : SEVERITY[SEVERITIES[rank]].label;
  return { fill: color(`tile-${name}`), word };
}

function toItem(node: TreeNode, shade: Shade): object {
  const { fill, word } = style(node.rank, shade);
  const name = node.name || '(root)';
  if (node.children) {
    return { name, path: node.path, value: node.value, children: node.children.map((child) => toItem(child, shade)) };
  }
  const said = `\n${[word, short(node.value)].filter(Boolean).join(' · ')}`;
  return { name, path: node.path, value: node.value, said, sums: node.sums, itemStyle: { color: fill } };
}

function describe(sums: FileSums): string {
  const lines = [sums.file, `${count(sums.sites)} operator sites`];
  if (sums.parameters) lines.push(`${short(sums.parameters)} parameters known`);
  if (sums.flops) lines.push(`${short(sums.flops)} FLOPs known`);
  for (const name of SUPPORTS) {
    const found = sums.bySupport.get(name);
    if (found) lines.push(`  ${SUPPORT[name].label}: ${count(found)}`);
  }
  for (const name of SEVERITIES) {
    const found = sums.bySeverity.get(name);
    if (found) lines.push(`  ${SEVERITY[name].label}s: ${count(found)}`);
  }
  return lines.join('\n');
}

function option(root: TreeNode, shade: Shade, size: Size): Option {
  const unit = SIZES.find(([name]) => name === size)?.[1].toLowerCase();
  const label = { fontFamily: font(), fontSize: 12, color: '#fff', overflow: 'truncate', lineHeight: 15 };
  return {
    tooltip: {
      ...tooltip(),
      formatter: ({ data, name, value }: { data?: { sums?: FileSums }; name: string; value: number }) =>
        data?.sums ? describe(data.sums) : `${name}\n${short(value)} ${unit}`,
    },
    series: [
      {
        type: 'treemap',
        name: root.name || 'all files',
        data: (root.children ?? []).map((child) => toItem(child, shade)),
        left: 0,
        right: 0,
        top: 0,
        bottom: 30,
        roam: false,
        nodeClick: false,
        visibleMin: 40,
        squareRatio: 0.62,
        breadcrumb: {
          left: 0,
          bottom: 0,
          height: 24,
          itemStyle: { color: color('surface-2'), borderColor: color('line'), textStyle: { color: color('ink'), fontFamily: font() } },
          emphasis: { itemStyle: { color: color('surface-3'), textStyle: { color: color('ink') } } },
        },
        label: {
          ...label,
          position: 'insideTopLeft',
          distance: 6,
          // A function, not a template: braces in names are then no mark-up.
          formatter: ({ data, name }: { data: { said?: string }; name: string }) => `${name}${data.said ?? ''}`,
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
        itemStyle: { borderColor: color('surface'), borderWidth: 1, gapWidth: 1 },
        levels: [
          { itemStyle: { borderWidth: 0, gapWidth: 3, borderColor: color('surface') }, upperLabel: { show: false } },
          { itemStyle: { borderColor: color('surface-3'), borderWidth: 3, gapWidth: 2 } },
          { itemStyle: { borderColor: color('surface-2'), borderWidth: 3, gapWidth: 1 } },
          { itemStyle: { borderColor: color('surface-3'), borderWidth: 2, gapWidth: 1 } },
        ],
      },
    ],
  };
}

export function treemap(
  files: Map<string, FileSums>,
  what: () => { size: Size; shade: Shade },
  onFile: (file: string) => void,
): Chart {
  const current = () => {
    const { size, shade } = what();
    return option(tree(files.values(), size, shade), shade, size);
  };
  const height = files.size < 6 ? 240 : files.size < 30 ? 330 : 460;
  return chart('Treemap of files; the table below holds the same numbers', height, current, (drawn) => {
    drawn.on('click', (event: any) => {
      if (event.data?.sums) onFile(event.data.sums.file);
      else if (event.treePathInfo) drawn.dispatchAction({ type: 'treemapRootToNode', targetNode: event.nodeData?.id ?? event.name });
    });
  });
}
