#!/usr/bin/env python3
"""Judges `foothold analyze` by the tables of truths.

usage: check.py FOOTHOLD [--root FOLDER] [--pypi CACHE] [--columns] [--verbose] [NAME...]
  --root FOLDER   one folder per repository, named as in sources.tsv, at the commit named there
  --pypi CACHE    brings the PyPI packages into CACHE and judges them as well
  --columns       a right line with a wrong column fails as well
  --verbose       prints every wrong row (20 per repository otherwise)

Per repository: rows that must be found, found, missed; wrong: traps reported, and sites that the
report calls certain and the table does not have; counts that are off; wrong columns. Exit 1 on any
of these, 2 where foothold or the code is not there. Sites that the report calls likely or possible
and the table does not have, and traps called possible, are counted under `doubtful`, shown, and no
fault: an operator that reaches a call through what callers pass in is right for some callers only.
"""
import argparse
import collections
import json
import os
import subprocess
import sys

from tables import HERE, folder, number, read_table, sources

# Kinds whose rows name an operator at a place, and are complete: an extra site is wrong.
EXACT = {"operator", "device", "distributed", "precision", "extension"}
# Names that a tree of types cannot judge by the method's name alone are not held against it.
OPEN_NAMES = {"torch.Tensor.to", "string.cuda", "torch.Tensor.half",
              "torch.Tensor.bfloat16", "torch.device"}
# A finding may stand at the call or at the string in it.
ANYWHERE = {"torch.device", "torch.Tensor.to"}
# Kinds that are judged by category of a finding at the place, whatever its operator.
BY_CATEGORY = {
    "fusion": {"fusion"}, "amp_opportunity": {"precision"}, "precision": {"precision"},
    "host_sync": {"host"}, "fallback": {"support"}, "distributed": {"distributed"},
    "device": {"device"}, "memory": {"memory"}, "thirdparty": {"support"},
    "cuda_kernel": {"support", "device", "compute"}, "extension": {"support"},
    "triton_kernel": {"support", "device", "compute"},
}
SAME = {
    "torch.Tensor.__matmul__": "torch.matmul", "torch.Tensor.matmul": "torch.matmul",
    "operator.matmul": "torch.matmul", "torch.nn.Module.cuda": "torch.Tensor.cuda",
    "torch.nn.Module.cpu": "torch.Tensor.cpu", "torch.nn.Module.to": "torch.Tensor.to",
    "torch.nn.Module.half": "torch.Tensor.half", "torch.nn.DataParallel":
    "torch.nn.parallel.DataParallel", "torch.amp.autocast": "torch.autocast",
    "torch.nn.Module.bfloat16": "torch.Tensor.bfloat16",
    "torch.nn.functional.sigmoid": "torch.sigmoid", "torch.nn.functional.relu": "torch.relu",
    "torch.Tensor.softmax": "torch.softmax", "torch.nn.functional.softmax": "torch.softmax",
    "torch.nn.functional.scaled_dot_product_attention":
    "torch.nn.functional.scaled_dot_product_attention",
    "torch.nn.functional.log_softmax": "torch.log_softmax",
    "torch.Tensor.log_softmax": "torch.log_softmax", "torch.special.softmax": "torch.softmax",
    "torch.Tensor.sigmoid": "torch.sigmoid", "torch.Tensor.relu": "torch.relu",
    "torch.special.expit": "torch.sigmoid", "torch.nn.functional.one_hot": "torch.one_hot",
    **{"torch.Tensor." + name: "torch." + name
       for name in ("bmm", "mm", "addmm", "baddbmm", "nonzero")},
}
# torch's own second names of one object, walked in an installed torch.
ALIASES = dict(read_table(os.path.join(HERE, "..", "..", "facts", "support", "alias.tsv"))[1:])


def canon(name):
    """One name for spellings of the same operator."""
    name = SAME.get(name, name)
    name = ALIASES.get(name, name)
    return SAME.get(name, name)


