"""Our headers against those of the torch_npu wheel: the compiler compares them.

Downloads 40 MB through pip. What is not in the wheel (aclnn/, runtime/) is compared with the
extract alone, by test_acl.py.
"""

import pathlib
import tempfile
import unittest

from verdict import ROOT  # noqa: F401 (its import finds tools/facts)

import extract_acl
import wheels

ABSENT = ("aclnn/", "runtime/")


class Wheel(unittest.TestCase):
    def test_the_compiler_finds_no_difference(self):
        found = [h for h in extract_acl.declared() if not h.name.startswith(ABSENT)]
        with tempfile.TemporaryDirectory() as scratch:
            path = wheels.fetch("torch_npu", "2.13.0", scratch, ("manylinux_2_28_x86_64",))
            with wheels.open_wheel(path) as archive:
                archive.extractall(scratch, [name for name in archive.namelist()
                                             if name.startswith("torch_npu/include/")])
            folders = extract_acl.lay_out(pathlib.Path(scratch, "none"), scratch, ())
            said = extract_acl.compiled(
                extract_acl.prelude(h.name for h in found) + extract_acl.again(found), folders)
            self.assertEqual(said, "")
            self.assertEqual(extract_acl.rows(found, folders),
                             extract_acl.rows(found, [extract_acl.INCLUDE]))


if __name__ == "__main__":
    unittest.main()
