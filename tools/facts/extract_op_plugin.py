#!/usr/bin/env python3
"""Read op-plugin's sources: which aclnn operators an overload calls, which backward it names.

    extract_op_plugin.py --repository DIR    (a git directory of Ascend/op-plugin)

Writes facts/extracts/op_plugin-{aclnn,derivatives,products}.tsv. C++ functions are found by name,
so overloads that share a C++ name share the list; helpers are followed through their calls.
Products come from the tables at the head of each page on a custom API.
"""

import argparse
import re
import subprocess

import yaml

from tables import EXTRACTS, NONE, write_table

FUNCTIONS = "op_plugin/config/op_plugin_functions.yaml"
DERIVATIVES = "op_plugin/config/derivatives.yaml"
SOURCES = ("op_plugin/ops/opapi/", "op_plugin/utils/custom_functions/opapi/")
# A name at the start of a line's declaration, its parameters, and the brace that opens the body.
DEFINITION = re.compile(r"(?<![\w.>])(\w+)\s*"
                        r"\(([^(){};]*(?:\([^(){};]*\)[^(){};]*)*)\)\s*(?:const\s*)?\{")
COMMAND = re.compile(r"\b(?:EXEC\w*|DO_COMPATIBILITY\w*)\s*\(\s*(aclnn\w+)")
CALL = re.compile(r"(?<![\w.>:])(?:(?:\w+\s*::\s*)*?(\w+)\s*::\s*)?(\w+)\s*\(")
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "catch", "defined", "TORCH_CHECK"}
FOLLOWED = ("", "op_api", "op_plugin", "custom_ops")


DOCUMENTS = "docs/zh/custom_APIs/"
# Product line in a page -> chip family, first match; Atlas 推理 is 310P, Atlas 训练 the first 910.
PRODUCTS = (("950", "950"), ("Atlas A3", "A3"), ("200I/500 A2", "310B"), ("Atlas A2", "A2"),
            ("推理系列", "310P"), ("训练系列", "910"))
RETIRING = "计划废弃"
NAME = re.compile(r"torch(?:_npu|vision)?\.[\w.]+", re.ASCII)


class Repository:
    def __init__(self, folder):
        self.folder = folder

    def git(self, *arguments):
        return subprocess.run(["git", f"--git-dir={self.folder}", *arguments], check=True,
                              capture_output=True).stdout.decode("utf-8", "replace")

    def paths(self):
        return [p for p in self.all_paths() if p.startswith(SOURCES) and p.endswith((".cpp", ".h"))]

    def all_paths(self):
        return self.git("-c", "core.quotepath=off", "ls-tree", "-r", "--name-only",
                        "HEAD").split("\n")

    def read(self, path):
        return self.git("show", f"HEAD:{path}")


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r"//[^\n]*", " ", text)


def body_end(text, opening):
    depth = 0
    for index in range(opening, len(text)):
        if text[index] == "{":
            depth += 1
        elif text[index] == "}":
            depth -= 1
            if depth == 0:
                return index
    return len(text)


def functions(text):
    """(name, body) of the function definitions of one file."""
    position = 0
    while True:
        match = DEFINITION.search(text, position)
        if match is None:
            return
        if match[1] in KEYWORDS:
            position = match.end(1)
            continue
        end = body_end(text, match.end() - 1)
        yield match[1], text[match.end():end]
        position = end


def read_sources(repository):
    """{C++ name: (aclnn names in order, names called)} over all files."""
    found = {}
    for path in repository.paths():
        for name, body in functions(without_comments(repository.read(path))):
            commands, calls = found.setdefault(name, ([], []))
            commands += [c for c in COMMAND.findall(body) if c not in commands]
            calls += [c for space, c in CALL.findall(body) if space in FOLLOWED and c != name]
    return found


def closure(sources, name, seen):
    """aclnn names of a function and of the helpers it calls."""
    if name not in sources or name in seen:
        return []
    seen.add(name)
    commands, calls = sources[name]
    found = list(commands)
    for call in calls:
        found += closure(sources, call, seen)
    return list(dict.fromkeys(found))


def cpp_name(overload):
    """Name of the C++ function: `addmm.out` is addmm_out, `add.Tensor` is add."""
    base, _, rest = overload.partition(".")
    is_out = rest == "out" or rest.endswith(("_out", "_values", "_max", "_min", "_input")) or (
        rest in ("values", "grad_input", "output", "indices"))
    return base + "_out" if is_out else base


def executed(entry):
    """aclnn names of a generated implementation (`gen_opapi: exec:`), for any version."""
    text = entry.get("gen_opapi")
    return list(dict.fromkeys(re.findall(r"aclnn\w+", str(text)))) if text else []


