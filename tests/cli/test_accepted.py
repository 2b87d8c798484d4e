import json
import os

from harness import check, equal, test

SOURCE = """import torch
x = torch.zeros(3)
x.cuda()
x.cuda()
torch.cuda.synchronize()
"""


def places(run):
    return [(x["rule"], x["line"]) for x in run.json["findings"]]


def accept(f):
    f.write("a.py", SOURCE)
    f.run("analyze", ".", "-q", "--write-accepted", "../accepted").expect(0)


@test
def accepted_findings_are_hidden(f):
    accept(f)
    check(places(f.analyze()), "there is nothing to hide")
    run = f.analyze("--accepted", "../accepted").says("hidden")
    equal(places(run), [], "findings")
    equal(set(run.json["summary"]["findings"].values())
          if isinstance(run.json["summary"].get("findings"), dict) else {0}, {0}, "the summary")
    f.run("analyze", ".", "--accepted", "../accepted", "--fail-on", "note").expect(0)
    f.run("analyze", ".", "--accepted", "../accepted").expect(0)


@test
def they_may_move(f):
    accept(f)
    f.write("a.py", "\n\n# more\n" + SOURCE.replace("x.cuda()\n", "x . cuda( )\n", 1))
    f.write("a.py", "import torch\n\n\n" + SOURCE[len("import torch\n"):].replace("\nx", "\n\nx"))
    equal(places(f.analyze("--accepted", "../accepted")), [], "findings after a move")


@test
def new_ones_are_shown(f):
    accept(f)
    f.write("a.py", SOURCE + "x.cuda()\ny = x.cuda()\n")
    shown = places(f.analyze("--accepted", "../accepted"))
    equal([p for p in shown if p[0] == "FH601"], [("FH601", 6), ("FH601", 7)], "new findings")
    f.run("analyze", ".", "--accepted", "../accepted", "--fail-on", "warning").expect(1)
    f.write("b.py", SOURCE)
    check(any(x["file"] == "b.py" for x in f.analyze("--accepted", "../accepted").json["findings"]),
          "the same line in another file is another finding")


@test
def a_json_report_will_do(f):
    f.write("a.py", SOURCE)
    with open(os.path.join(f.folder, "old.json"), "wb") as file:
        file.write(f.analyze().out)
    equal(places(f.analyze("--accepted", "../old.json")), [], "findings")


@test
def the_file_is_stable(f):
    accept(f)
    with open(os.path.join(f.folder, "accepted")) as file:
        first = file.read()
    f.run("analyze", ".", "-q", "--write-accepted", "../accepted", "--accepted",
          "../accepted").expect(0)
    with open(os.path.join(f.folder, "accepted")) as file:
        equal(file.read(), first, "what a second run writes")
    rows = [line.split("\t") for line in first.splitlines() if not line.startswith("#")]
    check(rows and all(len(row) == 4 and row[3].startswith("# ") for row in rows), first)
    equal(len({row[2] for row in rows}), len(rows), "numbers")


@test
def counts_beyond_the_limit(f):
    f.write("a.py", "import torch\nx = torch.zeros(3)\n" + "x.cuda()\n" * 500)
    before = f.analyze("--rules", "FH601").json
    equal(sum(x.get("count", 1) for x in before["findings"]), 500, "findings")
    f.run("analyze", ".", "-q", "--rules", "FH601", "--write-accepted", "../accepted").expect(0)
    f.write("a.py", "import torch\nx = torch.zeros(3)\n" + "x.cuda()\n" * 507)
    after = f.analyze("--rules", "FH601", "--accepted", "../accepted").json
    equal(sum(x.get("count", 1) for x in after["findings"]), 7, "findings that are new")


@test
def damaged_files(f):
    accept(f)
    path = os.path.join(f.folder, "bad")
    for text in ("FH601\n", "FH601\ta.py\txyz\n", "FH601\ta.py\t0123456789abcdeg\t# x\n", "{}", "{",
                 "FH601\ta.py\t0123456789abcdef x0\n", "\x00\xff"):
        with open(path, "wb") as file:
            file.write(text.encode("latin-1"))
        f.run("analyze", ".", "--accepted", path).expect(2).says("bad")
    with open(path, "w") as file:
        file.write("\n# nothing\n\n")
    equal(len(places(f.analyze("--accepted", path))), len(places(f.analyze())), "findings")
    f.run("analyze", ".", "--write-accepted", "no/such/folder").expect(2)
    check(json.loads(f.analyze().out), "the report")


