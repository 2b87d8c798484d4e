"""tools/aclnn_headers writes what the rows say, refuses rows that make no sense, and notices drift."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOOD = """/* OP(aclnnCommented, aclnn_no, (in,x)) */
OP(aclnnAdd, aclnn_add, (in,self)(in,other)(number,alpha)(out,out), broadcast, fh_add, F32 | F16)
OP(aclnnInplaceAdd, aclnn_add, (inout,selfRef)(in,other)(number,alpha), same, fh_add, (F32))
OP(aclnnRms, aclnn_rms, (in,x)(optional,gamma)(floating,eps)(int8,mode)(text,name)(outs,out), same, k, d)
"""


class AclnnHeaders(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = pathlib.Path(holder.name)
        (self.root / "facts").mkdir()
        (self.root / "device/rt").mkdir(parents=True)
        shutil.copy(ROOT / "device/rt/op.h", self.root / "device/rt")
        shutil.copytree(ROOT / "include", self.root / "include",
                        ignore=shutil.ignore_patterns("aclnnop"))

    def run_tool(self, rows, *options):
        (self.root / "facts/ops.def").write_text(rows)
        done = subprocess.run([ROOT / "tools/aclnn_headers", "--root", self.root, *options],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    def test_rows_become_headers_that_compile(self):
        self.assertEqual(self.run_tool(GOOD), (0, ""))
        folder = self.root / "include/aclnnop"
        self.assertEqual(sorted(p.name for p in folder.iterdir()), ["aclnn_add.h", "aclnn_rms.h"])
        client = """#include <aclnnop/aclnn_add.h>
#include <aclnnop/aclnn_rms.h>
aclnnStatus (*add)(const aclTensor *, const aclTensor *, const aclScalar *, aclTensor *, uint64_t *,
                   aclOpExecutor **) = aclnnAddGetWorkspaceSize;
aclnnStatus (*rms)(const aclTensor *, const aclTensor *, float, int8_t, const char *, aclTensorList *,
                   uint64_t *, aclOpExecutor **) = aclnnRmsGetWorkspaceSize;
aclnnStatus (*in_place)(aclTensor *, const aclTensor *, const aclScalar *, uint64_t *,
                        aclOpExecutor **) = aclnnInplaceAddGetWorkspaceSize;
aclnnStatus (*run)(void *, uint64_t, aclOpExecutor *, aclrtStream) = aclnnAdd;
"""
        for compiler, flags in (("gcc", ("-std=c11", "-xc")), ("g++", ("-std=c++17", "-xc++"))):
            done = subprocess.run([compiler, *flags, "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                                   f"-I{self.root}/include", "-"], input=client, capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.stderr, "")

    def test_check_notices_a_changed_missing_or_extra_file(self):
        self.run_tool(GOOD)
        self.assertEqual(self.run_tool(GOOD, "--check"), (0, ""))
        path = self.root / "include/aclnnop/aclnn_add.h"
        whole = path.read_text()
        path.write_text(whole.replace("alpha", "beta"))
        self.assertIn("aclnn_add.h", self.run_tool(GOOD, "--check")[1])
        path.unlink()
        self.assertEqual(self.run_tool(GOOD, "--check")[0], 1)
        path.write_text(whole)
        (path.parent / "aclnn_old.h").write_text("")
        self.assertIn("aclnn_old.h", self.run_tool(GOOD, "--check")[1])
        self.run_tool(GOOD)
        self.assertFalse((path.parent / "aclnn_old.h").exists())

    def test_rows_that_make_no_sense(self):
        for row, part in (("OP(aclnnAdd)", "ops.def:1: a row is"), ("OP(aclnnAdd, aclnn_add, (in,x)", "a row is"),
                          ("OP(add, aclnn_add, (in,x), r)", "no name of an operator"),
                          ("OP(aclnnAdd, add.h, (in,x), r)", "no name of a header"),
                          ("OP(aclnnAdd, aclnn_add, (into,x), r)", "no kind into"),
                          ("OP(aclnnAdd, aclnn_add, in x, r)", "arguments are"),
                          ("OP(aclnnAdd, aclnn_add, , r)", "arguments are"),
                          ("OP(aclnnAdd, aclnn_add, (in,x)(out,x), r)", "two arguments"),
                          ("OP(aclnnA, aclnn_a, (in,x), r)\nOP(aclnnA, aclnn_b, (in,x), r)", "two rows")):
            code, said = self.run_tool(row)
            self.assertEqual(code, 1, row)
            self.assertIn(part, said)


if __name__ == "__main__":
    unittest.main()
