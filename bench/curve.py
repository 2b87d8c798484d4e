#!/usr/bin/env python3
"""Time, instructions and memory of `foothold analyze` against the size of its input.

usage: curve.py [--rounds N] [--sizes MB,MB,...] [--callgrind MB] [--trial]
  --rounds N       every round runs each size once; default: 5
  --sizes          sizes of the inputs in MB; default: 1,2,5,10,20,30,40,50
  --callgrind MB   where the processor counts no instructions for us (virtual machines), valgrind
                   counts them for inputs up to this size; default: 10; 0: not at all
  --trial          keeps the figures out of bench/runs: they go to build/bench/runs

An input of N MB is the first N MB of transformers' Python files in an order that their names' hash
gives, so that each holds small and large, old and new ones, and each is part of the next. Prints a
table and a least-squares line per figure; writes README.md, raw.csv and summary.txt into
bench/runs/DATE-HOST-curve. Exit 1 where a figure does not grow with the input as a line does.
"""
import argparse
import csv
import datetime
import hashlib
import os
import re
import shutil
import statistics
import subprocess
import sys

import target

# A line explains this part of what varies, and the larger half of the sizes costs per MB at most so
# many times what all do.
EXPLAINED, UPPER_HALF = 0.98, 1.3
FIGURES = ("wall s", "cpu s", "peak MB", "instructions, 1e9")


def inputs(folder, sizes, where):
    """Makes one folder per size; (MB really in it, folder) in ascending order."""
    shutil.rmtree(where, ignore_errors=True)
    files = sorted(target.python_files(folder), key=lambda path: hashlib.sha256(
        os.path.relpath(path, folder).encode()).digest())
    made = []
    for size in sizes:
        root, total = os.path.join(where, f"{size:g}"), 0
        for path in files:
            if total >= size * 1e6:
                break
            copy = os.path.join(root, os.path.relpath(path, folder))
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copyfile(path, copy)
            total += os.path.getsize(copy)
        made.append((total / 1e6, root))
    return made


def scan(foothold, root):
    return [foothold, "analyze", "--no-progress", "--no-cache", root]


def counter():
    """"perf" where it counts instructions here, else "callgrind", else None."""
    done = subprocess.run(["env", "LC_ALL=C", "perf", "stat", "-x;", "-e", "instructions:u", "true"],
                          capture_output=True, text=True) if shutil.which("perf") else None
    if done and re.match(r"\d+;", done.stderr):
        return "perf"
    return "callgrind" if shutil.which("valgrind") else None


def instructions(how, command):
    """Instructions in user space of one run, in thousands of millions."""
    tool = ["perf", "stat", "-x;", "-e", "instructions:u"] if how == "perf" else \
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run(["env", "LC_ALL=C", *tool, *command], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, errors="replace")
    found = re.search(r"^(\d+);" if how == "perf" else r"Collected : (\d+)", done.stderr, re.M)
    if done.returncode or not found:
        raise SystemExit(f"curve.py: {' '.join(tool + command)} ended with {done.returncode}: "
                         + done.stderr[-400:])
    return int(found.group(1)) / 1e9


