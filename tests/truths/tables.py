#!/usr/bin/env python3
"""Joins the drafts of candidates.py with the hand corrections into tables/NAME.tsv and counts.tsv.

corrections.tsv is the hand work. Its rows are: source, action, file, line, column, kind, name,
expect, note, with these actions:
  +  a row that the draft has not
  -  drops the draft's row at that place (name `*`: all of them)
  =  keeps the draft's place and kind, and sets name, expect and note; the old name stands in
     front of the new one as OLD>NEW where it changes
A `-` in line or column means that the row has none (notebooks, whole files).

usage: tables.py --root FOLDER [--pypi CACHE] [--check] [NAME...]
  --root FOLDER   one folder per repository, named as in sources.tsv, at the commit named there
  --pypi CACHE    brings the PyPI packages into CACHE and does their tables as well
  --check         writes nothing; exit 1 where a table on disk is another one
"""
import argparse
import collections
import os
import sys

from candidates import list_tree
from pypi import bring

HERE = os.path.dirname(os.path.abspath(__file__))
SITE = ("file", "line", "column", "kind", "name", "expect", "note")


def read_table(path):
    """Rows of a TSV as lists; lines that begin with # are remarks."""
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file
                if line.strip() and not line.startswith("#")]


def sources(names=()):
    rows = read_table(os.path.join(HERE, "sources.tsv"))
    fields = ("name", "form", "origin", "version", "sha256", "kinds", "indirect")
    known = [dict(zip(fields, row)) for row in rows]
    unknown = set(names) - {s["name"] for s in known}
    if unknown:
        raise SystemExit(f"not in sources.tsv: {', '.join(sorted(unknown))}")
    return [s for s in known if not names or s["name"] in names]


def folder(source, root, cache):
    """Where the code of a source is, or None when it was not asked for."""
    if source["form"] == "git":
        path = os.path.join(root, source["name"]) if root else None
        return path if path and os.path.isdir(path) else None
    if not cache:
        return None
    return bring(source["origin"], source["version"], source["form"].split("-")[1], cache,
                 source["sha256"])


def number(text):
    return 0 if text in ("-", "") else int(text)


def draft(source, path):
    """The lister's rows, cut to the kinds that the source is judged by."""
    rows, _ = list_tree(path)
    kinds = None if source["kinds"] == "all" else set(source["kinds"].split(","))
    kept = []
    for row in rows:
        file, line, column, kind, name, expect, note = row
        if kinds is not None and kind not in kinds:
            continue
        if source["indirect"] == "may" and "through " in note and expect == "must":
            expect = "may"
        if source["indirect"] == "may" and note == "by method name" and kind != "device":
            expect = "may"
        kept.append((file, line, column, kind, name, expect, note))
    return kept


def corrected(source, rows):
    """The draft with the hand corrections; a correction that fits nothing is an error."""
    idle = []
    for entry in read_table(os.path.join(HERE, "corrections.tsv")):
        entry += [""] * (9 - len(entry))
        name, action, file, line, column, kind, api, expect, note = entry[:9]
        if name != source["name"]:
            continue
        line, column = number(line), number(column)
        if action == "+":
            rows.append((file, line, column, kind, api, expect, note))
            continue
        old, _, new = api.partition(">")
        hit = [r for r in rows if r[0] == file and r[1] == line and
               (not column or r[2] == column) and (old == "*" or r[4] == old) and
               (kind in ("*", "") or r[3] == kind)]
        if not hit:
            idle.append("corrections.tsv: nothing to correct: " + " ".join(entry))
        rows = [r for r in rows if r not in hit]
        if action == "=":
            rows += [(r[0], r[1], r[2], r[3], new or r[4], expect or r[5], note or r[6])
                     for r in hit]
    if idle:
        raise SystemExit("\n".join(idle))
    return sorted(rows)


def counts(name, rows):
    """(source, kind, name, number) of the rows that must be found; kernels also as a whole."""
    totals = collections.Counter()
    for _, _, _, kind, api, expect, _ in rows:
        if expect != "must":
            continue
        if kind in ("cuda_kernel", "triton_kernel", "bom"):
            totals[name, kind, "*"] += 1
        elif kind in ("operator", "device", "distributed", "precision", "extension"):
            totals[name, kind, api] += 1
    return sorted((*key, value) for key, value in totals.items())


def write_table(path, head, rows):
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        for line in head:
            out.write("# " + line + "\n")
        for row in rows:
            out.write("\t".join("-" if field == 0 else str(field) for field in row) + "\n")


def text_of(path):
    return open(path, encoding="utf-8").read() if os.path.exists(path) else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root")
    parser.add_argument("--pypi")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    changed = False
    all_counts = {row[0]: [] for row in read_counts()}
    for row in read_counts():
        all_counts[row[0]].append(tuple(row))
    for source in sources(options.names):
        path = folder(source, options.root, options.pypi)
        if path is None:
            print(f"{source['name']}: left out, its code is not here")
            continue
        rows = corrected(source, draft(source, path))
        target = os.path.join(HERE, "tables", source["name"] + ".tsv")
        before = text_of(target)
        write_table(target + ".new", (f"{source['origin']} {source['version']} ({source['form']})",
                                      "\t".join(SITE)), rows)
        after = text_of(target + ".new")
        if options.check:
            os.remove(target + ".new")
        else:
            os.replace(target + ".new", target)
        changed |= before != after
        all_counts[source["name"]] = [tuple(map(str, c)) for c in counts(source["name"], rows)]
        print(f"{source['name']}: {len(rows)} rows" + (", changed" if before != after else ""))
    if not options.check:
        write_table(os.path.join(HERE, "counts.tsv"),
                    ("source\tkind\tname\tnumber of rows that must be found",),
                    sorted(c for rows in all_counts.values() for c in rows))
    return 1 if options.check and changed else 0


def read_counts():
    path = os.path.join(HERE, "counts.tsv")
    return read_table(path) if os.path.exists(path) else []


if __name__ == "__main__":
    sys.exit(main())
