#!/usr/bin/env python3
"""Checks that `foothold dump-calls` sees every call that CPython's `ast` sees, at the same place.

A call's place is the start of its expression: `node.lineno` and `node.col_offset`, the latter
turned into code points and counted from 1. Only .py files that `ast.parse` accepts count.
CPython before 3.12 misplaces a few calls inside f-strings: where the text at a place cannot begin
the call, the place is left out, and so is anything that foothold prints on those lines more.

usage: calls.py FOOTHOLD PACKAGE[==VERSION]... [--cache FOLDER]     wheels from PyPI; without a
                                       version that of packages.tsv, else the newest
       calls.py FOOTHOLD --path FOLDER...                           code that is here
Prints per target: files, calls, missing, extra. Exit 1 where one is missing or extra, 2 where
foothold fails.
"""
import argparse
import ast
import collections
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import tokenize
import warnings

from pypi import bring
from tables import HERE, read_table

SHOWN = 20


def decoded(path):
    """The file's text as Python reads it (coding line, BOM), with universal line ends."""
    with open(path, "rb") as file:
        data = file.read()
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return re.sub("\r\n?", "\n", data.decode(encoding))


def first_word(node):
    """What the text of a call begins with, as far as that is sure."""
    node = node.func
    while True:
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            return node.id if isinstance(node, ast.Name) else ""


def in_strings(tree):
    """Calls inside f-strings, each with the lines of its string."""
    return {call: (string.lineno, string.end_lineno) for string in ast.walk(tree)
            if isinstance(string, ast.JoinedStr) for call in ast.walk(string)
            if isinstance(call, ast.Call)}


def calls_of(path):
    """(Counter of (line, column) of all calls, lines with calls whose place is not known), or
    None where CPython does not take the file."""
    try:
        text = decoded(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError):
        return None
    # Lines as the parser counts them: form feeds and other separators do not end one.
    lines = text.split("\n")
    ascii_lines = {}
    places, loose = collections.Counter(), set()
    strings = in_strings(tree) if sys.version_info < (3, 12) else {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        line, offset = node.lineno, node.col_offset
        if line not in ascii_lines:
            ascii_lines[line] = None if lines[line - 1].isascii() else lines[line - 1].encode()
        whole = ascii_lines[line]
        column = offset if whole is None else len(whole[:offset].decode("utf-8", "replace"))
        if node in strings and not lines[line - 1][column:].startswith(first_word(node)):
            loose.update(range(strings[node][0], strings[node][1] + 1))
            continue
        places[line, column + 1] += 1
    return places, loose


def python_files(root):
    for folder, folders, files in os.walk(root):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(folder, name)
            if name.endswith(".py") and not os.path.islink(path):
                yield os.path.relpath(path, root), path


def dumped(foothold, root):
    """Counter of (file, line, column) that foothold prints; its files are relative to root."""
    seen = collections.Counter()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([foothold, "dump-calls", root], stdout=subprocess.PIPE,
                                   stderr=errors)
        for line in process.stdout:
            call = json.loads(line)
            file = call["file"]
            if os.path.isabs(file) or file.startswith(root + "/"):
                file = os.path.relpath(file, root)
            seen[file, call["line"], call["column"]] += 1
        if process.wait():
            errors.seek(0)
            print(f"calls.py: {foothold} dump-calls {root} ended with {process.returncode}: "
                  + errors.read().decode("utf-8", "replace")[-400:], file=sys.stderr)
            raise SystemExit(2)
    return seen


def compare(foothold, root):
    """(files, refused files, calls, missing places, extra places)"""
    seen = dumped(foothold, root)
    files = refused = total = 0
    missing, extra, judged, unknown = [], [], set(), set()
    for relative, path in python_files(root):
        known = calls_of(path)
        if known is None:
            refused += 1
            continue
        places, loose = known
        files += 1
        judged.add(relative)
        unknown.update((relative, line) for line in loose)
        for (line, column), count in places.items():
            total += count
            have = seen.pop((relative, line, column), 0)
            missing += [(relative, line, column)] * max(0, count - have)
            extra += [(relative, line, column)] * max(0, have - count)
    extra += [place for place, count in seen.items() if place[0] in judged for _ in range(count)]
    extra = [place for place in extra if place[:2] not in unknown]
    return files, refused, total, sorted(missing), sorted(extra)


def newest(name):
    """The newest version of a package that pip's own finder knows."""
    out = subprocess.run([sys.executable, "-m", "pip", "index", "versions", name],
                         capture_output=True, text=True)
    found = re.match(r"\S+ \(([^)]+)\)", out.stdout)
    if not found:
        raise SystemExit(f"calls.py: pip knows no version of {name}: {out.stderr[-200:]}")
    return found.group(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("foothold")
    parser.add_argument("targets", nargs="+")
    parser.add_argument("--path", action="store_true", help="the targets are folders")
    parser.add_argument("--cache", default=os.path.expanduser("~/.cache/foothold-truths"))
    options = parser.parse_intermixed_args()
    bad = False
    print(f"{'target':32}{'files':>7}{'refused':>9}{'calls':>9}{'missing':>9}{'extra':>7}")
    for target in options.targets:
        root = target
        if not options.path:
            name, _, version = target.partition("==")
            known = {row[0]: row[1:3] for row in read_table(os.path.join(HERE, "packages.tsv"))}
            version, pinned = (version, None) if version else known.get(name) or (
                newest(name), None)
            target = f"{name} {version}"
            root = bring(name, version, "wheel", options.cache, pinned)
        files, refused, total, missing, extra = compare(options.foothold, root)
        print(f"{target:32}{files:7}{refused:9}{total:9}{len(missing):9}{len(extra):7}")
        for word, places in (("missing", missing), ("extra", extra)):
            for place in places[:SHOWN]:
                print("    {}: {}:{}:{}".format(word, *place))
        bad |= bool(missing or extra) or not total
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
