// The charts: ECharts, with only what the page draws. Canvas text only, no HTML, so that names from the report stay
// text; and every chart stands beside a table with the same numbers.
import { LineChart, TreemapChart } from 'echarts/charts';
import { GridComponent, MarkLineComponent, TooltipComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { h } from './dom';
import { onTheme } from './theme';

echarts.use([LineChart, TreemapChart, GridComponent, MarkLineComponent, TooltipComponent, CanvasRenderer]);

export type Option = echarts.EChartsCoreOption;

export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export function font(): string {
  return getComputedStyle(document.body).fontFamily;
}

export function tooltip(): Record<string, unknown> {
  return {
    renderMode: 'richText',
    confine: true,
    backgroundColor: color('surface'),
    borderColor: color('line-strong'),
    padding: [8, 10],
    textStyle: { color: color('ink'), fontSize: 13, fontFamily: font() },
  };
}

export interface Chart {
  element: HTMLElement;
  draw(): void; // again, after the data or the colours changed
}

const all: Chart[] = [];

// At once, for paper: what is in view when the browser takes its picture must be drawn by then.
export function drawCharts(): void {
  for (const one of all) one.draw();
}

// Draws when it is first seen, and follows its box and the theme.
export function chart(label: string, height: number, option: () => Option, setUp?: (chart: echarts.ECharts) => void): Chart {
  const element = h('div', { class: 'chart', role: 'img', 'aria-label': label, style: { height: `${height}px` } });
  let drawn: echarts.ECharts | undefined;
  const draw = () => {
    if (!element.clientWidth) return;
    if (!drawn) {
      drawn = echarts.init(element, null, { renderer: 'canvas' });
      setUp?.(drawn);
    }
    drawn.setOption({ animation: false, ...option() }, true);
    drawn.getZr().flush();
  };
  let width = 0;
  new ResizeObserver(() => {
    if (!element.clientWidth || element.clientWidth === width) return;
    width = element.clientWidth;
    if (drawn) drawn.resize();
    draw();
  }).observe(element);
  onTheme(draw);
  const made = { element, draw };
  all.push(made);
  return made;
}
