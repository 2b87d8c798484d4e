"""Form of the tables, and that they are what their extracts give."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from verdict import EXTRACTS, NONE, ROOT, SUPPORT, Tables, from_range, read_table

LIMITS = {"overload.tsv": 500_000, "api.tsv": 1_000_000, "alias.tsv": 300_000,
          "torch_npu.tsv": 200_000}


def check(root):
    done = subprocess.run([sys.executable, str(root / "tools/facts/build_tables.py"), "--check"],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


class Form(unittest.TestCase):
    def test_committed_tables_are_what_the_extracts_give(self):
        self.assertEqual(check(ROOT), (0, ""))

    def test_check_notices_a_changed_missing_or_extra_table(self):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            shutil.copytree(ROOT / "tools/facts", root / "tools/facts")
            shutil.copytree(EXTRACTS, root / "facts/extracts")
            shutil.copytree(SUPPORT, root / "facts/support")
            support = root / "facts/support"
            self.assertEqual(check(root)[0], 0)
            whole = (support / "alias.tsv").read_bytes()
            (support / "alias.tsv").write_bytes(whole.replace(b"torch.half", b"torch.helf"))
            code, said = check(root)
            self.assertEqual(code, 1)
            self.assertIn("alias.tsv", said)
            (support / "alias.tsv").unlink()
            self.assertEqual(check(root)[0], 1)
            (support / "alias.tsv").write_bytes(whole)
            (support / "more.tsv").write_bytes(b"# x\nname\n")
            self.assertEqual(check(root)[0], 1)

    def test_lines_are_sorted_unique_and_whole(self):
        for name, limit in LIMITS.items():
            data = (SUPPORT / name).read_bytes()
            self.assertLessEqual(len(data), limit, name)
            lines = data.split(b"\n")
            self.assertTrue(lines[0].startswith(b"# "), name)
            self.assertEqual(lines[-1], b"", name)
            width = lines[1].count(b"\t")
            keys = [line.split(b"\t")[0] for line in lines[2:-1]]
            self.assertEqual(keys, sorted(set(keys)), name)
            self.assertEqual({line.count(b"\t") for line in lines[2:-1]}, {width}, name)
            self.assertNotIn(b"\t\t", data, name)
            self.assertNotIn(b"/home/", data)
            self.assertNotIn(b"/tmp/", data)

    def test_ranges_read_back(self):
        tables = Tables()
        for row in tables.overloads.values():
            for column in ("op_api", "acl_op", "core"):
                if row[column] != NONE:
                    self.assertTrue(from_range(row[column], tables.minors), row)
                    self.assertRegex(row[column], r"^\d+\.\d+(-(\d+\.\d+)?)?(,\d+\.\d+.*)*$")

    def test_every_leaf_is_an_overload_of_the_table(self):
        tables = Tables()
        used = set()
        for row in tables.apis.values():
            for phase in ("forward", "backward"):
                used.update(leaf.rstrip("?") for leaf in tables.leaves(row["api"], phase))
        for row in tables.overloads.values():
            if row["leaves"] not in (NONE, "none"):
                used.update(leaf.rstrip("?") for leaf in row["leaves"].split(","))
        self.assertEqual(sorted(leaf for leaf in used if leaf not in tables.overloads
                                and "::" not in leaf), [])

    def test_aliases_lead_to_rows_and_never_to_aliases(self):
        tables = Tables()
        rows = read_table(SUPPORT / "alias.tsv")[1]
        names = {row["name"] for row in rows}
        for row in rows:
            self.assertIn(row["canonical"], tables.apis)
            self.assertNotIn(row["canonical"], names)
            self.assertNotIn(row["name"], tables.apis)

    def test_words_are_of_the_closed_sets(self):
        tables = Tables()
        classes = {"composite", "generic", "via_out", "kernel", "custom"}
        for row in tables.overloads.values():
            said = {part.partition("@")[0] for part in row["class"].split("|")}
            self.assertLessEqual(said, classes, row["overload"])
        works = set("""matmul convolution attention normalisation activation embedding recurrent
            loss reduction optimiser elementwise indexing pooling collective random creation shape
            other""".split())
        for row in tables.apis.values():
            self.assertIn(row["class"], works)
            self.assertIn(row["heavy"], ("0", "1"))
            self.assertTrue(re.fullmatch(r"[\w.\[\]]+", row["api"]), row["api"])


if __name__ == "__main__":
    unittest.main()
