"""A tree that is large in every direction. Memory is bounded; time is not looked at."""
from harness import check, equal, test

FILES, CALLS, ON_ONE_LINE, DEPTH, FUNCTIONS = 2000, 300_000, 50_000, 90, 4000
MOST_KIB = 1024 * 1024


def fill(f):
    for i in range(FILES):
        f.write(f"p{i % 50}/m{i}.py", f"import torch.nn as nn\nl{i} = nn.Linear({i + 1}, 2)\n")
    f.write("long.py", "import torch\nx = torch.ones(1)\n" +
            "".join(f"x = torch.add(x, {i})\n" for i in range(CALLS)))
    f.write("oneline.py", "import torch.nn as nn\nL = [" + "nn.ReLU()," * ON_ONE_LINE + "]\n")
    f.write("deep.py", "import torch\ny = " + "(" * DEPTH + "torch.ones(1)" + ")" * DEPTH + "\n")
    f.write("cuda.py", "import torch\nx = torch.ones(1)\n" + "x.cuda()\n" * 20_000)
    # Searching all of such a file for each call in it would take minutes.
    f.write("device.py", "import torch, torch_npu\n" + "".join(f'''
def f{i}(x, device="cuda"):
    if torch.cuda.is_available() and device.type == "cuda" and torch.backends.cudnn.benchmark:
        x = x.to("cuda:0"); torch.cuda.synchronize()
    elif device == "mps":
        raise RuntimeError("xformers needs it")
    try:
        import flash_attn
    except ImportError:
        import flash_attn
    return torch.npu.current_device(), x.boxes[x.boxes > 0]
''' for i in range(FUNCTIONS)))


@test
def everything_is_counted(f):
    fill(f)
    run = f.run("analyze", ".", "--format", "json").expect(0)
    report = run.json
    equal(report["files"]["scanned"], FILES + 5, "files")
    counts = {o["name"]: o["count"] for o in report["operators"]}
    equal(counts["torch.nn.Linear"], FILES, "nn.Linear")
    equal(counts["torch.add"], CALLS, "torch.add")
    equal(counts["torch.nn.ReLU"], ON_ONE_LINE, "nn.ReLU")
    equal(counts["torch.ones"], 3, "torch.ones")
    moved = sum(x.get("count", 1) for x in report["findings"] if x["rule"] == "FH601")
    equal(moved, 20_000, "FH601, grouped ones too")
    check(len(run.out) < 20 << 20, f"the report has {len(run.out)} bytes")
    check(all(len(o["locations"]) <= 200 for o in report["operators"]), "locations")
    check(run.peak_kib < MOST_KIB, f"peak memory {run.peak_kib} KiB")
    equal(f.run("analyze", ".", "--format", "json").expect(0).out, run.out, "from the cache")
    for format in ("text", "html"):
        f.run("analyze", ".", "--format", format).expect(0)
    fixed = f.run("fix", "cuda.py", "-q").expect(0)
    equal(fixed.out.count(b"\n+x.npu()"), 20_000, "changes")
