"""./check counts, remembers and fails as it says; ./try says what is wrong with its target."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Check(unittest.TestCase):
    """The real ./check over a repository whose tools are scripts of two lines."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = pathlib.Path(holder.name) / "main"
        (self.root / "tools").mkdir(parents=True)
        shutil.copy(ROOT / "check", self.root)
        for tool in ("setup", "layers", "format", "generated", "docs"):
            self.script(f"tools/{tool}", f"echo {tool} >>../ran")
        (self.root / ".gitignore").write_text("/build/\n")
        subprocess.run(["git", "init", "--quiet", str(self.root)], check=True)

    def script(self, name, body):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def check(self, *arguments):
        ran = self.root.parent / "ran"
        ran.unlink(missing_ok=True)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FOOTHOLD_")}
        done = subprocess.run(["./check", *arguments], cwd=self.root, capture_output=True, text=True,
                              env=environment, check=False)
        self.said = done.stdout + done.stderr
        self.last = done.stdout.splitlines()[-1] if done.stdout else ""
        return done.returncode, ran.read_text().split() if ran.exists() else []

    def test_steps_run_in_order_and_are_counted(self):
        self.assertEqual(self.check("--only", "layers", "format"), (0, ["setup", "layers", "format"]))
        self.assertEqual(self.last, "3 passed, 0 failed")
        self.assertRegex(self.said, r"(?m)^layers +passed +\d+\.\d s$")

    def test_a_failing_step_is_shown_and_does_not_stop_the_others(self):
        self.script("tools/layers", "echo layers >>../ran; echo the reason; exit 1")
        self.assertEqual(self.check("--only", "layers", "format"), (1, ["setup", "layers", "format"]))
        self.assertEqual(self.last, "2 passed, 1 failed")
        self.assertRegex(self.said, r"layers +FAILED")
        self.assertIn("    the reason\n", self.said)

    def test_what_passed_is_not_run_again_until_something_changes(self):
        self.check("--only", "layers")
        self.assertEqual(self.check("--only", "layers"), (0, ["setup"]))
        self.assertRegex(self.said, r"layers +passed before")
        self.assertEqual(self.last, "2 passed, 0 failed")
        self.assertEqual(self.check("--force", "--only", "layers"), (0, ["setup", "layers"]))
        (self.root / "new.c").write_text("int x;\n")
        self.assertEqual(self.check("--only", "layers"), (0, ["setup", "layers"]))
        (self.root / "build/ignored").write_text("x")
        self.assertEqual(self.check("--only", "layers"), (0, ["setup"]))
        (self.root / "new.c").unlink()
        self.assertEqual(self.check("--only", "layers"), (0, ["setup", "layers"]))
        self.assertEqual(self.check("--nightly", "--only", "layers"), (0, ["setup", "layers"]))

    def test_what_failed_is_run_again(self):
        self.script("tools/layers", "echo layers >>../ran; exit 1")
        self.check("--only", "layers")
        self.assertEqual(self.check("--only", "layers"), (1, ["setup", "layers"]))

    def test_without_a_setup_nothing_else_runs(self):
        self.script("tools/setup", "echo setup >>../ran; exit 1")
        self.assertEqual(self.check("--only", "layers"), (1, ["setup"]))
        self.assertEqual(self.last, "0 passed, 1 failed")

    def test_test_folders_are_found_and_nightly_is_passed_on(self):
        self.script("tests/some/run", "true")
        self.check("--list")
        self.assertIn("tests:some\n", self.said)
        self.check("--nightly", "--list")
        self.assertIn("aarch64\n", self.said)

    def test_wrong_usage(self):
        for arguments in (["--only"], ["--only", "nope"], ["--nope"], ["layers"]):
            code, ran = self.check(*arguments)
            self.assertEqual((code, ran), (2, []), arguments)
            self.assertRegex(self.said, r"^check: ")

    def test_help(self):
        self.assertEqual(self.check("--help"), (0, []))
        self.assertIn("--nightly", self.said)


class Try(unittest.TestCase):
    def attempt(self, *arguments):
        done = subprocess.run([ROOT / "try", *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_wrong_targets_are_named_before_anything_is_built(self):
        for target in ("/no/such/folder", "a b", "../x", "-x", "name==", "https://example.org/x"):
            code, said = self.attempt(target)
            self.assertEqual(code, 2, said)
            self.assertTrue(re.search(f"try: {re.escape(target)} is ", said), said)
        self.assertEqual(self.attempt("a", "b")[0], 2)

    def test_help(self):
        code, said = self.attempt("--help")
        self.assertEqual(code, 0)
        self.assertIn("default: the newest ultralytics", said)


if __name__ == "__main__":
    unittest.main()
