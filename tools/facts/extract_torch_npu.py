#!/usr/bin/env python3
"""Read torch_npu wheels: registered overloads, aclnn names, public Python names.

    extract_torch_npu.py [--wheels DIR]

Writes facts/extracts/torch_npu-{overloads,aclnn,names}.tsv. One release per torch minor version,
the newest post release on PyPI on the day given by the constant below; there is no torch_npu for
torch 2.2 on PyPI.
"""

import argparse
import re

import yaml

import python_names
import wheels
from tables import EXTRACTS, NONE, to_range, write_table

RELEASES = {  # torch minor version -> torch_npu release; PyPI, 2026-11-30
    "2.1": "2.1.0.post17", "2.3": "2.3.1.post6", "2.4": "2.4.0.post4", "2.5": "2.5.1.post1",
    "2.6": "2.6.0.post5", "2.7": "2.7.1.post11", "2.8": "2.8.0.post5", "2.9": "2.9.0.post9",
    "2.10": "2.10.0.post7", "2.11": "2.11.0.post3", "2.12": "2.12.0.post3", "2.13": "2.13.0",
    "2.14": "2.14.0",
}
PLATFORMS = ("manylinux_2_28_aarch64", "manylinux2014_aarch64")
REGISTRY = "torch_npu/csrc/aten/npu_native_functions_by_codegen.yaml"
PATHS = ("op_api", "acl_op", "core", "dvm", "sparse")
ACLNN = re.compile(rb"(?<=\0)aclnn[A-Z][A-Za-z0-9]*(?=\0)")


def registered(archive):
    """{(namespace, overload): record} from one wheel's registry.

    Sections: `supported` and `symint` are aten overloads, `quant` those for quantized tensors,
    `custom` defines npu:: operators, `autograd` names overloads with a hand-written backward. An
    entry without impl_ns is implemented inside torch_npu itself (`core`).
    """
    data = yaml.load(archive.read(REGISTRY), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    custom = {}
    for entry in data.get("custom") or []:
        custom[overload_of(entry)] = entry
    found = {}
    for section in ("custom", "supported", "symint", "quant", "autograd"):
        for entry in data.get(section) or []:
            name = overload_of(entry)
            space = "npu" if name in custom else "aten"
            record = found.setdefault((space, name), {"paths": set(), "flags": set(), "func": name})
            if isinstance(entry, dict):
                if section != "autograd":
                    record["paths"].update(paths_of(entry))
                note_flags(entry, section, record)
            else:
                record["paths"].add("core")
    return found


def overload_of(entry):
    text = entry["func"] if isinstance(entry, dict) else entry
    return text.split("(", 1)[0].strip()


def paths_of(entry):
    spaces = entry.get("impl_ns")
    paths = {s.strip() for s in spaces.split(",")} if spaces else {"core"}
    if entry.get("sparse"):
        paths.add("sparse")
    unknown = paths - set(PATHS)
    if unknown:
        raise ValueError(f"unknown impl_ns {unknown} in {entry}")
    return paths


def note_flags(entry, section, record):
    if "(" in entry["func"]:
        record["func"] = entry["func"]
    if section in ("autograd", "quant"):
        record["flags"].add(section)
    for flag in ("exposed", "internal_format_opapi"):
        if entry.get(flag):
            record["flags"].add(flag)
    if "nondeterministic_seeded" in str(entry.get("tags", "")):
        record["flags"].add("random")
    if entry.get("dispatch"):
        record["flags"].add("own_dispatch")


def returns_of(func):
    """`Tensor`, `(Tensor, Tensor)` ... of a schema, without alias marks and names."""
    if ") -> " not in func:
        return NONE
    text = func.rsplit(") -> ", 1)[1].strip()  # an argument may be written Tensor(a -> *)
    text = re.sub(r"\([a-z!|>* -]+\)(?= |$|,|\)|\[)", "", text)
    if not text.startswith("("):
        return text.split(" ")[0]
    kinds = [part.strip().split(" ")[0] for part in text.strip("()").split(",") if part.strip()]
    return "(" + ",".join(kinds) + ")"


def collect(folder):
    overloads, symbols, names, dates = {}, {}, {}, {}
    for minor, release in RELEASES.items():
        path = wheels.fetch("torch_npu", release, folder, PLATFORMS)
        with wheels.open_wheel(path) as archive:
            dates[minor] = wheels.build_date(archive)
            for key, record in registered(archive).items():
                overloads.setdefault(key, {})[minor] = record
            for symbol in aclnn_names(archive):
                symbols.setdefault(symbol, set()).add(minor)
            for name, kind in python_names.public_names(archive, "torch_npu").items():
                names.setdefault(name, {})[minor] = kind
        print(f"{minor}: {release} of {dates[minor]}")
    return overloads, symbols, names, dates


def aclnn_names(archive):
    """Operators that libtorch_npu.so names in its call strings, without the size queries."""
    found = {m.decode() for m in ACLNN.findall(archive.read("torch_npu/lib/libtorch_npu.so"))}
    return {n for n in found if not n.endswith("GetWorkspaceSize")}


def overload_rows(overloads, minors):
    for (space, name), by_minor in overloads.items():
        newest = by_minor[max(by_minor, key=minors.index)]
        row = [name if space == "aten" else f"{space}::{name}", to_range(by_minor, minors)]
        for path in PATHS:
            row.append(to_range({m for m, r in by_minor.items() if path in r["paths"]}, minors))
        flags = sorted(set().union(*(r["flags"] for r in by_minor.values())))
        row += [",".join(flags), returns_of(newest["func"])]
        yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--wheels", default="wheels/torch_npu", help="where wheels are kept")
    folder = parser.parse_args().wheels
    overloads, symbols, names, dates = collect(folder)
    minors = list(RELEASES)
    releases = ",".join(f"{RELEASES[m]}@{dates[m]}" for m in minors)
    source = (f"torch_npu wheels, PyPI, read 2026-11-30; minors={','.join(minors)}; "
              f"releases={releases}")
    write_table(EXTRACTS / "torch_npu-overloads.tsv", source,
                ["overload", "releases", *PATHS, "flags", "returns"],
                overload_rows(overloads, minors))
    write_table(EXTRACTS / "torch_npu-aclnn.tsv", source, ["aclnn", "releases"],
                ((s, to_range(v, minors)) for s, v in symbols.items()))
    rows = [(n, by[max(by, key=minors.index)], to_range(by, minors)) for n, by in names.items()]
    for (space, name), by_minor in overloads.items():
        dotted = f"torch_npu.{name.split('.')[0]}"
        if space == "npu" and dotted not in names and "." not in name:
            rows.append((dotted, "op", to_range(by_minor, minors)))
    rows += overload_only_names(overloads, {r[0] for r in rows}, minors)
    write_table(EXTRACTS / "torch_npu-names.tsv", source, ["name", "kind", "releases"], rows)


def overload_only_names(overloads, have, minors):
    """Custom operators that exist only with an overload suffix."""
    seen = {}
    for (space, name), by_minor in overloads.items():
        dotted = f"torch_npu.{name.split('.')[0]}"
        if space == "npu" and dotted not in have:
            seen.setdefault(dotted, set()).update(by_minor)
    return [(name, "op", to_range(v, minors)) for name, v in seen.items()]


if __name__ == "__main__":
    main()
