import os
import signal
import time

from harness import check, equal, test


def fill(f, count=60):
    for i in range(count):
        f.write(f"p{i % 5}/m{i}.py", f"import torch\nimport torch.nn as nn\nl = nn.Linear({i + 1}, 2)\n"
                                     "x = torch.zeros(3).cuda()\nx = x.softmax(0)\n")


def cache_files(f):
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(f.cache)
                  for name in names)


@test
def runs_are_equal(f):
    fill(f)
    reference = f.analyze("--no-cache").out
    equal(cache_files(f), [], "the cache after --no-cache")
    equal(f.analyze("--no-cache").out, reference, "a second run")
    equal(f.analyze("--no-cache", "--jobs", "1").out, reference, "one thread")
    equal(f.analyze("--no-cache", "--jobs", "4").out, reference, "four threads")
    equal(f.analyze().out, reference, "the run that fills the cache")
    check(cache_files(f), "nothing is in the cache")
    equal(f.analyze().out, reference, "the run from the cache")
    for format in ("text", "sarif", "markdown", "html"):
        fresh = f.run("analyze", ".", "--format", format, "--no-cache").expect(0).out
        equal(f.run("analyze", ".", "--format", format).expect(0).out, fresh,
              f"{format} from the cache")


@test
def a_change_is_seen(f):
    fill(f)
    before = f.analyze().json["summary"]
    f.write("p0/m0.py", "import torch\ny = 1\n")
    after = f.analyze()
    check(after.json["summary"] != before, "the old report was shown")
    equal(after.out, f.analyze("--no-cache").out, "the report after a change")


