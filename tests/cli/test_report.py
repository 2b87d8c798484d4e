"""Saved reports, and what stands in reports of notebooks."""
import json
import os
import shutil

from harness import check, equal, test

SOURCE = "import torch\nx = torch.zeros(3)\nx.cuda()\n"


def saved_like_direct(f, *targets):
    """Every format of a saved report of the targets, which is that of a direct one."""
    path = os.path.join(f.folder, "saved.json")
    f.run("analyze", *targets, "--format", "json", "-o", path).expect(0)
    reports = {}
    for name in ("text", "json", "sarif", "markdown", "html"):
        direct = f.run("analyze", *targets, "--format", name).expect(0).out
        equal(f.run("report", path, "--format", name).expect(0).out, direct, f"{targets}: {name}")
        reports[name] = direct
    return path, reports


@test
def saved_reports_have_the_same_paths(f):
    f.write("sub/a.py", SOURCE)
    f.write("sub/deep/b.cu", "#include <cuda_runtime.h>\nint main() { cudaFree(0); }\n")
    f.write("other/c.py", SOURCE)
    shutil.make_archive(os.path.join(f.target, "packed"), "zip", os.path.join(f.target, "sub"))
    for targets in (["sub"], ["sub/"], ["./sub"], ["."], ["sub/a.py"], ["./sub/a.py"],
                    [f.target + "/sub"], ["packed.zip"], ["sub", "other"]):
        saved_like_direct(f, *targets)
    path, reports = saved_like_direct(f, "sub")
    check(b"`sub/a.py:3:1`" in reports["markdown"], "no place with the folder")
    uris = {x["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            for x in json.loads(reports["sarif"])["runs"][0]["results"]}
    check("sub/a.py" in uris, uris)
    # Elsewhere the target is not there to be looked at.
    for name in ("sarif", "markdown"):
        equal(f.run("report", path, "--format", name, cwd=f.folder).expect(0).out, reports[name],
              name)
    path, reports = saved_like_direct(f, "packed.zip")
    equal(f.run("report", path, "--format", "sarif", cwd=f.folder).expect(0).out,
          reports["sarif"], "of an archive")


@test
def what_is_no_report_says_what_to_do(f):
    for content, why in ((SOURCE, "not a value"), ("", "empty"), ("{", "ends"), ("[]", "schema"),
                         ('{"version": "2.1.0"}', "schema"), (b"\xff\xfe", "UTF-8")):
        path = f.write("x.py", content)
        f.run("report", path).expect(2).says("x.py is no report", why,
                                             "foothold analyze TARGET --format json -o FILE")


def notebook(*cells):
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        {"cell_type": "code", "id": f"c{i}", "metadata": {}, "outputs": [],
         "execution_count": None, "source": source} for i, source in enumerate(cells)]})


@test
def excerpts_stay_in_their_cell(f):
    f.write("a.ipynb", notebook("import torch\nx = torch.zeros(3)", "x.cuda()", "x.cuda()\ny = 1",
                                "z = 1\nx.cuda()"))
    found = [(x["line"], x["excerpt"]) for x in f.analyze("--rules", "FH601").json["findings"]]
    equal(found, [(1, {"line": 1, "text": ["x.cuda()"]}),
                  (1, {"line": 1, "text": ["x.cuda()", "y = 1"]}),
                  (2, {"line": 1, "text": ["z = 1", "x.cuda()"]})], "excerpts")


@test
def notes_name_the_cell(f):
    f.write("a.ipynb", notebook("import torch", "a = 1\nb = = 2\n", "%%perl\nx"))
    notes = f.analyze().json["files"]["notes"]
    equal([(x.get("line"), x["message"].split(":")[0]) for x in notes],
          [(2, "cell 2"), (None, "cell 3")], "notes")


@test
def tables_are_wrapped(f):
    f.write("requirements.txt", "torch==2.1.*,>=2.1,!=2.1.1,!=2.1.2\n")
    whole = f.run("doctor", ".", environment={**f.environment, "COLUMNS": "300"}).expect(0).out
    words = sorted(whole.decode().split())
    for columns in (40, 60, 72, 80, 100, 120):
        out = f.run("doctor", ".", environment={**f.environment, "COLUMNS": str(columns)}).expect(
            0).out.decode()
        check("\N{HORIZONTAL ELLIPSIS}" not in out, f"cut at {columns}: {out[:500]}")
        if columns >= 72:
            equal(sorted(out.split()), words, f"words at {columns} columns")
        for line in out.splitlines():
            check(len(line) <= columns or len(line.split()) < 4, f"{columns}: {line}")
