// Numbers and places as people read them.

const whole = new Intl.NumberFormat('en');

export function count(value: number): string {
  return whole.format(value);
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

function significant(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}

// 1234567 -> "1.23 M"; thousands stay in full up to 9,999.
export function short(value: number): string {
  const units: [number, string][] = [
    [1e15, 'P'],
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ];
  if (Math.abs(value) < 10000) return whole.format(Number(significant(value)));
  for (const [size, unit] of units) if (Math.abs(value) >= size) return `${significant(value / size)} ${unit}`;
  return significant(value);
}

export function bytes(value: number): string {
  if (value < 1000) return plural(value, 'byte');
  const units = ['kB', 'MB', 'GB', 'TB'];
  let size = value / 1000;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${significant(size)} ${units[unit]}`;
}

// A share of a whole; never "0 %" or "100 %" unless it is.
export function percent(part: number, all: number): string {
  if (all <= 0) return '0 %';
  const value = (100 * part) / all;
  if (value > 0 && value < 1) return '< 1 %';
  if (value > 99 && value < 100) return '> 99 %';
  return `${Math.round(value)} %`;
}

export function factor(value: number): string {
  return `${short(value)}×`;
}

export function range(low: number, high: number): string {
  return low === high ? factor(low) : `${short(low)}–${factor(high)}`;
}

export function where(place: { file: string; line?: number; column?: number }): string {
  let out = place.file || '(no file)';
  if (place.line !== undefined) out += `:${place.line}`;
  if (place.line !== undefined && place.column !== undefined) out += `:${place.column}`;
  return out;
}

export function sentence(text: string): string {
  return text ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