class Report:
    """What foothold printed, by place."""

    def __init__(self, report):
        self.sites = collections.defaultdict(list)      # (file, line) -> (column, name, certainty)
        self.findings = collections.defaultdict(list)   # (file, line) -> finding
        self.counts = collections.Counter()
        self.marks = collections.defaultdict(dict)      # (file, name) -> place -> certainty
        self.skipped = {s["path"] for s in report["files"].get("skipped", [])}
        self.broken = {n["path"] for n in report["files"].get("notes", [])
                       if "syntax" in n["message"].lower()}
        for operator in report["operators"]:
            name = canon(operator["name"])
            self.counts[name] += operator["count"]
            for place in operator["locations"]:
                self.sites[place["file"], place["line"]].append(
                    (place.get("column", 0), name, place.get("certainty", "certain")))
                self.mark(place, name)
        self.listed = set(self.marks)
        for finding in report["findings"]:
            if "file" in finding:
                for line in range(finding["line"], finding.get("end_line", finding["line"]) + 1):
                    self.findings[finding["file"], line].append(finding)
                name = canon(finding.get("operator", ""))
                if (finding["file"], name) not in self.listed:
                    self.mark(finding, name)

    def mark(self, place, name):
        """Places of one name in one file; a notebook's lines begin anew in every cell."""
        key = place.get("function", "").split(",")[0], place["line"], place.get("column", 0)
        self.marks[place["file"], name].setdefault(key, place.get("certainty", "certain"))

    def columns(self, file, line, name):
        """Columns at which the report has this operator on this line."""
        return [column for column, _ in self.named(file, line, name)]

    def named(self, file, line, name):
        """(column, certainty) of the same."""
        found = [(c, sure) for c, n, sure in self.sites.get((file, line), []) if n == name]
        return found + [(f["column"], f.get("certainty", "certain"))
                        for f in self.findings.get((file, line), [])
                        if canon(f.get("operator", "")) == name and f["line"] == line]

    def category(self, file, first, last, kinds):
        return any(f["category"] in kinds for line in range(first, last + 1)
                   for f in self.findings.get((file, line), []))

    def in_file(self, file, word):
        """Whether anything about `word` is said of the file."""
        for (path, _), found in self.sites.items():
            if path == file and any(n == word or n.startswith(word + ".") for _, n, _ in found):
                return True
        return any(path == file and any(word in f.get("operator", "") + f["message"]
                                        for f in found)
                   for (path, _), found in self.findings.items())

    def at(self, file, first, last):
        return any((file, line) in self.sites or (file, line) in self.findings
                   for line in range(first, last + 1))


def last_line(row):
    """The end of the place: `named in line N` or `to line N` in the note."""
    for mark in ("named in line ", "to line "):
        if mark in row["note"]:
            return int(row["note"].split(mark)[1].split()[0].rstrip(",;"))
    return row["line"]


def first_line(row):
    mark = "decorators from "
    return int(row["note"].split(mark)[1].split()[0]) if mark in row["note"] else row["line"]


def found(report, row):
    """None when the row is not in the report, else whether the column is right as well."""
    file, line, kind, name = row["file"], row["line"], row["kind"], canon(row["name"])
    if kind == "bom":
        return True if file not in report.skipped and file not in report.broken else None
    if kind == "thirdparty":
        return True if report.in_file(file, row["name"].split(".")[0]) else None
    if kind in ("cuda_kernel", "triton_kernel"):
        return True if report.at(file, first_line(row), last_line(row)) else None
    columns = report.columns(file, line, name)
    if columns:
        return not row["column"] or row["column"] in columns or name in ANYWHERE
    if kind in ("host_sync", "fusion", "amp_opportunity", "fallback", "memory") or \
            name.startswith(("string.", "backend.")) or name in ANYWHERE:
        return True if report.category(file, first_line(row), last_line(row),
                                       BY_CATEGORY[kind]) else None
    return None


def read_rows(source):
    path = os.path.join(HERE, "tables", source["name"] + ".tsv")
    rows = []
    for file, line, column, kind, name, expect, *note in read_table(path):
        rows.append({"file": file, "line": number(line), "column": number(column), "kind": kind,
                     "name": name, "expect": expect, "note": note[0] if note else ""})
    return rows


class Result:
    def __init__(self):
        self.expected = self.found = self.column = 0
        self.extra = collections.Counter()
        self.missed, self.wrong, self.counts = [], [], []
        self.doubtful, self.offset = [], []

    def failed(self, columns):
        return bool(self.missed or self.wrong or self.counts or (columns and self.column))


def show(row):
    place = f"{row['file']}:{row['line']}:{row['column']}" if row["line"] else row["file"]
    return f"{place} {row['kind']} {row['name']}" + (f" ({row['note']})" if row["note"] else "")


def judge_places(report, rows, result):
    """Rows with a place: must, either, never."""
    groups = collections.defaultdict(list)
    for row in rows:
        if not row["line"]:
            continue
        if row["expect"] == "must":
            groups[len(groups), ""].append(row)
        elif row["expect"] == "either":
            groups["either", (row["file"], row["line"], row["column"])].append(row)
        elif row["expect"] == "never":
            sure = {sure for _, sure in report.named(row["file"], row["line"],
                                                     canon(row["name"]))}
            if sure - {"possible"}:
                result.wrong.append("trap reported: " + show(row))
            elif sure:
                result.doubtful.append("trap, called possible: " + show(row))
    for group in groups.values():
        result.expected += 1
        states = [found(report, row) for row in group]
        if all(state is None for state in states):
            result.missed.append("missed: " + show(group[0]))
            continue
        result.found += 1
        if True not in states:
            result.column += 1
            row = group[0]
            result.offset.append("column {}: {}".format(
                report.columns(row["file"], row["line"], canon(row["name"])), show(row)))


