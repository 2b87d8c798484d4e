#!/usr/bin/env python3
"""Measures `foothold analyze` on transformers 5.24.0 beside CPython's ast, ripgrep, tree-sitter.

usage: scan.py [--pairs N] [--trial] [--no-tree-sitter]
  --pairs N          rounds; every round runs each program once; default: 7, at least 5 count
  --trial            keeps the figures out of bench/runs: they go to build/bench/runs
  --no-tree-sitter   leaves tree-sitter out (else its binding is installed into build/bench)

Everything runs on two processors, one program after the other. A round runs all programs once, and
the next one begins one program later, so that none always has the same neighbour. A ratio is taken
within each round; the figure is the median over the rounds. Prints the summary and writes
README.md, raw.csv and summary.txt into bench/runs/DATE-HOST. Exit 1 where a claim does not hold.
"""
import argparse
import csv
import datetime
import os
import shlex
import shutil
import statistics
import subprocess
import sys

import target

# The searches that a user would do by hand, each a grep command of its own; and what mixed precision
# is to be looked for by, which goes with no command.
SEARCHES = [r"torch\.matmul|@|mm", r"nn\.Linear", r"nn\.Conv", r"attention|scaled_dot_product",
            r"F\.scaled_dot_product_attention", "LayerNorm|BatchNorm", "relu|gelu|silu|softmax",
            "all_reduce|broadcast|gather"]
PATTERNS = SEARCHES + [r"torch\.cuda\.amp\.autocast"]
RIPGREP = ["rg", "-j2", "--line-number"]
ONE_BY_ONE, AT_ONCE = "ripgrep, the seed's searches", "ripgrep, all patterns at once"
# (what is compared, with what, at most): time over time.
CLAIMS = [("cold", "ast", 0.5), ("cold, fills the cache", "ast", 0.5), ("second run", "ast", 0.05),
          ("one file changed", "ast", 0.12), ("cold", ONE_BY_ONE, 20)]
# (what is compared, with what): printed, and not part of a claim.
SHOWN = [("cold", AT_ONCE)]
PEAK = 400      # MB, every run of foothold
CHANGED = "transformers/models/llama/modeling_llama.py"


class Bench:
    """Commands by name, and what has to be done before each."""

    def __init__(self, foothold, folder, work):
        self.tree = os.path.join(work, "tree")
        self.filled, self.empty = os.path.join(work, "cache"), os.path.join(work, "empty")
        self.round = 0
        self.file = os.path.join(self.tree, CHANGED)
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(folder, self.tree)
        with open(self.file, encoding="utf-8") as file:
            self.text = file.read()
        here = target.HERE
        scan = [foothold, "analyze", "--no-progress", self.tree]
        self.commands = {
            "cold": scan + ["--no-cache"],
            "cold, fills the cache": scan + ["--cache-dir", self.empty],
            "second run": scan + ["--cache-dir", self.filled],
            "one file changed": scan + ["--cache-dir", self.filled],
            "cold, JSON": scan + ["--no-cache", "--format", "json"],
            "ast": [sys.executable, os.path.join(here, "ast_parse.py"), self.tree],
            ONE_BY_ONE: ["sh", "-ec", "\n".join(shlex.join(RIPGREP + ["-e", p, self.tree])
                                                for p in SEARCHES)],
            AT_ONCE: RIPGREP + [part for p in PATTERNS for part in ("-e", p)] + [self.tree],
        }

    def add_tree_sitter(self, packages):
        self.commands["tree-sitter"] = ["env", f"PYTHONPATH={packages}", sys.executable, os.path.join(
            target.HERE, "tree_sitter_parse.py"), self.tree]

    def prepare(self, name):
        """Brings files and caches to the state that a command is about."""
        if name == "cold, fills the cache":
            shutil.rmtree(self.empty, ignore_errors=True)
        elif name in ("second run", "one file changed"):
            if name == "one file changed":
                self.round += 1
                self.write(f"\n\ndef changed_{self.round}(x):\n    return x.cuda() @ x\n")
            else:
                self.write("")
                target.measure(self.commands["second run"])       # the file is as it was again

    def write(self, more):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(self.text + more)

    def run(self, name):
        self.prepare(name)
        return target.measure(self.commands[name])


def tree_sitter_packages():
    """Where the binding is, installed once; None where it cannot be had."""
    folder = os.path.join(target.WORK, "tree-sitter")
    if not os.path.isdir(folder):
        done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--target", folder,
                               "tree-sitter", "tree-sitter-python"], capture_output=True, text=True)
        if done.returncode:
            print("tree-sitter left out: pip could not install it: " + done.stderr[-200:])
            shutil.rmtree(folder, ignore_errors=True)
            return None
    return folder


def rounds(bench, pairs):
    """Rows (round, name, wall, processor, peak), after a round that only warms the file cache."""
    names = list(bench.commands)
    for name in names:
        bench.run(name)
    for number in range(pairs):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            wall, busy, peak = bench.run(name)
            print(f"round {number + 1}: {name}: {wall:.3f} s", flush=True)
            yield number + 1, name, wall, busy, peak