def aclnn_rows(repository):
    sources = read_sources(repository)
    config = yaml.load(repository.read(FUNCTIONS), Loader=getattr(yaml, "CSafeLoader",
                                                                  yaml.SafeLoader))
    found = {}
    entries = [(section, entry) for section in ("official", "custom", "symint", "quant")
               for entry in config.get(section) or []]
    custom = {e["func"].split("(")[0] for s, e in entries if s == "custom"}
    for _, entry in entries:
        overload = entry["func"].split("(")[0].strip()
        if "op_api" not in entry:
            continue
        names = executed(entry)
        how = "exec" if names else "cpp"
        inherits = (entry.get("gen_opapi") or {}).get("structured_inherit")
        for suffix in ("", "_symint"):
            if not names and not inherits:
                names = closure(sources, cpp_name(overload) + suffix, set())
        key = f"npu::{overload}" if overload in custom else overload
        if names:
            have = found.setdefault(key, [[], how])
            have[0] += [n for n in names if n not in have[0]]
        elif inherits:
            found.setdefault(key, [["=" + inherits], "inherit"])
    for key, (names, how) in list(found.items()):
        if how == "inherit":
            target = found.get(names[0][1:])
            if target is None or target[1] == "inherit":
                del found[key]
            else:
                found[key] = [target[0], "exec"]
    return [(key, ",".join(names), how) for key, (names, how) in found.items()]


def derivative_rows(repository):
    """Backward functions that op-plugin's formulas call, per overload."""
    config = yaml.load(repository.read(DERIVATIVES), Loader=getattr(yaml, "CSafeLoader",
                                                                    yaml.SafeLoader))
    entries = config["backward"] if isinstance(config, dict) else config
    found = {}
    for entry in entries:
        name = entry["name"].split("(")[0].strip()
        formulas = " ".join(str(v) for k, v in entry.items() if k not in (
            "name", "version", "output_differentiability", "result"))
        called = [c for c in re.findall(r"\b(\w*backward\w*)\s*\(", formulas)]
        have = found.setdefault(name, [])
        have += [c for c in dict.fromkeys(called) if c not in have]
    return [(name, ",".join(called) or NONE) for name, called in found.items()]


def product_rows(repository):
    """(API, chip families, beta, retiring, replacement) from the pages on custom APIs."""
    replacements = read_replacements(repository.read(DOCUMENTS + "scrap_API.md"))
    found = {}
    for path in repository.all_paths():
        if not path.startswith(DOCUMENTS + "torch_npu") or not path.endswith(".md"):
            continue
        text = repository.read(path)
        title = re.search(r"^#\s*(.+)$", text, flags=re.M)
        name = NAME.search(title[1].replace("\\", "")) if title else None
        if name is None or "接口列表" in title[1]:
            continue
        chips = [family for family in dict.fromkeys(f for _, f in PRODUCTS)
                 if family in families(text)]
        head = text.split("\n## ")[0]
        found[name[0]] = (name[0], ",".join(chips), "beta" if "beta" in title[1] else NONE,
                          "retiring" if RETIRING in head or name[0] in replacements else NONE,
                          replacements.get(name[0], NONE))
    return found.values()


def families(text):
    found = set()
    for product, mark in re.findall(r"^\|(.+?)\|\s*([^|]*?)\s*\|?\s*$", text, flags=re.M):
        if mark == "√":
            for part in re.sub(r"</?term>", "", product).split("/Atlas"):
                family = next((f for key, f in PRODUCTS if key in ensure_atlas(part)), None)
                found.add(family)
    return found


def ensure_atlas(part):
    """Names after the first of `Atlas A2 ../Atlas 800I ..` lose their first word in the split."""
    part = part.strip()
    return part if part.startswith(("Atlas", "Ascend")) else "Atlas " + part


def read_replacements(text):
    """{retiring API: what its page names instead} from the rows of an HTML table."""
    found = {}
    for row in re.findall(r"<tr.*?</tr>", text, flags=re.S):
        plain = re.sub(r"<[^>]+>", " ", row).replace("\\", "")
        names = list(dict.fromkeys(name.rstrip(".") for name in NAME.findall(plain)
                                   if not name.endswith(".md")))
        if names:
            found[names[0]] = names[1] if len(names) > 1 else NONE
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repository", required=True)
    repository = Repository(parser.parse_args().repository)
    commit, date = repository.git("log", "-1", "--format=%H %cs").split()
    source = f"sources of Ascend/op-plugin, commit {commit[:12]} of {date}, read 2026-11-30"
    write_table(EXTRACTS / "op_plugin-aclnn.tsv", source, ["overload", "aclnn", "how"],
                aclnn_rows(repository))
    write_table(EXTRACTS / "op_plugin-derivatives.tsv", source, ["overload", "backward"],
                derivative_rows(repository))
    write_table(EXTRACTS / "op_plugin-products.tsv", source,
                ["api", "chips", "beta", "retiring", "replacement"], product_rows(repository))


if __name__ == "__main__":
    main()