# A program whose files say something about each other, and what changes one of them for others.
TIED = {
    "net/__init__.py": "from .base import *\n",
    "net/base.py": "import torch.nn as nn\n__all__ = ['Base', 'act']\nact = nn.GELU\n"
                   "class Base(nn.Module):\n    kind = nn.Linear\n"
                   "    def make(self, width):\n        return self.kind(width, WIDTH)\nWIDTH = 8\n",
    "net/model.py": "import torch\nfrom . import Base, act\nfrom .sizes import WIDTH\n"
                    "class Model(Base):\n    def __init__(self):\n        super().__init__()\n"
                    "        self.a = self.make(4)\n        self.b = act()\n"
                    "        self.c = torch.nn.Linear(WIDTH, WIDTH)\n"
                    "    def forward(self, x):\n        return self.b(self.a(x))\n",
    "net/sizes.py": "WIDTH = 16\n",
    "loss.py": "import torch\ndef loss(x, scale):\n    if x.sum() > 0:\n        print(x.item())\n"
               "    return (x * scale).pow(2).sqrt()\n",
    "train.py": "import torch\nimport torch.distributed as dist\nfrom options import parser\n"
                "from net.model import Model\nfrom loss import loss\n"
                "args = parser.parse_args()\ndist.init_process_group(args.backend)\n"
                "model = Model().cuda()\n"
                "for x in []:\n    l = loss(model(x.cuda()), 2)\n    l.backward()\n"
                "    torch.optim.AdamW(model.parameters()).step()\n",
    "options.py": "import argparse\nparser = argparse.ArgumentParser()\n"
                  "parser.add_argument('--backend', default='nccl')\n",
    "many/__init__.py": "from .a import *\nfrom .b import *\nfrom .c import *\n",
    "many/a.py": "import torch.nn as nn\nLayer = nn.Linear\n",
    "many/b.py": "__all__ = ['other']\nother = 1\n",
    "many/c.py": "third = 2\n",
    "many/d.py": "import torch\nLayer = torch.nn.GRU\n",
    "use.py": "import many\nfrom many import Layer\na = Layer(1, 2)\nb = many.Layer(3, 4)\n",
}
EDITS = [
    ("net/base.py", "kind = nn.Linear", "kind = nn.LSTM"),
    ("net/base.py", "act = nn.GELU", "act = nn.Hardswish"),
    ("net/base.py", "['Base', 'act']", "['Base']"),
    ("net/sizes.py", "16", "4096"),
    ("options.py", "'nccl'", "'gloo'"),
    ("train.py", "loss(model(x.cuda()), 2)", "loss(5, 2)"),
    ("train.py", "import torch\n", "import torch\nimport torch_npu.contrib.transfer_to_npu\n"),
    ("loss.py", "import torch\n", "import torch\nimport torch_npu.contrib.transfer_to_npu\n"),
    ("net/model.py", "def forward", "def other"),
    ("net/model.py", "return self.b", "return torch.compile(self.b)"),
    ("loss.py", "x * scale", "x.cpu() * scale"),
    ("net/__init__.py", "from .base import *", "from .base import Base\nact = None"),
    ("train.py", "from loss import", "from net.loss import"),
    # What moves without meaning anything else, and what others say of its place.
    ("options.py", "import argparse\n", "import argparse\n\n\n"),
    ("options.py", "parser =", "def other():\n    return [1, 2]\nparser ="),
    ("train.py", "args =", "def other(x, *, y=3):\n    return x.cuda() @ x\nargs ="),
    ("loss.py", "def loss", "def first(y):\n    return y.cpu()\ndef loss"),
    ("net/base.py", "class Base", "class First(nn.Module):\n    kind = nn.LSTM\nclass Base"),
    ("net/base.py", "WIDTH = 8\n", "WIDTH = 8\ndef last(x):\n    return x.cuda() @ x\n"),
    # Names that come, go, and change places.
    ("net/sizes.py", "WIDTH = 16\n", "HEIGHT = 16\n"),
    ("net/base.py", "act = nn.GELU\n", "act = nn.GELU\nBase = act\n"),
    ("net/base.py", "WIDTH = 8\n", "WIDTH = 8\nBase, act = act, Base\n"),
    ("net/base.py", "'act']\n", "'act']\n__all__.append('WIDTH')\n"),
    ("net/sizes.py", "WIDTH = 16\n", "from .base import *\n"),
    ("net/base.py", "return self.kind", "print(width.item())\n        return self.kind"),
    # What star imports bring: the last that has the name, where it may be taken.
    ("many/c.py", "third = 2", "import torch\nLayer = torch.nn.Conv2d"),
    ("many/c.py", "third = 2", "from .d import *"),
    ("many/c.py", "third = 2", "from torch.nn.functional import *"),
    ("many/b.py", "['other']", "['other', 'Layer']\nfrom torch.nn import LSTM as Layer"),
    ("many/b.py", "other = 1", "from torch.nn import LSTM as Layer"),
    ("many/b.py", "other = 1", "__all__.append('Layer')\nfrom torch.nn import LSTM as Layer"),
    ("many/a.py", "Layer = nn.Linear", "__all__ = []\nLayer = nn.Linear"),
    ("many/__init__.py", "from .c import *\n", "from .c import *\nfrom .d import *\n"),
    # Calls that pass something else, or to something else.
    ("loss.py", "def loss(x, scale)", "def loss(scale, x)"),
    ("loss.py", "scale):", "scale=torch.float64):"),
    ("train.py", "model.parameters())", "model.parameters(), 'nccl')"),
    ("net/model.py", "self.make(4)", "self.make(WIDTH)"),
    ("options.py", "default='nccl'", "dest='other', default='nccl'"),
    ("options.py", "parser.add", "parser.add_argument('--first', default=1)\nparser.add"),
]


