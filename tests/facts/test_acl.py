"""The headers of CANN's C ABI are what CANN says, compile alone, and cover what torch_npu asks for.

CANN's answers are in facts/extracts/acl.tsv; nightly_acl.py asks the wheel's headers again.
"""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

from verdict import EXTRACTS, ROOT, read_table

import extract_acl

STRICT = ("-Wall", "-Wextra", "-Wshadow", "-Werror", "-fsyntax-only")
LANGUAGES = {"gcc": ("-std=c11", "-x", "c"), "g++": ("-std=c++17", "-x", "c++")}
# Libraries whose functions torch_npu does without when they are not there, and libopapi's cache of
# executors, which it uses only when all of the cache's functions are found.
OPTIONAL = {"libascend_ml", "liblcal", "libshmem", "libascendsk", "libdcmi", "libascend_hal",
            "libmspti", "libms_tools_ext"}
CACHE = {"CanUsePTACache", "InitHugeMemThreadLocal", "InitPTACacheThreadLocal", "PTAFindExecCache",
         "PTAGetExecCache", "ReleaseHugeMem", "SetPTACacheHashKey", "SetPTAHashKey",
         "UnInitHugeMemThreadLocal", "UnInitPTACacheThreadLocal"}


def extract():
    _, rows = read_table(EXTRACTS / "acl.tsv")
    return [tuple(row.values()) for row in rows]


class Headers(unittest.TestCase):
    def test_each_header_compiles_alone_and_twice(self):
        for name in sorted(p.relative_to(ROOT / "include").as_posix()
                           for p in (ROOT / "include").rglob("*.h")):
            for compiler in LANGUAGES:
                done = subprocess.run(
                    [compiler, *LANGUAGES[compiler], *STRICT, f"-I{ROOT}/include", "-"],
                    input=f"#include <{name}>\n#include <{name}>\n", capture_output=True, text=True,
                    check=False)
                self.assertEqual(done.stderr, "", f"{compiler} {name}")

    def test_they_say_what_cann_says(self):
        found = extract_acl.declared()
        self.assertEqual(extract_acl.rows(found, [extract_acl.INCLUDE]), extract())

    def test_what_torch_npu_asks_for_is_declared(self):
        _, rows = read_table(EXTRACTS / "torch_npu-symbols.tsv")
        declared = {row[0] for row in extract() if row[1] in ("function", "called")}
        self.assertGreater(sum(row["how"] == "linked" for row in rows), 80)
        for row in rows:
            if row["library"] not in OPTIONAL and row["symbol"] not in CACHE:
                self.assertIn(row["symbol"], declared)


class Change(unittest.TestCase):
    """A header that is not CANN's any more is noticed."""

    def changed(self, header, old, new):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch, "include")
            shutil.copytree(extract_acl.INCLUDE, root)
            text = (root / header).read_text()
            self.assertIn(old, text)
            (root / header).write_text(text.replace(old, new, 1))
            found = extract_acl.declared(root)
            rows = extract_acl.rows(found, [root])
            said = extract_acl.compiled(
                extract_acl.prelude(h.name for h in found) + extract_acl.again(found),
                [extract_acl.INCLUDE])
        known = set(extract())
        return [row[0] for row in rows if row not in known], said

    def test_a_constant(self):
        self.assertEqual(self.changed("acl/acl_base_rt.h", "ACL_BF16 = 27", "ACL_BF16 = 26")[0],
                         ["ACL_BF16"])

    def test_a_prototype(self):
        names, said = self.changed("acl/acl_rt.h", "aclrtGetDevice(int32_t *", "aclrtGetDevice(int *")
        self.assertEqual(names, ["aclrtGetDevice"])
        self.assertEqual(said, "")  # int32_t is int: the compiler takes it, the text tells
        names, said = self.changed("acl/acl_rt.h", "aclrtGetDevice(int32_t *", "aclrtGetDevice(long *")
        self.assertIn("aclrtGetDevice", said)

    def test_an_order_of_fields(self):
        names, said = self.changed("acl/acl_rt.h", "    uint64_t memPeakSize;\n", "")
        self.assertIn("aclrtMemUsageInfo", names)
        self.assertIn("aclrtMemUsageInfo.reserved", names)
        names, said = self.changed("acl/acl_rt.h", "    uint64_t memPeakSize;", "    int64_t memPeakSize;")
        self.assertEqual(names, [])
        self.assertIn("aclrtMemUsageInfo.memPeakSize", said)


if __name__ == "__main__":
    unittest.main()
