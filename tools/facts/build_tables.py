#!/usr/bin/env python3
"""Build facts/support/*.tsv from facts/extracts/.

    build_tables.py            write the tables
    build_tables.py --check    fail, naming the table, when the committed ones differ

Needs the Python standard library only. The same extracts give the same bytes.
"""

import argparse
import sys
import tempfile
import pathlib

import api_table
import overload_table
from tables import EXTRACTS, NONE, SUPPORT, read_table, write_table


def torch_npu_names(folder):
    provenance, rows = read_table(EXTRACTS / "torch_npu-names.tsv")
    documented = {r["api"]: r for r in read_table(EXTRACTS / "op_plugin-products.tsv")[1]}
    nothing = {"chips": NONE, "beta": NONE, "retiring": NONE, "replacement": NONE}
    write_table(folder / "torch_npu.tsv", "public names of torch_npu per torch version; "
                + provenance, ["name", "kind", "releases", "chips", "status", "replacement"],
                ([r["name"], r["kind"], r["releases"], *described(documented.get(r["name"],
                                                                                nothing))]
                 for r in rows))


def described(page):
    status = ",".join(word for word in (page["beta"], page["retiring"]) if word != NONE)
    return [page["chips"], status or NONE, page["replacement"]]


def aliases(folder):
    rows = []
    for row in read_table(EXTRACTS / "torch-api.tsv")[1]:
        if row["aliases"] != NONE:
            rows += [(alias, row["api"]) for alias in row["aliases"].split(",")]
    taken = {row["api"] for row in read_table(EXTRACTS / "torch-api.tsv")[1]}
    rows += [(old, new) for old, new in api_table.same_function(taken)]
    unique = dict(reversed(rows))
    write_table(folder / "alias.tsv", "other names of public APIs; "
                + read_table(EXTRACTS / "torch-api.tsv")[0], ["name", "canonical"],
                ((old, new) for old, new in unique.items() if old not in taken))


def build(folder):
    overload_table.write(folder / "overload.tsv")
    api_table.write(folder / "api.tsv")
    aliases(folder)
    torch_npu_names(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with the committed tables")
    if not parser.parse_args().check:
        build(SUPPORT)
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        build(pathlib.Path(scratch))
        fresh = {p.name: p.read_bytes() for p in pathlib.Path(scratch).iterdir()}
    kept = {p.name: p.read_bytes() for p in SUPPORT.glob("*.tsv")}
    differing = sorted(n for n in fresh.keys() | kept.keys() if fresh.get(n) != kept.get(n))
    for name in differing:
        print(f"facts/support/{name} differs from its extracts: run tools/facts/build_tables.py",
              file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