@test
def what_is_kept_of_a_file_follows_the_others(f):
    for name, text in TIED.items():
        f.write(name, text)
    f.analyze()
    reports = {f.analyze().out}
    for name, old, new in EDITS:
        check(old in TIED[name], f"{old} is not in {name}")
        f.write(name, TIED[name].replace(old, new))
        report = f.analyze().out
        equal(report, f.analyze("--no-cache").out, f"{name} with {new}")
        reports.add(report)
        f.write(name, TIED[name])
        equal(f.analyze().out, f.analyze("--no-cache").out, f"{name} as it was")
    check(len(reports) > len(EDITS) // 3, "the edits change hardly anything")
    for (name, old, new), (other, old2, new2) in zip(EDITS[::3], EDITS[1::3]):
        texts = dict(TIED)          # two files at once, each after the last two
        texts[name] = texts[name].replace(old, new)
        texts[other] = texts[other].replace(old2, new2)
        for path, text in texts.items():
            f.write(path, text)
        equal(f.analyze().out, f.analyze("--no-cache").out, f"{name} with {new}, {other} with {new2}")
    for name, text in TIED.items():
        f.write(name, text)
    f.analyze()
    f.write("torch_like.py", "import torch.nn as nn\n")     # one file more, then one less
    equal(f.analyze().out, f.analyze("--no-cache").out, "one file more")
    os.remove(os.path.join(f.target, "net/sizes.py"))
    equal(f.analyze().out, f.analyze("--no-cache").out, "one file less")


@test
def options_are_part_of_the_key(f):
    fill(f, 5)
    for option in (["--soc", "310P"], ["--torch", "2.1"], ["--rules", "FH601"],
                   ["--baseline", "H100"], ["--max-locations", "1"], ["--exclude", "p0"]):
        f.analyze()
        equal(f.analyze(*option).out, f.analyze("--no-cache", *option).out, f"{option}")


@test
def damage_is_ignored(f):
    fill(f)
    reference = f.analyze().out
    files = cache_files(f)
    check(len(files) >= 2, f"the cache holds {files}")
    for path in files:
        with open(path, "rb") as file:
            good = file.read()
        damaged = [b"", good[:len(good) // 2], good[:-1], b"\0" * len(good), good + good,
                   bytes(reversed(good))]
        for place in (0, 8, len(good) // 3, len(good) // 2, len(good) - 9):
            if 0 <= place < len(good):
                damaged.append(good[:place] + bytes([good[place] ^ 0x5A]) + good[place + 1:])
        for bad in damaged:
            with open(path, "wb") as file:
                file.write(bad)
            # Without the other files: they would hide what a damaged one does.
            aside = [p for p in files if p != path and "results" in p]
            for other in aside:
                if os.path.exists(other):
                    os.remove(other)
            run = f.run("analyze", ".", "--format", "json")
            name = os.path.relpath(path, f.cache)
            equal(run.code, 0, f"exit code with a damaged {name}")
            equal(run.out, reference, f"the report with a damaged {name}")
            f.analyze()


@test
def a_result_with_other_findings_in_it(f):
    """Still JSON, still a report, but not what was written."""
    fill(f, 5)
    reference = f.analyze().out
    for path in cache_files(f):
        if path.endswith(".json"):
            with open(path, "rb") as file:
                text = file.read()
            with open(path, "wb") as file:
                file.write(text.replace(b"warning", b"waning"))
    equal(f.analyze().out, reference, "the report")


@test
def killed_runs_leave_a_usable_cache(f):
    fill(f, 600)
    reference = f.analyze("--no-cache").out
    for delay in (0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.12, 0.2, 0.3):
        process = f.start("analyze", ".", "-q", "--jobs", "2")
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        equal(f.analyze().out, reference, f"the report after a kill at {delay} s")
        for path in cache_files(f):
            os.remove(path)


@test
def a_folder_that_cannot_be_written(f):
    fill(f, 5)
    reference = f.analyze("--no-cache").out
    os.mkdir(f.cache)
    os.chmod(f.cache, 0o500)
    equal(f.analyze().out, reference, "the report with a read-only cache")
    os.chmod(f.cache, 0o700)
    f.analyze()
    for folder, _, _ in os.walk(f.cache):
        os.chmod(folder, 0o500)
    equal(f.analyze().out, reference, "the report from a read-only cache")
    equal(f.analyze("--cache-dir", "/dev/null/x").out, reference, "no folder at all")
    equal(f.analyze("--cache-dir", os.path.join(f.target, "p0/m0.py")).out, reference, "a file")


@test
def imported_facts_are_part_of_the_key(f):
    f.write("a.py", "import torch\ny = torch.nn.functional.gelu(torch.zeros(3))\n")
    facts = os.path.join(f.folder, "facts")
    f.write("ref.csv", "operator,products,dtypes\naclnnAddmm,Atlas A2,float16\n")
    before = f.analyze().out
    f.run("facts", "import", "ref.csv", "--facts", facts).expect(0)
    with_facts = f.analyze("--facts", facts).out
    equal(with_facts, f.analyze("--facts", facts, "--no-cache").out, "the report with facts")
    equal(f.analyze().out, before, "the report without them")
    check("aclnnAddmm" in open(os.path.join(facts, "operators-ref.csv.tsv")).read()
          if os.path.exists(os.path.join(facts, "operators-ref.csv.tsv")) else True, "the table")
