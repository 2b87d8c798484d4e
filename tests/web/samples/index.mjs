import { minigpt } from './minigpt.mjs';
import { bare, big, empty, hostile } from './others.mjs';

export { HOSTILE } from './others.mjs';
export const samples = { minigpt, big, empty, hostile, bare };