def fit(points):
    """Least squares through (x, y): start, slope, part of the variation that it explains."""
    mean_x = statistics.fmean(x for x, _ in points)
    mean_y = statistics.fmean(y for _, y in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / \
        sum((x - mean_x) ** 2 for x, _ in points)
    start = mean_y - slope * mean_x
    rest = sum((y - start - slope * x) ** 2 for x, y in points)
    whole = sum((y - mean_y) ** 2 for _, y in points)
    return start, slope, 1 - rest / whole if whole else 1.0


def judged(name, points):
    """(line of text, whether it is a line)"""
    if len(points) < 4:
        return f"{name}: fewer than four sizes, no line", True
    start, slope, explained = fit(points)
    upper = fit(points[len(points) // 2:])[1] / slope if slope else 1.0
    good = explained >= EXPLAINED and upper <= UPPER_HALF
    return (f"{'linear' if good else 'BENT  '} {name} = {start:.3f} + {slope:.4f} x MB, explains "
            f"{explained:.4f} (at least {EXPLAINED}); larger half {upper:.2f} x the slope (at "
            f"most {UPPER_HALF})"), good


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sizes", default="1,2,5,10,20,30,40,50")
    parser.add_argument("--callgrind", type=float, default=10)
    parser.add_argument("--trial", action="store_true")
    options = parser.parse_args()
    sizes = sorted(float(size) for size in options.sizes.split(","))
    foothold, folder, cores = target.program(), target.code(), target.two_cores()
    about = target.host(cores) + [
        f"foothold: {target.first_line(foothold, 'version')}, commit {target.commit()}",
        f"rounds: {options.rounds}"]
    scratch = os.path.join(target.WORK, "curve")
    made = inputs(folder, sizes, scratch)
    target.measure(scan(foothold, made[-1][1]))              # warms the file cache
    rows = []
    for number in range(options.rounds):
        for megabytes, root in made if number % 2 == 0 else made[::-1]:
            rows.append((number + 1, megabytes, *target.measure(scan(foothold, root))))
            print(f"round {number + 1}: {megabytes:.1f} MB: {rows[-1][2]:.3f} s", flush=True)
    figures = {name: [] for name in FIGURES}
    for megabytes, _ in made:
        for index, name in enumerate(FIGURES[:3]):
            figures[name].append((megabytes, statistics.median(
                row[2 + index] for row in rows if row[1] == megabytes)))
    how = counter()
    about.append(f"instructions: {how or 'not counted: neither perf nor valgrind can here'}")
    for megabytes, root in made if how else []:
        if how == "perf" or megabytes <= options.callgrind * 1.1:
            figures[FIGURES[3]].append((megabytes, instructions(how, scan(foothold, root))))
            print(f"instructions: {megabytes:.1f} MB: {figures[FIGURES[3]][-1][1]:.3f} e9",
                  flush=True)
    lines = [f"{'MB':>8}" + "".join(f"{name:>20}" for name in FIGURES)]
    for megabytes, _ in made:
        cells = [dict(figures[name]).get(megabytes) for name in FIGURES]
        lines.append(f"{megabytes:8.2f}" + "".join(
            f"{'-' if cell is None else format(cell, '.3f'):>20}" for cell in cells))
    lines.append("")
    good = True
    for name in FIGURES:
        if figures[name]:
            line, straight = judged(name, figures[name])
            lines.append(line)
            good &= straight
    print("\n" + "\n".join(about) + "\n\n" + "\n".join(lines))
    keep(options, about, rows, lines)
    shutil.rmtree(scratch, ignore_errors=True)
    return 0 if good else 1


def keep(options, about, rows, lines):
    where = os.path.join(target.WORK if options.trial else target.HERE, "runs",
                         f"{datetime.date.today()}-{target.host_kind()}-curve")
    os.makedirs(where, exist_ok=True)
    with open(os.path.join(where, "raw.csv"), "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(("round", "mb", "wall_s", "cpu_s", "peak_mb"))
        out.writerows((r[0], f"{r[1]:.3f}", f"{r[2]:.4f}", f"{r[3]:.4f}", f"{r[4]:.1f}")
                      for r in rows)
    with open(os.path.join(where, "summary.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    with open(os.path.join(where, "README.md"), "w", encoding="utf-8") as file:
        file.write("# `bench/curve.py`, " + os.path.basename(where) + "\n\n"
                   + "".join(f"- {line}\n" for line in about)
                   + "\nCommand: `foothold analyze --no-progress --no-cache INPUT`, output to "
                   "/dev/null.\n\n```\n" + "\n".join(lines) + "\n```\n")
    print(f"written to {os.path.relpath(where)}")


if __name__ == "__main__":
    sys.exit(main())
