import json
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
