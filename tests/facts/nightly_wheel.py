"""The tables against one torch_npu wheel, read afresh and in another way.

Another machine's wheel (x86-64) than the extracts come from (aarch64), and its registry read line
by line instead of as YAML. Downloads 40 MB through pip; run with
`python3 -m unittest discover -s tests/facts -p 'nightly_*.py'`.
"""

import re
import tempfile
import unittest

from verdict import EXTRACTS, NONE, Tables, from_range, read_table

import wheels

RELEASE, VERSION = "2.13.0", "2.13"
REGISTRY = "torch_npu/csrc/aten/npu_native_functions_by_codegen.yaml"


def read_registry(text):
    """{overload: set of paths}, from the lines of the file."""
    found, section, custom = {}, None, set()
    for entry in re.split(r"^(?=- )|^(?=\w)", text, flags=re.M):
        if not entry.startswith("- "):
            section = entry.split(":")[0]
            continue
        name = re.search(r"func: ([\w.]+)\(", entry)
        if name is None and "func:" in entry:
            name = re.search(r"func: ([\w.]+)", entry)
        key = name[1] if name else entry[2:].strip()
        if section == "custom":
            custom.add(key)
        if section != "autograd":
            spaces = re.search(r"impl_ns: (.*)", entry)
            found.setdefault(key, set()).update(
                re.split(r",\s*", spaces[1].strip()) if spaces else {"core"})
    return {(f"npu::{k}" if k in custom else k): v for k, v in found.items()}


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as scratch:
            path = wheels.fetch("torch_npu", RELEASE, scratch, ("manylinux_2_28_x86_64",))
            with wheels.open_wheel(path) as archive:
                cls.registry = read_registry(archive.read(REGISTRY).decode())
                library = archive.read("torch_npu/lib/libtorch_npu.so")
        cls.symbols = {m.decode() for m in re.findall(rb"aclnn[A-Z]\w*", library)}
        cls.tables = Tables()

    def test_every_overload_is_registered_as_the_table_says(self):
        for name, row in self.tables.overloads.items():
            mine = {c for c in ("op_api", "acl_op", "core")
                    if VERSION in from_range(row[c], self.tables.minors)}
            theirs = self.registry.get(name, set()) & {"op_api", "acl_op", "core"}
            self.assertEqual(mine, theirs, name)

    def test_nothing_of_the_registry_is_missing(self):
        missing = sorted(set(self.registry) - set(self.tables.overloads))
        self.assertEqual(missing, [])
        self.assertGreater(len(self.registry), 1400)

    def test_aclnn_names_are_in_the_library(self):
        known = {r["aclnn"] for r in read_table(EXTRACTS / "torch_npu-aclnn.tsv")[1]
                 if VERSION in from_range(r["releases"], self.tables.minors)}
        self.assertEqual(sorted(known - self.symbols), [])
        used = set()
        for row in self.tables.overloads.values():
            if row["aclnn"] != NONE and VERSION in from_range(row["op_api"], self.tables.minors):
                used.update(row["aclnn"].split(","))
        absent = used - self.symbols
        print(f"\naclnn names: {len(used)} used by overloads of {VERSION}, {len(absent)} of them "
              f"not in its library: {' '.join(sorted(absent))}")
        self.assertLess(len(absent), 0.05 * len(used))


if __name__ == "__main__":
    unittest.main()
