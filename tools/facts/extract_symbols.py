#!/usr/bin/env python3
"""List what torch_npu asks of CANN's libraries: symbols it links, functions it looks up by name.

    extract_symbols.py --wheel DIR --pytorch DIR

DIR are an unpacked torch_npu wheel (the folder that holds torch_npu/) and a git directory of
Ascend/pytorch. Writes facts/extracts/torch_npu-symbols.tsv. A name is `linked` when a library of
the wheel has it undefined, `looked_up` when the sources load it from the named library and its
name stands in the wheel (short names are built in registers and leave no string: then `sources`).
Operators (aclnn...) are left out; they have tables of their own.
"""

import argparse
import pathlib
import re
import subprocess

from tables import EXTRACTS, NONE, write_table

READ = "2026-11-30"
OURS = re.compile(r"(?:acl|Hccl|Hcomm|rt[A-Z]|Msprof)\w*$")
MACRO = re.compile(r"#define (\w+)\(\w+\) TORCH_NPU_REGISTER_FUNCTION\((\w+), \w+\)")
LOADED = re.compile(r"^(\w+)\((?:(lib\w+), )?(\w+)\)", re.M)
FROM_OPAPI = re.compile(r'(?:GetOpApiFuncAddr\("|GET_OP_API_FUNC\()((?:acl|[A-Z])\w+)')


def linked(wheel):
    """{symbol: libraries of the wheel that leave it undefined}"""
    found = {}
    for library in sorted(pathlib.Path(wheel, "torch_npu/lib").glob("*.so")):
        printed = subprocess.run(["nm", "-D", "--undefined-only", library], check=True,
                                 capture_output=True, text=True).stdout
        for name in re.findall(r" [Uw] (\w+)$", printed, flags=re.M):
            if OURS.match(name):
                found.setdefault(name, []).append(library.name)
    return found


def looked_up(text):
    """(function, library) that one source file loads through torch_npu's function loader."""
    macros = {}
    for line in text.splitlines():
        macro = MACRO.match(line)
        if macro:
            macros[macro[1]] = macro[2]
        for name, library, function in LOADED.findall(line):
            if name == "TORCH_NPU_REGISTER_FUNCTION" and library:
                yield function, library
            elif name in macros and not library:
                yield function, macros[name]


def sources(folder):
    """Text of the C++ sources that load functions."""
    def git(*arguments):
        return subprocess.run(["git", f"--git-dir={folder}", *arguments], check=True,
                              capture_output=True, text=True).stdout
    for line in git("grep", "-l", "TORCH_NPU_REGISTER_FUNCTION", "HEAD", "--",
                    "torch_npu/csrc").split():
        yield git("show", line)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--wheel", required=True)
    parser.add_argument("--pytorch", required=True)
    options = parser.parse_args()
    wheel = pathlib.Path(options.wheel)
    strings = (wheel / "torch_npu/lib/libtorch_npu.so").read_bytes()
    rows = {name: ["linked", NONE, ",".join(by)] for name, by in linked(wheel).items()}
    for text in sources(options.pytorch):
        for function, library in looked_up(text):
            how = "looked_up" if re.search(rb"\0%s\0" % function.encode(), strings) else "sources"
            row = rows.setdefault(function, [how, NONE, NONE])
            libraries = set(row[1].split(",")) - {NONE} | {library}
            row[1] = ",".join(sorted(libraries))
    header = (wheel / "torch_npu/include/third_party/op-plugin/op_plugin/utils/op_api_common.h",
              wheel / "torch_npu/include/third_party/op-plugin/op_plugin/utils/op_api_common_base.h")
    for path in header:
        for function in FROM_OPAPI.findall(path.read_text()):
            if not function.startswith("aclnn"):
                rows.setdefault(function, ["looked_up", "libopapi", NONE])
    for function in list(rows):
        if function.startswith("aclnn"):
            del rows[function]
    write_table(EXTRACTS / "torch_npu-symbols.tsv",
                f"torch_npu 2.13.0 (PyPI) and Ascend/pytorch 9e73e708 of 2026-08-21, read {READ}",
                ("symbol", "how", "library", "linked_by"),
                [(name, *row) for name, row in rows.items()])


if __name__ == "__main__":
    main()
