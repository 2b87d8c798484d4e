// Places and excerpts in a sample's own source text, so that lines and columns are right by construction.

export class Source {
  constructor(files) {
    this.lines = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.split('\n')]));
  }

  // The `nth` place of `needle`; columns count code points from 1.
  at(file, needle, nth = 1) {
    let left = nth;
    for (const [index, line] of this.lines[file].entries()) {
      for (let from = line.indexOf(needle); from >= 0; from = line.indexOf(needle, from + 1)) {
        left -= 1;
        if (left) continue;
        const column = [...line.slice(0, from)].length + 1;
        return { file, line: index + 1, column, end_column: column + [...needle].length };
      }
    }
    throw new Error(`${file} does not hold ${needle} ${nth} times`);
  }

  all(file, needle) {
    const out = [];
    for (const line of this.lines[file].keys()) {
      if (this.lines[file][line].includes(needle)) out.push(this.at(file, needle, out.length + 1));
    }
    return out;
  }

  excerpt(place, around = 2) {
    const first = Math.max(1, place.line - around);
    return { line: first, text: this.lines[place.file].slice(first - 1, (place.end_line ?? place.line) + around) };
  }
}

export function summarise(report) {
  const support = { native: 0, limited: 0, decomposed: 0, fallback: 0, refused: 0, unknown: 0 };
  for (const operator of report.operators) support[operator.support] += operator.count;
  const findings = { error: 0, warning: 0, note: 0 };
  const by_rule = {};
  for (const finding of report.findings) {
    findings[finding.severity] += finding.count ?? 1;
    by_rule[finding.rule] = (by_rule[finding.rule] ?? 0) + (finding.count ?? 1);
  }
  return {
    operators: report.operators.length,
    operator_sites: Object.values(support).reduce((a, b) => a + b, 0),
    support,
    findings,
    by_rule,
  };
}
