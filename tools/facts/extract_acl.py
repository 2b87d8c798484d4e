#!/usr/bin/env python3
"""Compare include/ with the headers that CANN ships, and note what those say.

    extract_acl.py --wheel DIR --opbase DIR --pytorch DIR

DIR are: an unpacked torch_npu wheel (the folder that holds torch_npu/), and git directories of
CANN's opbase and of Ascend/pytorch. Writes facts/extracts/acl.tsv: every function, constant, type
and field that include/ declares, as the C++ compiler sees it in CANN's headers; ends with the
compiler's message where include/ says something else.

A function is compared by declaring it again after CANN's header: another prototype does not
compile. Constants, sizes and offsets are printed by one program, compiled with either headers. The
prototype that is noted is ours, in words; that it is CANN's is what the compiler has found.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

from tables import EXTRACTS, ROOT, write_table

INCLUDE = ROOT / "include"
READ = "2026-11-30"
OPBASE = {"aclnn/acl_meta.h": "include/nnopbase/aclnn/acl_meta.h",
          "aclnn/aclnn_base.h": "include/nnopbase/aclnn/aclnn_base.h"}
PYTORCH = {"runtime/rt.h": "torch_npu/csrc/inductor/mlir/hacl_rt.h"}
# Looked up by name in Ascend/pytorch and declared in no header: the prototype is that of its call.
CALLED = {"aclprofWarmup", "aclprofGetSupportedFeatures", "aclprofGetSupportedFeaturesV2",
          "aclprofRegisterDeviceCallback"}


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r"\\\n", " ", re.sub(r"//[^\n]*", " ", text))


def headers(root=INCLUDE):
    """Names of our headers, as a client includes them; those of operators are another table."""
    found = (path.relative_to(root) for path in root.rglob("*.h"))
    return sorted(path.as_posix() for path in found if path.parts[0] not in {"aclnnop", "foothold"})


class Header:
    """What one header of ours declares, by the regular form that clang-format gives it."""

    def __init__(self, name, text):
        text = without_comments(text)
        self.name = name
        self.constants = [m for m in re.findall(r"^#define (\w+) [(\w\"-]", text, flags=re.M)
                          if m not in ("ACL_FUNC_VISIBILITY", "MSPROF_MAGIC")]
        self.constants += re.findall(r"^(?:ACL_ERROR_CODE|ACL_GE_ERROR_CODE)\((\w+), \d+\)", text,
                                     flags=re.M)
        self.constants += re.findall(r"^HCCL_CONSTANT\(\w+, (\w+), \w+\)", text, flags=re.M)
        text = re.sub(r"^#(?:.*)$", "", text, flags=re.M)
        text = re.sub(r"^static inline .*?^}", "", text, flags=re.M | re.S)
        self.functions = {m[2]: re.sub(r"\s+", " ", m[0]) for m in re.finditer(
            r"^(?!typedef)(\w[\w *]*?)(\b\w+)\(([^;{}]*)\);", text, flags=re.M)}
        for body in re.findall(r"\benum\b[^{;]*\{(.*?)\}", text, flags=re.S):
            self.constants += re.findall(r"(?:^|,)\s*(\w+)", body)
        text = re.sub(r"^(.*)\{ ([^{}\n]*) \}(.*)$", r"\1{\n    \2\n}\3", text, flags=re.M)
        self.types, self.fields = {}, []
        for kind, tag, body, name in re.findall(
                r"^(?:typedef )?(struct|union|enum)(?: (\w+))? \{(.*?)^\}(?: (\w+))?;", text,
                flags=re.M | re.S):
            known = name or tag
            self.types[known] = kind
            # Nested unions and structures: their members are the outer type's where they are not named.
            for inner in re.findall(r"^    (?:struct|union) \{(.*?)^    \};", body, flags=re.M | re.S):
                self.add_fields(known, inner, " " * 8)
            if kind != "enum":
                self.add_fields(known, body, " " * 4)
        for line in re.findall(r"^typedef [^{}]*?;", text, flags=re.M | re.S):
            pointer = re.search(r"\(\*(\w+)\)\(", line)
            name = pointer[1] if pointer else re.search(r"(\w+);", line)[1]
            if not re.match(r"typedef struct \w+ \w+;", line):
                self.types[name] = line

    def add_fields(self, known, body, indent):
        for line in re.findall(rf"^{indent}(\w[^;{{}}]*);", body, flags=re.M):
            name = re.search(r"(\w+)(?:\[[^\]]*\])*(?: MSPROF_MAGIC)?$", line)[1]
            self.fields.append((known, name, re.sub(r" MSPROF_MAGIC$", "", line)))


def declared(root=INCLUDE):
    return [Header(name, (root / name).read_text()) for name in headers(root)]


def prelude(names):
    # CANN's headers use bool and NULL without including them everywhere.
    return "".join(f"#include <{line}>\n" for line in
                   ("cstddef", "cstdint", "cstdio", "cstring", "type_traits", *names))


def probe(found):
    """A program that prints every constant, size and offset, one a line."""
    lines = []
    for header in found:
        lines += [f'    {{"{name}", "value", (long long)({name}), -1}},' for name in header.constants]
        lines += [f'    {{"{name}", "type", sizeof({name}), -1}},' for name in header.types]
        lines += [f'    {{"{owner}.{name}", "field", offsetof({owner}, {name}), '
                  f"sizeof((({owner} *)nullptr)->{name})}}," for owner, name, _ in header.fields]
    table = ("static const struct { const char *name, *kind; long long value; long size; } table[] = {\n"
             + "\n".join(lines) + "\n};\n")
    return table + """int main()
{
    for (auto &row : table)
        if (row.size < 0)
            std::printf("%s\\t%s\\t%lld\\n", row.name, row.kind, row.value);
        else
            std::printf("%s\\t%s\\t%lld+%ld\\n", row.name, row.kind, row.value, row.size);
    static HcclCommConfig config;
    HcclCommConfigInit(&config);
    unsigned long sum = 0;
    for (size_t i = 0; i < sizeof config; i++)
        sum = sum * 31 + ((unsigned char *)&config)[i];
    std::printf("HcclCommConfigInit\\tsum\\t%lu\\n", sum);
}
"""


def again(found):
    """Every function declared once more, and every field's type, to stand after CANN's headers."""
    lines = ['extern "C" {']
    for header in found:
        lines += [text for name, text in header.functions.items() if name not in CALLED]
    lines.append("}")
    for header in found:
        for owner, name, text in header.fields:
            kind = re.match(rf"(.*?)\b{name}((?:\[[^\]]*\])*)$", text)
            lines.append(f"static_assert(std::is_same<decltype((({owner} *)nullptr)->{name}), "
                         f'std::remove_reference<decltype(*({kind[1]}(*){kind[2]})nullptr)>::type>::value, '
                         f'"{owner}.{name}");' if kind[2] else
                         f"static_assert(std::is_same<decltype({owner}::{name}), {kind[1].strip()}>::value, "
                         f'"{owner}.{name}");')
        for name, line in header.types.items():
            if line.startswith("typedef"):
                lines.append(line)
    return "\n".join(lines) + "\n"


def compiled(text, folders, output=None):
    """Compile C++; the message of the compiler, empty when it has none."""
    target = ["-o", str(output)] if output else ["-fsyntax-only"]
    done = subprocess.run(["g++", "-std=c++17", "-w", "-x", "c++", "-",
                           *(f"-I{folder}" for folder in folders), *target],
                          input=text, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def answers(found, folders):
    """What the program prints with these headers: {name: (kind, value)}."""
    with tempfile.TemporaryDirectory() as scratch:
        program = pathlib.Path(scratch, "probe")
        said = compiled(prelude(h.name for h in found) + probe(found), folders, program)
        if said:
            raise RuntimeError(said)
        printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return {line.split("\t")[0]: tuple(line.split("\t")[1:]) for line in printed.splitlines()}


def rows(found, folders):
    """Of the extract: (name, kind, value, header)."""
    where = {}
    for header in found:
        for name in (*header.constants, *header.types, *(f"{o}.{n}" for o, n, _ in header.fields)):
            where[name] = header.name
    made = [(name, kind, value, where.get(name, "hccl/hccl.h"))
            for name, (kind, value) in answers(found, folders).items()]
    for header in found:
        made += [(name, "called" if name in CALLED else "function", text, header.name)
                 for name, text in header.functions.items()]
    return sorted(made, key=lambda row: row[0].encode())


def git(folder, *arguments):
    return subprocess.run(["git", f"--git-dir={folder}", *arguments], check=True,
                          capture_output=True, text=True).stdout


def lay_out(scratch, wheel, repositories):
    """Include folders with CANN's headers under the names of ours."""
    for folder, names in repositories:
        for ours, theirs in names.items():
            path = pathlib.Path(scratch, ours)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(git(folder, "show", f"HEAD:{theirs}"))
    base = pathlib.Path(wheel, "torch_npu/include")
    return [scratch, base, base / "third_party/acl/inc", base / "third_party/hccl/inc"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--wheel", required=True)
    parser.add_argument("--opbase", required=True)
    parser.add_argument("--pytorch", required=True)
    options = parser.parse_args()
    found = declared()
    with tempfile.TemporaryDirectory() as scratch:
        folders = lay_out(scratch, options.wheel,
                          ((options.opbase, OPBASE), (options.pytorch, PYTORCH)))
        said = compiled(prelude(h.name for h in found) + again(found), folders)
        if said:
            sys.exit(said)
        theirs, ours = rows(found, folders), rows(found, [INCLUDE])
    if theirs != ours:
        sys.exit("\n".join(f"CANN {t}\nours {o}" for t, o in zip(theirs, ours) if t != o))
    commits = ", ".join(f"{name} {git(folder, 'log', '-1', '--format=%h of %cs').strip()}"
                        for name, folder in (("hicann/opbase", options.opbase),
                                             ("Ascend/pytorch", options.pytorch)))
    write_table(EXTRACTS / "acl.tsv",
                f"headers of torch_npu 2.13.0 (PyPI), {commits}, read {READ}",
                ("name", "kind", "value", "header"), theirs)


if __name__ == "__main__":
    main()