def summary(rows, names):
    """(lines, whether all claims hold)"""
    walls = {n: {r[0]: r[2] for r in rows if r[1] == n} for n in names}
    lines = [f"{'':32}{'median s':>10}{'fastest':>9}{'slowest':>9}{'cpu s':>9}{'peak MB':>9}"
             f"{'/ ast':>9}{'/ searches':>12}{'/ at once':>11}"]
    for name in names:
        own = [r for r in rows if r[1] == name]
        wall = sorted(walls[name].values())
        lines.append(
            f"{name:32}{statistics.median(wall):10.3f}{wall[0]:9.3f}{wall[-1]:9.3f}"
            f"{statistics.median(r[3] for r in own):9.3f}{max(r[4] for r in own):9.1f}"
            f"{ratio(walls, name, 'ast')[0]:9.3f}{ratio(walls, name, ONE_BY_ONE)[0]:12.2f}"
            f"{ratio(walls, name, AT_ONCE)[0]:11.2f}")
    lines.append("")
    good = True
    for name, other, most in CLAIMS:
        middle, low, high = ratio(walls, name, other)
        good &= middle <= most
        lines.append(f"{'holds ' if middle <= most else 'BROKEN'} {name} / {other}: {middle:.3f} "
                     f"({low:.3f} to {high:.3f}), at most {most}")
    for name, other in SHOWN:
        middle, low, high = ratio(walls, name, other)
        lines.append(f"       {name} / {other}: {middle:.3f} ({low:.3f} to {high:.3f}), no claim")
    peak = max(r[4] for r in rows if "analyze" in names[r[1]])
    good &= peak <= PEAK
    lines.append(f"{'holds ' if peak <= PEAK else 'BROKEN'} peak memory: {peak:.0f} MB, at most "
                 f"{PEAK} MB")
    return lines, good


def ratio(walls, name, other):
    """Median, least and greatest of the ratios within the rounds."""
    found = sorted(walls[name][r] / walls[other][r] for r in walls[name])
    return statistics.median(found), found[0], found[-1]


def versions(foothold, bench):
    lines = [f"foothold: {target.first_line(foothold, 'version')}, commit {target.commit()}",
             f"CPython: {sys.version.split()[0]}",
             f"ripgrep: {target.first_line('rg', '--version')}"]
    if "tree-sitter" in bench.commands:
        names = sorted(n[:-len(".dist-info")] for n in os.listdir(os.path.join(
            target.WORK, "tree-sitter")) if n.endswith(".dist-info"))
        lines.append("tree-sitter: " + ", ".join(names))
    return lines


RIPGREP_NOTE = f"""\
"Within 20 x of ripgrep running the seed's patterns" is held against the searches as the seed has
them: {len(SEARCHES)} grep commands, each with its own pattern, one after the other, here with rg in
place of grep. "{AT_ONCE}" is stricter: one rg reads the tree once for all of them and for one pattern
more, which the seed has without a command; the ratio to it is given below and is part of no claim.
"""


def keep(folder, about, commands, rows, lines):
    """Writes what a reader needs to judge the run, and to do it again."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "raw.csv"), "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(("round", "program", "wall_s", "cpu_s", "peak_mb"))
        out.writerows((r[0], r[1], f"{r[2]:.4f}", f"{r[3]:.4f}", f"{r[4]:.1f}") for r in rows)
    with open(os.path.join(folder, "summary.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as file:
        file.write("# `bench/scan.py`, " + os.path.basename(folder) + "\n\n"
                   + "".join(f"- {line}\n" for line in about)
                   + "\nCommands, each on the same two processors, output to /dev/null:\n\n"
                   + "".join(f"    {name + ':':32}{command}\n" for name, command in commands)
                   + "\n" + RIPGREP_NOTE + "\nColumns and the order of the runs: `bench/README.md`.\n\n```\n"
                   + "\n".join(lines) + "\n```\n")


def shown(command, bench, foothold):
    """A command without the paths of this machine."""
    text = "; ".join(command[2].split("\n")) if command[0] == "sh" else shlex.join(command)
    for path, word in ((foothold, "foothold"), (sys.executable, "python3"), (bench.tree, "TREE"),
                       (bench.filled, "CACHE"), (bench.empty, "EMPTY"), (target.WORK, "build/bench"),
                       (target.HERE, "bench")):
        text = text.replace(path, word)
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--trial", action="store_true")
    parser.add_argument("--no-tree-sitter", action="store_true")
    options = parser.parse_args()
    if not shutil.which("rg"):
        raise SystemExit("scan.py: ripgrep is not there: apt-get install ripgrep")
    foothold, folder, cores = target.program(), target.code(), target.two_cores()
    about = target.host(cores)
    bench = Bench(foothold, folder, os.path.join(target.WORK, "scan"))
    packages = None if options.no_tree_sitter else tree_sitter_packages()
    if packages:
        bench.add_tree_sitter(packages)
    files = target.python_files(folder)
    about += versions(foothold, bench) + [
        f"code: {target.PACKAGE} {target.VERSION}, {len(files):,} Python files, "
        f"{sum(map(os.path.getsize, files)) / 1e6:.1f} MB",
        f"rounds: {options.pairs}"]
    print("\n".join(about), flush=True)
    rows = list(rounds(bench, options.pairs))
    lines, good = summary(rows, bench.commands)
    print("\n" + "\n".join(lines))
    if options.pairs < 5:
        print("fewer than five rounds: no figures to keep")
        options.trial = True
    where = os.path.join(target.WORK if options.trial else target.HERE, "runs",
                         f"{datetime.date.today()}-{target.host_kind()}")
    keep(where, about, [(name, shown(c, bench, foothold)) for name, c in bench.commands.items()],
         rows, lines)
    print(f"written to {os.path.relpath(where)}")
    shutil.rmtree(os.path.dirname(bench.tree), ignore_errors=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
