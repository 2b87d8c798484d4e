"""ops, soc, facts, doctor: text that fits, JSON that parses."""
import json
import os

from harness import check, equal, test


@test
def operators(f):
    run = f.run("ops", "nn.Linear", "F.gelu", "torch.linalg.qr", "--soc", "310P", "--torch",
                "2.7").expect(0)
    for word in (b"torch.nn.Linear", b"torch.nn.functional.gelu", b"torch.linalg.qr", b"aclnn",
                 b"source", b"2.7.1", b"Ascend310P3"):
        check(word in run.out, f"no {word} in {run.out}")
    answer = f.run("ops", "aten::addmm.out", "nn.Linear", "nosuch.name", "--format", "json").expect(0)
    entries = answer.json["operators"]
    equal([e["asked"] for e in entries], ["aten::addmm.out", "nn.Linear", "nosuch.name"], "asked")
    equal(entries[1]["name"], "torch.nn.Linear", "name")
    equal(entries[2]["support"], "unknown", "what nothing is known of")
    equal(answer.out, f.run("ops", "aten::addmm.out", "nn.Linear", "nosuch.name", "--format",
                            "json").out, "a second answer")


@test
def list_of_operators(f):
    rows = f.run("ops", "--list").expect(0).out.decode().splitlines()
    head = rows[0].split("\t")
    check(len(rows) > 3000 and all(len(r.split("\t")) == len(head) for r in rows), "rows")
    names = [r.split("\t")[0] for r in rows[1:]]
    check("torch.nn.Linear" in names and "torch_npu.npu_rms_norm" in names, "names")
    listed = f.run("ops", "--list", "--format", "json").expect(0).json["operators"]
    equal([o["name"] for o in listed], names, "the names in JSON")


@test
def chips(f):
    table = f.run("soc").expect(0).out.decode()
    check("Ascend910B3" in table and "H100" in table, table)
    check(max(map(len, table.splitlines())) <= 80, "wider than the terminal")
    chip = f.run("soc", "A100", "--format", "json").expect(0).json["chips"]
    equal(len(chip), 1, "chips")
    check(chip[0]["fp16_matrix_tflops"] == 312 and chip[0]["source"], chip)
    every = f.run("soc", "--format", "json").expect(0).json["chips"]
    check(len(every) > 20, len(every))
    f.run("soc", "ascend 910b3").expect(0)


@test
def imported_documents(f):
    facts = os.path.join(f.folder, "facts")
    f.write("ref.csv", "operator,products,dtypes\naclnnAddmm,Atlas A2,float16\n")
    run = f.run("facts", "import", "ref.csv", "--facts", facts, "--format", "json").expect(0)
    equal(run.json["imported"][0]["operators"], 1, "operators")
    check(os.path.exists(run.json["imported"][0]["table"]), "the table")
    state = f.run("facts", "list", "--facts", facts, "--format", "json").expect(0).json
    equal((state["imported"]["documents"], state["imported"]["operators"]), (1, 1), "what is there")
    check(any(t["rows"] > 1000 for t in state["tables"]), state["tables"])
    f.run("facts").expect(0)
    f.write("empty.csv", "a,b\n")
    f.run("facts", "import", "ref.csv", "empty.csv", "--facts", facts).expect(2).says("empty.csv")
    with open(run.json["imported"][0]["table"], "w") as table:
        table.write("damaged\n")
    f.run("ops", "nn.Linear", "--facts", facts).expect(2)


@test
def versions(f):
    text = f.run("doctor").expect(0).out
    check(b"torch_npu" in text and b"CANN" in text, text)
    f.write("requirements.txt", "numpy\ntorch==1.5.0\n")
    report = f.run("doctor", ".", "--format", "json").expect(0).json
    check(any(p["file"] == "requirements.txt" and p["line"] == 2 for p in report["problems"]),
          report["problems"])
    check(json.dumps(report), "JSON")


@test
def widths_and_colours(f):
    narrow = dict(f.environment, COLUMNS="50")
    for arguments in (["soc"], ["soc", "910B3"], ["doctor"], ["ops", "nn.Linear"], ["facts"]):
        run = f.run(*arguments, environment=narrow).expect(0)
        wide = [line for line in run.out.decode().splitlines() if len(line) > 50]
        equal(wide, [], f"lines of {arguments} that are too wide")
        check(b"\x1b" not in run.out, f"colours in a pipe: {arguments}")
        check(b"\x1b" in f.run(*arguments, "--color", "always").expect(0).out,
              f"no colours: {arguments}")
