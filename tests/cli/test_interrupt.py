import json
import os
import resource
import signal
import time

from harness import check, equal, test


def large(f):
    body = "import torch\n" + "x = torch.zeros(3)\nx = torch.add(x, 1)\nx = x.softmax(0)\n" * 200
    for i in range(150):
        f.write(f"m{i:03}.py", body + f"y = {i}\n")


def interrupted(f, arguments, with_signal):
    """A run that a signal reached while it worked."""
    for delay in (0.2, 0.1, 0.05, 0.025, 0.4, 0.012):
        process = f.start(*arguments)
        time.sleep(delay)
        process.send_signal(with_signal)
        out, err = process.communicate(timeout=100)
        if b"interrupted" in err:
            return process.returncode, out, err
        check(process.returncode == 0 or process.returncode == -with_signal,
              f"exit code {process.returncode}: {err[:300]}")
    return None


@test
def control_c_leaves_a_partial_report(f):
    large(f)
    whole = f.analyze("--no-cache").json
    for with_signal in (signal.SIGINT, signal.SIGTERM):
        found = interrupted(f, ["analyze", ".", "--format", "json", "--jobs", "1"], with_signal)
        check(found, "no run could be interrupted")
        code, out, err = found
        equal(code, 128 + with_signal, "the exit code")
        report = json.loads(out)
        equal(report["partial"], True, "partial")
        check(report["files"]["scanned"] <= whole["files"]["scanned"], report["files"]["scanned"])
    equal(f.analyze().json, whole, "the next report")


def is_done_of(process):
    """Seconds of the processor that it took: how far it is does not depend on other programs."""
    with open(f"/proc/{process.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@test
def control_c_stops_within_one_file(f):
    body = ("def f{0}(x):\n    y = torch.add(x.cuda(), {0})\n    print(y.sum().item())\n"
            "    return [t.item() for t in y.softmax(0) @ x]\n")
    f.write("one.py", "import torch\n" + "".join(body.format(i) for i in range(6000)))
    arguments = ["analyze", ".", "--format", "json", "--jobs", "1", "--no-cache"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    whole, _ = f.start(*arguments).communicate(timeout=500)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    stages = set()
    for part in (0.05, 0.2, 0.35, 0.5, 0.6):
        process, end = f.start(*arguments), time.monotonic() + 30
        while (process.poll() is None and is_done_of(process) < part * took and
               time.monotonic() < end):  # a run that is done waits until its report is read
            time.sleep(0.005)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=500)
        if b"interrupted" not in err:
            equal(out, whole, "a run that was done before the signal")
            continue
        equal(process.returncode, 130, "the exit code")
        report = json.loads(out)
        equal(report["partial"], True, "partial")
        equal(report["findings"], [], "findings of half a file")
        equal(report["files"]["skipped"], [], "files that are told as skipped")
        stages.add(report["files"]["scanned"])
    check(stages, "no run could be interrupted")


@test
def fix_changes_nothing_when_interrupted(f):
    large(f)
    f.write("zz.py")
    found = interrupted(f, ["fix", ".", "--apply", "--jobs", "1"], signal.SIGINT)
    check(found, "no run could be interrupted")
    equal(found[0], 130, "the exit code")
    with open(f.target + "/zz.py") as file:
        check(".cuda()" in file.read(), "a file was changed")


@test
def accepted_findings_are_kept_when_interrupted(f):
    large(f)
    path = f.write("../accepted", "# as it was\n")
    found = interrupted(f, ["analyze", ".", "--fail-on", "note", "--jobs", "1", "--write-accepted",
                            path], signal.SIGINT)
    check(found, "no run could be interrupted")
    equal(found[0], 130, "the exit code")
    check(b"is not written" in found[2], found[2])
    with open(path) as file:
        equal(file.read(), "# as it was\n", "the list")
