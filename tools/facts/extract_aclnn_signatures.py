#!/usr/bin/env python3
"""Collect the arguments of aclnn operators: those that torch_npu names, and all that CANN declares.

    extract_aclnn_signatures.py --op-plugin DIR --cann LABEL=DIR...

DIR are git directories: of Ascend/op-plugin, and of CANN's operator repositories (the first that
has a prototype wins). Writes facts/extracts/aclnn-signatures.tsv: one row for every name of
torch_npu-aclnn.tsv that the 2.13 wheel has (`torch_npu` yes), and for every other operator with a
prototype. Evidence, best first:

    header      CANN declares the operator in a header; types and names are from there
    documented  a page of CANN gives the prototype
    call        only op-plugin calls it, and the type of every argument is known there
    inferred    as call, with arguments whose type is not known (`?`)
    none        found nowhere

A tensor that CANN's header does not call optional is `optional` all the same when op-plugin passes
one that may be absent; one that it calls a result is `inout` when op-plugin passes an argument of
its own. Notes say where calls and prototype differ.
"""

import argparse
import collections
import re

import yaml

import call_sites
import cann_prototypes
from cann_prototypes import git
from tables import EXTRACTS, NONE, from_range, read_table, write_table

READ = "2026-11-30"
VERSION = "2.13"
SOURCES = ("op_plugin/ops/opapi/", "op_plugin/utils/custom_functions/opapi/")
FUNCTIONS = "op_plugin/config/op_plugin_functions.yaml"
# Types of native functions to kinds.
SCHEMA = {"Tensor": "in", "Tensor?": "optional", "Tensor[]": "list", "Scalar": "number",
          "Scalar?": "number~", "Scalar[]": "numbers", "int": "integer", "int?": "integer",
          "SymInt": "integer", "SymInt?": "integer", "float": "real", "float?": "real",
          "bool": "boolean", "bool?": "boolean", "str": "text", "str?": "text",
          "ScalarType": "dtype", "ScalarType?": "dtype", "Tensor?[]": "list"}
# Arguments that can be NULL; `optional` says so by itself.
POINTERS = {"out", "inout", "list", "outs", "number", "numbers", "integers", "reals", "bools", "text"}
# Same width and register class in a call: a difference of words, not of the ABI.
SAME = ({"integer", "unsigned"}, {"in", "optional", "inout", "out"}, {"list", "outs"},
        {"dtype", "int32"})


def schema_kind(text):
    text = re.sub(r"\([a-z]!?(?: -> \*)?\)", "", text)
    if re.match(r"(?:Sym)?[Ii]nt\[", text):
        return "integers"
    if re.match(r"bool\[", text):
        return "bools"
    if re.match(r"float\[", text):
        return "reals"
    return SCHEMA.get(re.sub(r"\[\d+\]", "[]", text), "?")


def structured(function, entry):
    """(operator, [(kind, name)]) of a function whose call op-plugin generates."""
    name, inside, returned = re.match(r"([\w.]+)\((.*)\) -> (.*)$", function).groups()
    made, outs = [], []
    for part in call_sites.split(inside.replace("*, ", "")):
        match = re.match(r"(\S+) (\w+)", part)
        if not match:
            continue
        kind = schema_kind(match[1])
        if "!" in match[1]:
            kind = "inout" if match[2] == "self" else "out"
        (outs if kind == "out" else made).append((kind, match[2]))
    words = [word.strip() for word in entry["exec"].split(",")]
    given = {known: kind for kind, known in made + outs}
    results = [key for key in entry if key != "exec" and isinstance(entry[key], dict)]
    if len(words) == 1:
        made += outs or ([] if any(k == "inout" for k, _ in made)
                         else [("out", result) for result in results])
        return words[0], made
    return words[0], [(("out" if word in results else given.get(word, "?")), word)
                      for word in words[1:]]


def all_calls(folder):
    """{operator: [([(kind, name)], where)]} of op-plugin."""
    found = collections.defaultdict(list)
    for path in git(folder, "-c", "core.quotepath=off", "ls-tree", "-r", "--name-only",
                    "HEAD").split("\n"):
        if path.startswith(SOURCES) and path.endswith((".cpp", ".h")):
            for operator, made, line in call_sites.calls(git(folder, "show", f"HEAD:{path}")):
                found[operator].append((made, f"{path}:{line}"))
    text = git(folder, "show", f"HEAD:{FUNCTIONS}")
    lines = {}
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r"\s+- func: (.*)", line)
        if match:
            lines[match[1].strip()] = number
    for section in yaml.safe_load(text).values():
        for entry in section if isinstance(section, list) else ():
            generated = isinstance(entry, dict) and entry.get("gen_opapi")
            if isinstance(generated, dict) and "exec" in generated:
                operator, made = structured(entry["func"], generated)
                found[operator].append((made, f"{FUNCTIONS}:{lines.get(entry['func'], 0)}"))
    return found


def differs(theirs, ours):
    return theirs != ours and "?" not in (theirs, ours) and \
        not any({theirs, ours} <= same for same in SAME)


def split_absent(calls):
    """The calls without `~`, and the places that had one."""
    places = set()
    plain = []
    for site, where in calls:
        places |= {(len(site), index) for index, (kind, _) in enumerate(site) if kind.endswith("~")}
        plain.append(([(kind.rstrip("~"), name) for kind, name in site], where))
    return plain, places


