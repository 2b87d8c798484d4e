// Small line icons, drawn in a 16 x 16 box.
import { s } from './dom';

const SHAPES: Record<string, string> = {
  check: 'M3 8.5l3.2 3.2L13 4.8',
  cross: 'M4 4l8 8M12 4l-8 8',
  warning: 'M8 2.2L14.4 13.4H1.6zM8 6.4v3.2M8 11.4v.2',
  note: 'M8 2a6 6 0 100 12A6 6 0 008 2zM8 7.4v3.6M8 5v.2',
  half: 'M8 2a6 6 0 100 12A6 6 0 008 2zM8 2v12M10 4.6v6.8M12 6v4',
  split: 'M8 2v4M8 6L4 10v4M8 6l4 4v4',
  down: 'M3 3v5a3 3 0 003 3h7M10 8l3 3-3 3',
  question: 'M5.4 6a2.6 2.6 0 115 .8c-.5 1-2.4 1.4-2.4 3M8 12.6v.2',
  chip: 'M4.5 4.5h7v7h-7zM6 2v2.5M10 2v2.5M6 11.5V14M10 11.5V14M2 6h2.5M2 10h2.5M11.5 6H14M11.5 10H14',
  stack: 'M2 5.5L8 2.5l6 3-6 3zM2 8.5l6 3 6-3M2 11.5l6 3 6-3',
  link: 'M6.5 9.5l3-3M7 4.5l1.4-1.4a2.8 2.8 0 014 4L11 8.5M9 11.5l-1.4 1.4a2.8 2.8 0 01-4-4L5 7.5',
  chevron: 'M6 3.5l4.5 4.5L6 12.5',
  search: 'M7 2.5a4.5 4.5 0 100 9 4.5 4.5 0 000-9zM10.4 10.4L14 14',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  sun: 'M8 5a3 3 0 100 6 3 3 0 000-6zM8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8L13 13M13 3l-1.2 1.2M4.2 11.8L3 13',
  moon: 'M13.5 9.6A6 6 0 016.4 2.5a6 6 0 107.1 7.1z',
  keys: 'M1.5 4h13v8h-13zM4 6.5h.2M7 6.5h.2M10 6.5h.2M12.4 6.5h.2M4.5 9.5h7',
  home: 'M2 7.5L8 2.5l6 5M3.5 6.5v7h9v-7',
  grid: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  bulb: 'M5.5 10.5a4.5 4.5 0 115 0V12h-5zM6.3 14.2h3.4',
  list: 'M5.5 4H14M5.5 8H14M5.5 12H14M2.2 4h.2M2.2 8h.2M2.2 12h.2',
  clock: 'M8 2a6 6 0 100 12A6 6 0 008 2zM8 4.8V8l2.2 1.8',
  chart: 'M2.5 2.5v11h11M5 10.5l3-4 2.3 2L13.5 4',
  file: 'M4 1.8h5l3.2 3.2v9.2H4zM9 1.8V5h3.2',
  print: 'M4.5 6V2h7v4M4.5 12H2.5V6h11v6h-2M4.5 9.5h7V14h-7z',
  save: 'M8 2v8M4.8 7L8 10.2 11.2 7M2.5 13.5h11',
  foothold: 'M2 13h4v-3.6h4V5.8h4',
};

export function icon(name: string, extra = ''): SVGElement {
  return s(
    'svg',
    { class: `icon ${extra}`.trim(), viewBox: '0 0 16 16', 'aria-hidden': 'true', focusable: 'false' },
    s('path', { d: SHAPES[name] ?? SHAPES.question }),
  );
}