@test
def gone_ones_are_told(f):
    accept(f)
    run = f.run("analyze", ".", "--accepted", "../accepted").expect(0)
    check(b"not found" not in run.err, run.err)
    f.write("a.py", SOURCE.replace("x.cuda()\n", "", 1))
    for name in ("text", "json", "sarif", "markdown", "html"):
        f.run("analyze", ".", "--accepted", "../accepted", "--format", name).expect(0).says(
            "2 findings hidden", "1 accepted finding in ../accepted was not found",
            "--write-accepted ../accepted", "not found: FH601 in a.py\n")
    # Of what was not asked for, nothing is known.
    for more in (["--rules", "FH602"], ["--exclude", "b*"], ["-q"]):
        run = f.run("analyze", ".", "--accepted", "../accepted", *more).expect(0)
        check(b"not found" not in run.err, run.err)
    f.run("analyze", ".", "--accepted", "../accepted", "--write-accepted",
          "../accepted").expect(0).says("2 findings are accepted", "2 findings hidden")
    run = f.run("analyze", ".", "--accepted", "../accepted").expect(0)
    check(b"not found" not in run.err, run.err)


@test
def what_is_gone_is_named(f):
    for i in range(12):
        f.write(f"m{i:02}.py", SOURCE)
    f.run("analyze", ".", "-q", "--write-accepted", "../accepted").expect(0)
    with open(os.path.join(f.folder, "old.json"), "wb") as file:
        file.write(f.analyze().out)
    for i in range(11):
        f.write(f"m{i:02}.py", "import torch\n")
    for accepted in ("../accepted", "../old.json"):
        f.run("analyze", ".", "--accepted", accepted).expect(0).says(
            "3 findings hidden", f"33 accepted findings in {accepted} were not found",
            "not found: FH601 in m00.py x2\n", "not found: FH602 in m00.py\n",
            "not found: FH602 in m04.py\n", "not found: 18 more\n")


@test
def a_list_for_another_folder(f):
    """Paths count from the target: nothing of the list fits, and that is said."""
    f.write("sub/deep/a.py", SOURCE)
    f.run("analyze", ".", "-q", "--write-accepted", "../accepted").expect(0)
    f.run("analyze", "sub", "-q", "--write-accepted", "../inner").expect(0)
    with open(os.path.join(f.folder, "old.json"), "wb") as file:
        file.write(f.analyze().out)
    for target, accepted, there, here in (
            ("sub", "../accepted", "sub/deep/a.py", "deep/a.py"),
            ("sub/deep", "../accepted", "sub/deep/a.py", "a.py"),
            ("sub", "../old.json", "sub/deep/a.py", "deep/a.py"),
            (".", "../inner", "deep/a.py", "sub/deep/a.py")):
        for more in ([], ["--rules", "FH602"], ["--exclude", "b*"]):
            run = f.run("analyze", target, "--accepted", accepted, *more).expect(0).says(
                f"nothing is hidden: {accepted} counts paths from another folder, {there} there "
                f"is {here} here")
            check(b"not found" not in run.err and b"--write-accepted" not in run.err, run.err)
        run = f.run("analyze", target, "--accepted", accepted, "-q").expect(0)
        equal(run.err, b"", "what is said with -q")
    # Files of other folders that only end alike are no sign of that.
    f.write("other/xa.py", SOURCE)
    run = f.run("analyze", "other", "--accepted", "../accepted").expect(0).says(
        "3 accepted findings in ../accepted were not found here", "FH601 in sub/deep/a.py x2")
    check(b"another folder" not in run.err, run.err)


@test
def one_is_accepted(f):
    f.write("a.py", "import torch\ntorch.cuda.synchronize()\n")
    f.run("analyze", ".", "--write-accepted", "../accepted").expect(0).says(
        "1 finding is accepted")
