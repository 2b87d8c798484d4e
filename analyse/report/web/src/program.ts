// Sums over the report that several sections need.
import { SEVERITIES, SUPPORTS, type Finding, type Operator, type Report, type Severity, type Support } from './report';

export interface FileSums {
  file: string;
  sites: number; // listed ones
  parameters: number;
  flops: number;
  support?: Support; // the worst
  bySupport: Map<Support, number>;
  severity?: Severity; // the worst
  bySeverity: Map<Severity, number>;
}

function bump<K>(map: Map<K, number>, key: K, by: number): void {
  map.set(key, (map.get(key) ?? 0) + by);
}

function worst<T>(order: readonly T[], found: Map<T, number>): T | undefined {
  return order.find((item) => found.has(item));
}

export function sumsByFile(report: Report): Map<string, FileSums> {
  const out = new Map<string, FileSums>();
  const at = (file: string): FileSums => {
    let sums = out.get(file);
    if (!sums) {
      sums = { file, sites: 0, parameters: 0, flops: 0, bySupport: new Map(), bySeverity: new Map() };
      out.set(file, sums);
    }
    return sums;
  };
  for (const operator of report.operators) {
    for (const location of operator.locations) {
      const sums = at(location.file);
      sums.sites += 1;
      sums.parameters += location.parameters ?? 0;
      sums.flops += location.flops ?? 0;
      bump(sums.bySupport, operator.support, 1);
    }
  }
  for (const finding of report.findings) bump(at(finding.file).bySeverity, finding.severity, finding.count);
  for (const sums of out.values()) {
    sums.support = worst(SUPPORTS, sums.bySupport);
    sums.severity = worst(SEVERITIES, sums.bySeverity);
  }
  return out;
}

// `wanted` is a part of a path, or a folder when it ends with a slash.
export function inFile(file: string, wanted: string): boolean {
  if (!wanted) return true;
  if (wanted.endsWith('/')) return file.startsWith(wanted);
  return file.toLowerCase().includes(wanted.toLowerCase());
}

export function listedSites(operators: Operator[]): number {
  return operators.reduce((sum, operator) => sum + operator.locations.length, 0);
}

export interface RuleGroup {
  rule: string;
  title: string;
  advice: string;
  category: string;
  severity: Severity;
  findings: Finding[];
  count: number; // with grouped repeats
}

// Findings by rule: worst severity first, then the most frequent.
export function byRule(findings: Finding[]): RuleGroup[] {
  const groups = new Map<string, RuleGroup>();
  for (const finding of findings) {
    let group = groups.get(finding.rule);
    if (!group) {
      const { rule, title, message, advice, category, severity } = finding;
      group = { rule, title: title || message, advice, category, severity, findings: [], count: 0 };
      groups.set(rule, group);
    }
    group.findings.push(finding);
    group.count += finding.count;
    group.advice ||= finding.advice;
    if (SEVERITIES.indexOf(finding.severity) < SEVERITIES.indexOf(group.severity)) group.severity = finding.severity;
  }
  return [...groups.values()].sort(
    (a, b) =>
      SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
      b.count - a.count ||
      (a.rule < b.rule ? -1 : 1),
  );
}

export interface Verdict {
  style: 'good' | 'fair' | 'bad' | 'none';
  icon: string;
  title: string;
  text: string;
}

function countText(value: number, one: string, many = `${one}s`): string {
  return `${value.toLocaleString('en')} ${value === 1 ? one : many}`;
}

// One sentence for the whole report. It claims no more than the counts say.
export function verdict(report: Report): Verdict {
  const { support, findings, sites } = report.summary;
  const chip = report.soc || 'the NPU';
  const stops: string[] = [];
  if (findings.error) stops.push(countText(findings.error, 'error'));
  if (support.refused) stops.push(countText(support.refused, 'operator site') + ' that the chip refuses');
  if (stops.length) {
    return {
      style: 'bad',
      icon: 'cross',
      title: `Needs changes before it runs on ${chip}`,
      text: `Found ${stops.join(' and ')}. Start with these.`,
    };
  }
  const slows: string[] = [];
  if (support.fallback) slows.push(`${countText(support.fallback, 'operator site')} on the CPU`);
  if (findings.warning) slows.push(countText(findings.warning, 'warning'));
  if (slows.length) {
    return {
      style: 'fair',
      icon: 'warning',
      title: `Should run on ${chip}, below its speed`,
      text: `Nothing found that stops it, but ${slows.join(' and ')}.`,
    };
  }
  if (!sites && !report.findings.length) {
    return {
      style: 'none',
      icon: 'question',
      title: 'No PyTorch operators found',
      text: report.files.scanned ? 'The files were read, and none of them calls PyTorch.' : 'No file was read.',
    };
  }
  return {
    style: 'good',
    icon: 'check',
    title: `Should run on ${chip} as it is`,
    text: 'Nothing found that stops it or sends work to the CPU.',
  };
}
