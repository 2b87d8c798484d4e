// The two machines' limits as a roofline: speed that memory and arithmetic allow, over FLOPs per byte moved.
import { chart, color, font, tooltip, type Chart } from './charts';
import { visible } from './dom';
import { short } from './format';
import type { Chip } from './report';

const FROM = 1;
const TO = 10000;

function attainable(chip: Chip, intensity: number): number {
  return Math.min(chip.fp16 as number, ((chip.bandwidth as number) * intensity) / 1000);
}

export function drawable(chip: Chip | undefined): chip is Chip {
  return Boolean(chip?.fp16 && chip.bandwidth && chip.ridge);
}

function points(chip: Chip): [number, number][] {
  const ridge = Math.min(TO, Math.max(FROM, ((chip.fp16 as number) * 1000) / (chip.bandwidth as number)));
  const at = [FROM, 3, 10, 30, 100, 300, 1000, 3000, TO, ridge].sort((a, b) => a - b);
  return at.map((intensity) => [intensity, attainable(chip, intensity)]);
}

export function roofline(chip: Chip, baseline: Chip | undefined): Chart {
  const other = drawable(baseline) ? baseline : undefined;
  const label = `Roofline of ${chip.name}${other ? ` and ${other.name}` : ''}; the table holds the same numbers`;
  return chart(label, 300, () => {
    const ink = color('muted');
    const axis = {
      type: 'log',
      nameLocation: 'middle',
      nameTextStyle: { color: ink, fontFamily: font(), fontSize: 12 },
      axisLabel: { color: ink, fontFamily: font(), formatter: (value: number) => short(value) },
      axisLine: { lineStyle: { color: color('line-strong') } },
      splitLine: { lineStyle: { color: color('line') } },
      minorSplitLine: { show: false },
    };
    const line = (of: Chip, stroke: string, dash: 'solid' | 'dashed') => ({
      type: 'line',
      name: of.name,
      data: points(of),
      symbol: 'none',
      lineStyle: { color: stroke, width: 2.5, type: dash },
      itemStyle: { color: stroke },
      endLabel: {
        show: true,
        formatter: `${short(of.fp16 as number)} TFLOP/s`,
        color: stroke,
        fontFamily: font(),
        fontSize: 12,
        offset: [-88, of === chip || (other && (other.fp16 as number) < (of.fp16 as number)) ? -10 : 12],
      },
      markLine: {
        symbol: 'none',
        silent: true,
        lineStyle: { color: stroke, type: 'dotted' },
        label: {
          formatter: `ridge ${short(of.ridge as number)}`,
          color: stroke,
          fontFamily: font(),
          position: of === chip ? 'insideStartBottom' : 'insideStartTop',
          distance: 6,
        },
        data: [{ xAxis: of.ridge }],
      },
    });
    return {
      grid: { left: 56, right: 14, top: 16, bottom: 46 },
      tooltip: {
        ...tooltip(),
        trigger: 'axis',
        formatter: (rows: { seriesName: string; value: [number, number] }[]) =>
          [`${short(rows[0].value[0])} FLOP per byte`, ...rows.map((row) => `${visible(row.seriesName)}: ${short(row.value[1])} TFLOP/s`)].join('\n'),
      },
      xAxis: { ...axis, name: 'FLOPs per byte moved', nameGap: 28, min: FROM, max: TO },
      yAxis: { ...axis, name: 'TFLOP/s, FP16', nameGap: 40 },
      series: [line(chip, color('accent'), 'solid'), ...(other ? [line(other, color('muted'), 'dashed')] : [])],
    };
  });
}
