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
def requirements_as_written(f):
    """Markers, extras, URLs, and the words of Poetry and conda are no wrong specifiers."""
    f.write("requirements.txt", "torch==2.7.1 ; python_version >= '3.8'\nnumpy [a] >= 1 ; os_name == 'nt'\n"
                                "a @ https://h/a.whl\ngit+https://h/b.git@v1\ntorch==9.9 ; sys_platform == 'x'\n")
    f.write("pyproject.toml", '[project]\ndependencies = ["torch[x]>=2.1; extra == \'y\'"]\n'
                              '[tool.poetry.dependencies]\ntorch = "^2.7"\nc = "~1"\nd = {git = "https://h/d"}\n')
    f.write("environment.yml", "dependencies:\n  - pytorch=2.7.1\n  - pytorch-cuda=12.1\n  - c::e=1.0=py3_0\n")
    report = f.run("doctor", ".", "--format", "json").expect(0).json
    wrong = [p for p in report["problems"] if p["file"] and "pytorch-cuda is for CUDA" not in p["problem"]]
    equal(wrong, [], "problems")
    equal([v["torch"] for v in report["fitting"]], ["2.7.1"], "what the pins leave")


@test
def widths_and_colours(f):
    narrow = dict(f.environment, COLUMNS="50")
    for arguments in (["soc"], ["soc", "910B3"], ["doctor"], ["ops", "nn.Linear"], ["facts"]):
        run = f.run(*arguments, environment=narrow).expect(0)
        # A name or a path stays whole, also where it alone is wider than the terminal.
        wide = [line for line in run.out.decode().splitlines()
                if len(line) > 50 and len(line.split()[-1]) <= 50 - 16]
        equal(wide, [], f"lines of {arguments} that are too wide")
        check(b"\x1b" not in run.out, f"colours in a pipe: {arguments}")
        check(b"\x1b" in f.run(*arguments, "--color", "always").expect(0).out,
              f"no colours: {arguments}")


MODEL = """import torch
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(768, 3072)
        self.down = nn.Linear(3072, 768)
        self.small = nn.Conv2d(3, 8, 3, stride=2)

    def forward(self, x, q):
        x = self.down(torch.relu(self.up(x)))
        return torch.nn.functional.scaled_dot_product_attention(q, q, q) + self.small(x)
"""


@test
def intensities(f):
    """Intensity of layers whose sizes stand in the text, and where the kind of limit changes."""
    f.write("m.py", MODEL)
    expected = f.analyze("--soc", "910B3").json["expected"]
    classes = {c["class"]: c for c in expected["classes"]}
    ridge = expected["chip"]["ridge"]
    check(abs(ridge - expected["chip"]["fp16_tflops"] * 1000 / expected["chip"]["memory_GBps"]) < 1e-6,
          "ridge")
    work, weights, moved = 4 * 768 * 3072, 2 * 768 * 3072 + 3072 + 768, 2 * (768 + 3072)

    def at(batch):
        return batch * work / (2 * (weights + batch * moved))
    dense = classes["matmul"]["intensity"]
    check(abs(dense["low"] - at(1)) < 1e-9 and abs(dense["high"] - at(1e15)) < 1e-3, dense)
    check(at(dense["turns_at"]) >= ridge > at(dense["turns_at"] - 1), dense)
    equal((dense["per"], dense["sized"], classes["matmul"]["bound"]), ("token", 2, "compute"), "matmul")
    # Three channels in: 27 products for each of 8 numbers, 4 x 3 numbers read, 8 written.
    small = classes["convolution"]
    check("turns_at" not in small["intensity"] and small["bound"] == "memory", small)
    check(abs(small["intensity"]["high"] - 2 * 216 / (2 * 20)) < 1e-9, small)
    check(abs(classes["attention"]["intensity"]["turns_at"] - 2 * ridge) <= 1, classes["attention"])
    for text in ("text", "markdown"):
        out = f.run("analyze", ".", "--details", "-q", "--format", text).expect(0).out.decode()
        check(f"{dense['turns_at']:,} tokens" in out or f"{dense['turns_at']} tokens" in out, out)


@test
def host_is_an_assumption(f):
    """The number that a gain rests on stands beside it, and can be set."""
    f.write("m.py", MODEL)
    def text(*flags):
        run = f.run("analyze", ".", "--details", "-q", "--format", "text", *flags).expect(0)
        return " ".join(run.out.decode().split())
    usual = text()
    check("1 TFLOP/s in FP32" in usual and "100 GB/s" in usual, usual)
    own = ("--host-tflops", "2.5", "--host-bandwidth", "400")
    said = text(*own)
    check("2.5 TFLOP/s in FP32" in said and "400 GB/s" in said and "4×" in said, said)
    equal(f.analyze(*own).json["expected"]["host"], {"fp32_tflops": 2.5, "memory_GBps": 400}, "host")
    for bad in ("0", "-1", "nan", "inf", "1e400", "x", ""):
        f.run("analyze", ".", f"--host-tflops={bad}").expect(2).says("--host-tflops")


STEPS = '''
import torch
class Trainer:
    def __init__(self):
        with torch.no_grad():
            self.model(torch.ones(1))               # once
    def fit(self, loader):
        for batch in loader:
            self.scaler.scale(self.model(batch)).backward()
            self.optimizer_step()
    def training_step(self, batch):
        self.accelerator.backward(self.model(batch))
    @torch.no_grad()
    def fuse(self):
        for layer in self.layers:
            layer.weight.mul_(2)
        build_model(3)
        Model(3)
def step(loss, optimizer):
    loss.backward()
    optimizer.step()
class Function(torch.autograd.Function):
    def backward(context, gradient):
        return super().backward(gradient)
@torch.inference_mode()
def predict(net, x):
    return net(x)
def evaluate(ema_model, loader):
    with torch.no_grad():
        warm = ema_model(torch.ones(1))
        for x in loader:
            y = ema_model(x)
def scheduled(loss, scheduler):
    loss.backward()
    scheduler.step()
'''


@test
def steps_to_measure(f):
    """Training first, then inference in loops, then other inference."""
    f.write("t.py", STEPS)
    steps = [(s["kind"], s["line"]) for s in f.analyze().json["profiling"]["steps"]]
    equal(steps, [("training", 9), ("training", 12), ("training", 20), ("inference", 32),
                  ("inference", 27)], "steps")
