// The words and colours of verdicts. Every verdict has a name, a sentence and an icon: colour is never the only signal.
import type { Severity, Support } from './report';

export interface Word {
  label: string;
  text: string;
  icon: string; // names a shape in icons.ts
}

export const SUPPORT: Record<Support, Word> = {
  native: { label: 'Native', icon: 'check', text: 'Has its own kernel on the NPU.' },
  limited: {
    label: 'Limited',
    icon: 'half',
    text: 'Runs natively, but only for some dtypes, shapes or chips.',
  },
  decomposed: {
    label: 'Decomposed',
    icon: 'split',
    text: 'Has no kernel of its own; PyTorch breaks it up into operators that run natively.',
  },
  fallback: {
    label: 'CPU fallback',
    icon: 'down',
    text: 'Runs on the CPU: at each call the inputs are copied to the host, the device waits, and the result is copied back.',
  },
  refused: { label: 'Refused', icon: 'cross', text: 'Raises an error on this chip and release.' },
  unknown: { label: 'Unknown', icon: 'question', text: 'No source says. Try it on the chip before relying on it.' },
};

export const SEVERITY: Record<Severity, Word> = {
  error: { label: 'Error', icon: 'cross', text: 'Stops the program, or makes its result wrong.' },
  warning: { label: 'Warning', icon: 'warning', text: 'Runs, but slower or otherwise than meant.' },
  note: { label: 'Note', icon: 'note', text: 'Worth knowing, or a chance to run faster.' },
};

export const CERTAINTY: Record<string, string> = {
  certain: 'Resolved through imports and assignments',
  likely: 'Follows from how the name is used',
  possible: 'Matches by name only; check by hand',
};

export const CATEGORY: Record<string, string> = {
  compute: 'Compute',
  support: 'Operator support',
  fusion: 'Graph and fusion',
  precision: 'Mixed precision',
  distributed: 'Distributed',
  device: 'Device code',
  host: 'Host-bound code',
  memory: 'Memory and input',
};

export const CLASS: Record<string, string> = {
  matmul: 'Matrix multiplication',
  convolution: 'Convolution',
  attention: 'Attention',
  normalisation: 'Normalisation',
  activation: 'Activation',
  embedding: 'Embedding',
  recurrent: 'Recurrent',
  loss: 'Loss',
  reduction: 'Reduction',
  optimiser: 'Optimiser',
  elementwise: 'Element-wise',
  indexing: 'Indexing',
  pooling: 'Pooling',
  collective: 'Collective',
  random: 'Random numbers',
  creation: 'Creation',
  shape: 'Shape',
  other: 'Other',
};

export const BOUND: Record<string, { label: string; text: string; icon: string }> = {
  compute: { label: 'Compute-bound', icon: 'chip', text: 'limited by arithmetic' },
  memory: { label: 'Memory-bound', icon: 'stack', text: 'limited by memory bandwidth' },
  host: { label: 'Host-bound', icon: 'down', text: 'limited by the CPU and by waiting for it' },
  communication: { label: 'Communication', icon: 'link', text: 'limited by the links between chips' },
};

export function categoryLabel(name: string): string {
  return Object.hasOwn(CATEGORY, name) ? CATEGORY[name] : name;
}

export function classLabel(name: string): string {
  return Object.hasOwn(CLASS, name) ? CLASS[name] : name;
}

export function boundOf(name: string): { label: string; text: string; icon: string } {
  return Object.hasOwn(BOUND, name) ? BOUND[name] : { label: name || 'Not known', icon: 'question', text: '' };
}