def judge_notebooks(report, rows, result):
    """Rows without a line: how often the name is in the file."""
    wanted = collections.Counter()
    allowed = collections.Counter()
    for row in rows:
        if row["line"] or row["kind"] not in EXACT | {"host_sync"}:
            continue
        key = row["file"], canon(row["name"])
        allowed[key] += 1
        wanted[key] += row["expect"] == "must"
    have = {key: len(marks) for key, marks in report.marks.items()}
    sure = {key: sum(certainty == "certain" for certainty in marks.values())
            for key, marks in report.marks.items()}
    for key, low in wanted.items():
        result.expected += low
        count = have.get(key, 0)
        result.found += min(low, count)
        if count < low:
            result.missed.append(f"missed: {key[0]} {key[1]}: {count} of {low}")
        elif count > allowed[key] and key[1] not in OPEN_NAMES:
            faults = result.wrong if sure[key] > allowed[key] else result.doubtful
            faults.append(f"too many: {key[0]} {key[1]}: {count}, not {allowed[key]}")


def judge_extra(report, rows, result):
    """Sites of a judged name that no row knows: where a line has more of them than rows, those at
    columns that no row has."""
    known, judged, columns = collections.Counter(), set(), collections.defaultdict(set)
    for row in rows:
        name = canon(row["name"])
        if row["kind"] in EXACT and row["expect"] == "must" and name not in OPEN_NAMES:
            judged.add(name)
        if row["expect"] != "never":
            known[row["file"], row["line"], name] += 1
            columns[row["file"], row["line"], name].add(row["column"])
    for (file, line), sites in sorted(report.sites.items()):
        on_line = collections.Counter(name for _, name, _ in sites)
        for column, name, certainty in sites:
            key = file, line, name
            if name not in judged or (file, 0, name) in known or on_line[name] <= known[key] or \
                    columns[key] & {0, column}:
                continue
            if certainty == "certain":
                result.wrong.append(f"not in the table: {file}:{line}:{column} {name}")
            else:
                result.doubtful.append(f"{certainty}, not in the table: "
                                       f"{file}:{line}:{column} {name}")
            result.extra[name] += 1


def judge_counts(report, rows, result):
    """The report's own totals against the number of rows; what judge_extra told is told."""
    most = collections.Counter()
    least = collections.defaultdict(set)
    for index, row in enumerate(rows):
        name = canon(row["name"])
        if row["kind"] in EXACT and row["expect"] != "never":
            most[name] += 1
            if row["expect"] == "must":
                # a @ b @ c are two sites that begin at one place
                least[name].add((row["file"], row["line"], row["column"] or -index))
    for name, places in sorted(least.items()):
        count = report.counts[name] - result.extra[name]
        if name not in OPEN_NAMES and not len(places) <= count <= most[name] and count:
            result.counts.append(f"count of {name}: {count}, the table has {len(places)}" + (
                f" to {most[name]}" if most[name] > len(places) else ""))


def analyze(foothold, path):
    """What foothold says of a folder; ends this program with 2 where it fails."""
    command = [foothold, "analyze", "--format", "json", "--no-cache",
               "--max-locations", "1000000", path]
    done = subprocess.run(command, capture_output=True)
    if done.returncode or not done.stdout:      # --fail-on is never by default
        print(f"check.py: {' '.join(command)} ended with {done.returncode}: "
              + done.stderr.decode("utf-8", "replace")[-400:], file=sys.stderr)
        raise SystemExit(2)
    return Report(json.loads(done.stdout))


def judge(report, source):
    rows, result = read_rows(source), Result()
    judge_places(report, rows, result)
    judge_notebooks(report, rows, result)
    judge_extra(report, rows, result)
    judge_counts(report, rows, result)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("foothold")
    parser.add_argument("--root")
    parser.add_argument("--pypi")
    parser.add_argument("--columns", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    bad = judged = 0
    print(f"{'source':24}{'expected':>9}{'found':>8}{'missed':>8}{'wrong':>7}{'counts':>8}"
          f"{'column':>8}{'doubtful':>10}", flush=True)
    for source in sources(options.names):
        path = folder(source, options.root, options.pypi)
        if path is None:
            continue
        judged += 1
        result = judge(analyze(options.foothold, path), source)
        print(f"{source['name']:24}{result.expected:9}{result.found:8}{len(result.missed):8}"
              f"{len(result.wrong):7}{len(result.counts):8}{result.column:8}"
              f"{len(result.doubtful):10}", flush=True)
        lines = result.missed + result.wrong + result.counts + result.offset * options.columns
        lines += result.doubtful
        for line in lines if options.verbose else lines[:20]:
            print("    " + line)
        if len(lines) > 20 and not options.verbose:
            print(f"    and {len(lines) - 20} more (--verbose)")
        bad += result.failed(options.columns)
    if not judged:
        print("check.py: no code to judge: give --root or --pypi", file=sys.stderr)
        return 2
    print(f"{judged} code bases, {bad} with faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