def comes_in(site, index):
    """Whether a call passes an argument of its own there, and only there (not self for a result)."""
    kind, name = site[index]
    return kind in ("optional", "inout") and [known for _, known in site].count(name) == 1


def refine(made, sites):
    """Tensors that may be absent, and results that come in, by what the calls pass."""
    refined = []
    for index, (kind, name) in enumerate(made):
        passed = {site[index][0] for site in sites}
        if kind == "in" and "optional" in passed:
            kind = "optional"
        elif kind == "out" and sites and all(comes_in(site, index) for site in sites):
            kind = "inout"
        refined.append((kind, name))
    return refined


def agree(made, sites):
    """One list of arguments for an operator that only calls tell of."""
    merged = []
    for index, (kind, name) in enumerate(made):
        kinds = {site[index][0] for site in sites} - {"?"}
        if len(kinds) == 1:
            kind = kinds.pop()
        elif kinds == {"in", "optional"}:
            kind = "optional"
        merged.append((kind, name))
    return merged


def notes_of(made, calls):
    """What the calls say differently, one of each kind."""
    notes = {}
    for site, where in calls:
        if len(site) != len(made):
            notes.setdefault(f"{len(site)} arguments at", where)
            continue
        for (kind, _), (known, name) in zip(site, made):
            if differs(kind, known):
                notes.setdefault(f"{name} is {kind} at", where)
    return "; ".join(f"{note} {where.rsplit('/', 1)[-1]}" for note, where in notes.items())


# Kinds that say by themselves that an argument may be absent.
ABSENT = {"out": "optional_out", "list": "optional_list", "number": "optional_number",
          "integers": "optional_integers"}


def finish(made, nullable):
    """Arguments and the rest of those that may be NULL, as the table has them."""
    absent = set(nullable.split(","))
    made = [(ABSENT.get(kind, kind) if name in absent else kind, name) for kind, name in made]
    return spell(made), ",".join(name for kind, name in made
                                 if name in absent and not kind.startswith("optional"))


def spell(made):
    return "".join(f"({kind},{name})" for kind, name in made)


def row_of(operator, prototypes, calls):
    """(arguments, absent, header, certainty, source, number of calls, first call, notes)"""
    first = calls[0][1] if calls else NONE
    calls, places = split_absent(calls)
    for certainty in ("header", "documented"):
        for made, absent, header, where in prototypes.get(operator, {}).get(certainty, ()):
            fitting = [site for site, _ in calls if len(site) == len(made)]
            made = refine(made, fitting)
            others = {spell([(k, "") for k, _ in other[0]])
                      for other in prototypes[operator]["header"] + prototypes[operator]["documented"]}
            notes = notes_of(made, calls)
            if len({other.count("(") for other in others}) > 1:
                notes = "; ".join(filter(None, (notes, "prototypes with other numbers of arguments exist")))
            if header == NONE:
                named = [p[2] for p in prototypes[operator]["documented"] if p[2] != NONE]
                header = named[0] if named else NONE
            nullable = ",".join(name for index, (kind, name) in enumerate(made)
                                if kind in POINTERS
                                and (name in absent or (len(made), index) in places))
            return *finish(made, nullable), header, certainty, where, len(calls), first, notes
    if not calls:
        return NONE, NONE, NONE, "none", NONE, 0, NONE, ""
    counts = collections.Counter(len(site) for site, _ in calls)
    length = counts.most_common(1)[0][0]
    fitting = [site for site, _ in calls if len(site) == length]
    made = agree(min(fitting, key=lambda site: sum(kind == "?" for kind, _ in site)), fitting)
    certainty = "inferred" if any(kind == "?" for kind, _ in made) else "call"
    nullable = ",".join(name for index, (_, name) in enumerate(made) if (length, index) in places)
    return *finish(made, nullable), NONE, certainty, NONE, len(calls), first, notes_of(made, calls)


def wheel_names():
    provenance, rows = read_table(EXTRACTS / "torch_npu-aclnn.tsv")
    minors = re.search(r"minors=([\d.,]+)", provenance)[1].split(",")
    return [row["aclnn"] for row in rows if VERSION in from_range(row["releases"], minors)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--op-plugin", required=True)
    parser.add_argument("--cann", required=True, nargs="+", metavar="LABEL=DIR")
    options = parser.parse_args()
    folders = [pair.split("=", 1) for pair in options.cann]
    prototypes = cann_prototypes.collect(folders)
    calls = all_calls(options.op_plugin)
    rows = []
    named = set(wheel_names())
    for name in sorted(named | set(prototypes)):
        base = name.removesuffix("GetMaxWorkspaceSize")
        row = list(row_of(base, prototypes, calls.get(base, ())))
        if base != name:
            row[-1] = f"as {base}, whose largest workspace it tells"
        rows.append((name, "yes" if name in named else "no", *row))
    read = "; ".join(f"{label} {git(folder, 'log', '-1', '--format=%h of %cs').strip()}"
                     for label, folder in (("Ascend/op-plugin", options.op_plugin), *folders))
    write_table(EXTRACTS / "aclnn-signatures.tsv", f"{read}; read {READ}",
                ("aclnn", "torch_npu", "arguments", "nullable", "header", "certainty", "prototype", "calls",
                 "first_call", "notes"), rows)
    print(collections.Counter(row[5] for row in rows if row[1] == "yes"))


if __name__ == "__main__":
    main()
