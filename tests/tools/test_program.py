"""What foothold writes for shells and for man, judged by them. FOOTHOLD names the program."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("FOOTHOLD", ROOT / "build/release/foothold")).resolve()


def say(*arguments, **options):
    return subprocess.run([str(PROGRAM), *arguments], capture_output=True, text=True, check=False,
                          **options)


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


class Completion(unittest.TestCase):
    def script(self, shell):
        done = say("completion", shell)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        path = pathlib.Path(holder.name) / "_foothold"
        path.write_text(done.stdout)
        return path

    def bash(self, *words):
        """What bash offers for the last word."""
        quoted = " ".join("'" + w + "'" for w in ("foothold",) + words)
        program = (f"source {self.script('bash')}\n"
                   # compopt works only inside readline.
                   "compopt() { :; }\n"
                   f"COMP_WORDS=({quoted}); COMP_CWORD={len(words)}\n"
                   "_foothold; printf '%s\\n' \"${COMPREPLY[@]}\"\n")
        done = run("bash", "--noprofile", "--norc", "-u", "-c", program)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash(self):
        self.assertEqual(self.bash("an"), ["analyze"])
        self.assertIn("dump-calls", self.bash(""))
        self.assertEqual(self.bash("analyze", "--fo"), ["--format"])
        self.assertEqual(self.bash("analyse", "--fo"), ["--format"])
        self.assertEqual(self.bash("man", "--fo"), [])
        self.assertEqual(self.bash("analyze", "--format", "s"), ["sarif"])
        self.assertEqual(self.bash("analyze", "--format", "=", "s"), ["sarif"])
        self.assertEqual(self.bash("analyze", "--format", "="),
                         ["text", "json", "sarif", "markdown", "html"])
        self.assertIn("Ascend910B3", self.bash("ops", "--soc", "Ascend910B"))
        self.assertNotIn("T4", self.bash("ops", "--soc", ""))
        self.assertEqual(self.bash("completion", "z"), ["zsh"])
        self.assertEqual(self.bash("facts", "i"), ["import"])
        self.assertEqual(self.bash("--color", "never", "analyze", "--appl"), [])

    def test_zsh_accepts_the_script(self):
        done = run("zsh", "-n", self.script("zsh"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        script = self.script("zsh")
        program = (f"fpath=({script.parent} $fpath); autoload -Uz compinit; "
                   f"compinit -u -d {script.parent}/dump; print $_comps[foothold]")
        done = run("zsh", "-f", "-c", program)
        self.assertEqual((done.stdout.strip(), done.stderr), ("_foothold", ""))

    def fish(self, line):
        script = self.script("fish")
        home = {**os.environ, "HOME": str(script.parent), "XDG_CONFIG_HOME": str(script.parent)}
        done = run("fish", "--no-config", "-c", f"source {script}; complete -C '{line}'", env=home)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [row.split("\t")[0] for row in done.stdout.splitlines()]

    def test_fish(self):
        self.assertEqual(self.fish("foothold anal"), ["analyze"])
        self.assertEqual(self.fish("foothold analyze --form"), ["--format"])
        self.assertEqual(self.fish("foothold analyze --format js"), ["json"])
        self.assertEqual(self.fish("foothold man --form"), [])
        self.assertEqual(self.fish("foothold ops --soc Ascend310"), ["Ascend310P3"])


class ManPage(unittest.TestCase):
    def test_mandoc_and_groff_find_no_fault(self):
        page = say("man")
        self.assertEqual(page.returncode, 0)
        lint = run("mandoc", "-T", "lint", "-W", "warning", input=page.stdout)
        # The page has no date on purpose: a release's page is always the same bytes.
        faults = [line for line in lint.stdout.splitlines() if "missing date" not in line]
        self.assertEqual(faults, [])

    def test_all_of_help_is_on_it(self):
        text = run("mandoc", "-T", "utf8", "-O", "width=400", input=say("man").stdout).stdout
        text = re.sub(".\b", "", text).replace("\u2010", "-")  # bold is a letter struck twice
        for line in say("analyze", "-h").stdout.splitlines():
            for word in line.split():
                if word.startswith("--"):
                    self.assertIn(word.strip(",;.]"), text)


class Behaviour(unittest.TestCase):
    def test_help_goes_to_standard_output_and_mistakes_to_standard_error(self):
        for arguments in (["--help"], ["help"], ["analyze", "-h"], ["help", "ops"], ["--version"]):
            done = say(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(done.stdout.endswith("\n"))
        for arguments in ([], ["--nope"], ["analyze"], ["analyze", "x", "--format", "x"]):
            done = say(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertTrue(done.stderr)

    def test_arguments_that_are_not_utf8_give_valid_utf8(self):
        done = subprocess.run([str(PROGRAM), b"\xff\xfe"], capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("\ufffd\ufffd", done.stderr.decode())

    def test_a_closed_pipe_is_quiet_and_a_full_disk_is_not(self):
        done = run("bash", "-c", f"'{PROGRAM}' man | true; echo ${{PIPESTATUS[0]}}")
        self.assertEqual((done.stdout.strip(), done.stderr), ("0", ""))
        done = run("bash", "-c", f"'{PROGRAM}' man >/dev/full")
        self.assertEqual(done.returncode, 2)
        self.assertIn("foothold: cannot write to standard output", done.stderr)


if __name__ == "__main__":
    unittest.main()
