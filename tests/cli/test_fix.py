import ast
import os
import random
import shutil
import stat
import subprocess

from harness import ROOT, check, equal, test

CASES = os.path.join(ROOT, "tests/cases/fix")
CHANGED_RULES = {"FH401", "FH402", "FH403", "FH501", "FH601"}
# Rules whose findings are mechanical: each is changed, or named among what is left.
MECHANICAL = CHANGED_RULES | {"FH506", "FH508", "FH602", "FH603", "FH604", "FH605", "FH606", "FH607",
                              "FH608", "FH610", "FH611"}


def tree_of(folder):
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            full = os.path.join(path, name)
            with open(full, "rb") as file:
                found[os.path.relpath(full, folder)] = file.read()
    return found


def patch(f, text, folder, *command):
    run = subprocess.run(command, cwd=folder, input=text, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, env=f.environment, check=False)
    equal(run.returncode, 0, f"{command}: {run.stdout.decode(errors='replace')}\n"
                             f"{text.decode(errors='replace')[:2000]}")
    # GNU patch is silent about an offset only when there is none.
    check(b"offset" not in run.stdout and b"fuzz" not in run.stdout, run.stdout)


def round_trip(f, parse=True):
    """The diff applied by git and by patch, and --apply, all give the same tree; returns it."""
    before = tree_of(f.target)
    diff = f.run("fix", ".").expect(0, raw=True).out
    equal(tree_of(f.target), before, "the tree after a run without --apply")
    copies = [os.path.join(f.folder, name) for name in ("git", "patch")]
    for copy in copies:
        shutil.copytree(f.target, copy, symlinks=True)
    if diff:
        patch(f, diff, copies[0], "git", "apply")
        patch(f, diff, copies[1], "patch", "-p1", "--no-backup-if-mismatch")
    f.run("fix", ".", "--apply").expect(0)
    fixed = tree_of(f.target)
    for copy in copies:
        other = tree_of(copy)
        equal({k for k in fixed if fixed[k] != other.get(k)}, set(), f"what {copy} made of it")
        shutil.rmtree(copy)
    equal(f.run("fix", ".").expect(0).out, b"", "a second diff")
    for name, content in fixed.items():
        if parse and name.endswith(".py"):
            ast.parse(content)
    return fixed


@test
def cases(f):
    names = sorted(os.listdir(CASES))
    check(len(names) >= 6, f"cases: {names}")
    for name in names:
        shutil.rmtree(f.target)
        shutil.copytree(os.path.join(CASES, name, "before"), f.target)
        fixed = round_trip(f)
        expected = tree_of(os.path.join(CASES, name, "after"))
        for path in expected:
            equal(fixed[path].decode(), expected[path].decode(), f"{name}/{path}")


@test
def findings_are_gone(f):
    for name in ("devices", "amp", "distributed"):
        shutil.copytree(os.path.join(CASES, name, "before"), f.target, dirs_exist_ok=True)
    before = {x["rule"] for x in f.analyze().json["findings"]}
    check(CHANGED_RULES <= before, f"before: {before}")
    f.run("fix", ".", "--apply").expect(0)
    left = [(x["rule"], x["file"], x["line"]) for x in f.analyze().json["findings"]
            if x["rule"] in CHANGED_RULES]
    equal(left, [], "findings after fix")


@test
def random_texts(f):
    """Any mixture of lines, line ends, marks and last lines goes through git and patch."""
    lines = ["import torch", "x = torch.zeros(3).cuda()", "# cuda", "y = 1", "", "\tz = 'é中'",
             "d = torch.device('cuda')", "b = d.type == 'cuda' or \"cuda\" in str(d)", "y = x.to(0)",
             "torch.backends.cudnn.allow_tf32 = True", "u = torch.zeros(1, device= \\", "  0)",
             "torch.set_float32_matmul_precision('high') # é", "v = f\"{x.to(0)} {d.type == 'cuda'}\"",
             "t = torch.device('cu' 'da')", "s = {'cuda': 1, 'cpu': 2}[d.type]", "torch.cuda.synchronize(); torch.cuda.empty_cache()",
             "import torch.nn as nn", "w = 'cuda:0'", "\f", "t = \"\"\"cuda", "cuda\"\"\""]
    source = random.Random(1)
    for i in range(300):
        count = source.choice([1, 2, 5, 9, 30])
        body = ["import torch"]
        for _ in range(count):
            line = source.choice(lines[:-2]).lstrip("\t")
            body += [line, "  0)"] if line.endswith("\\") else [line] if line != "  0)" else []
        if source.random() < 0.3:
            body[1:1] = lines[-2:]
        end = source.choice(["\n", "\n", "\r\n"])
        text = end.join(body) + source.choice([end, ""])
        mark = source.choice([b"", b"", b"\xef\xbb\xbf"])
        content = mark + text.encode()
        if i % 3 == 0:
            content = f"# coding: gbk{end}{text}".encode("gbk")
        f.write(f"m{i:03}.py", content)
    round_trip(f)


@test
def names_of_files(f):
    for name in ("a b.py", "é中.py", "quote\".py", "back\\slash.py", "sub/t\tab.py", "-dash.py"):
        f.write(name)
    round_trip(f)


@test
def other_encodings(f):
    """A file is changed in its own encoding: Python's own codecs say what must come out."""
    texts = {"gbk": "你好，训练", "gb18030": "\U00020000中ü", "latin-1": "é÷ÿ", "big5": "功許蓋", "shift_jis": "ソ表十",
             "euc_kr": "한국어", "cp1252": "€—", "koi8_r": "привет",
             "iso2022_jp": "表"}
    expected = {}
    for name, text in texts.items():
        head = f"# coding: {name}\r\nimport torch\r\ns = '{text}'\r\n"
        body = f"x = '{text}', torch.zeros(3).cuda(), '{text}', torch.device('cuda')  # {text}cuda"
        f.write(f"{name}.py", (head + body).encode(name))
        after = head.replace("torch\r\n", "torch\r\nimport torch_npu\r\n")
        expected[f"{name}.py"] = (after + body.replace(".cuda()", ".npu()").replace("('cuda')", "('npu')")).encode(name)
    line = "x = torch.zeros(3).cuda()\n"
    for name, first in (("guessed.py", "# 数据 训练\n".encode("gbk")), ("west.py", b"# d\xe9j\xe0 vu\n"),
                        ("torn.py", "# 数据 训练数据 训练\n".encode()[:-2] + b"\n"),
                        ("marked.py", b"\xef\xbb\xbf# \xe9\n")):
        f.write(name, first + b"import torch\n" + line.encode())
        expected[name] = first + b"import torch\nimport torch_npu\nx = torch.zeros(3).npu()\n"
    f.write("settings.yaml", b"name: d\xe9j\xe0 vu\ndevice: cuda\n")
    expected["settings.yaml"] = b"name: d\xe9j\xe0 vu\ndevice: npu\n"
    fixed = round_trip(f, parse=False)
    for name, content in expected.items():
        equal(fixed[name], content, name)


@test
def encodings_that_are_left_out(f):
    """Where a character is not bytes of its own, or a new name would have to be encoded."""
    files = {"wide.py": "import torch\nx = torch.zeros(3).cuda()\n".encode("utf-16"),
             "name.py": "# coding: gbk\nimport torch as 火\n火.set_float32_matmul_precision('high')\n"
                        .encode("gbk")}
    for name, content in files.items():
        f.write(name, content)
    f.write("good.py")
    run = f.run("fix", ".", "--apply").expect(0).says("encoding", *files, "1 change in 1 file")
    equal(run.out, b"", "output")
    for name, content in files.items():
        equal(tree_of(f.target)[name], content, name)


@test
def apply_keeps_what_a_file_is(f):
    tool = f.write("tool.py", "#!/usr/bin/env python3\nimport torch\nx = torch.zeros(3).cuda()\n")
    os.chmod(tool, 0o751)
    real = f.write("real/a.py")
    os.symlink("../real/a.py", os.path.join(f.target, "real/link.py"))
    os.mkdir(os.path.join(f.target, "other"))
    shutil.move(real, os.path.join(f.target, "other/a.py"))
    os.symlink("../other/a.py", real)
    untouched = f.write("untouched.py", "import torch\n")
    before = os.stat(untouched)
    f.run("fix", ".", "--apply").expect(0)
    equal(stat.S_IMODE(os.stat(tool).st_mode), 0o751, "mode")
    check(os.path.islink(real), "a link became a file")
    with open(real) as file:
        equal(file.read(), "import torch\nimport torch_npu\nx = torch.zeros(3).npu()\n", "content")
    equal(os.stat(untouched).st_mtime_ns, before.st_mtime_ns, "a file without changes")
    equal([n for n in os.listdir(f.target) if n.startswith(".") or n.endswith("~")], [], "leftovers")


@test
def a_file_that_cannot_be_written(f):
    f.write("a/x.py")
    f.write("b/x.py")
    if os.getuid() == 0:
        return
    os.chmod(os.path.join(f.target, "a"), 0o500)
    f.run("fix", ".", "--apply").expect(2).says("a/x.py")
    check("npu" in open(os.path.join(f.target, "b/x.py")).read(), "the other file")


@test
def pieces_and_continuations(f):
    """Literals in pieces are named and stay; lines that go on are read as one."""
    f.write("a.py", "import torch\nx = torch.zeros(1).to('cu' 'da')\n"
                    "ok = x.device.type \\\n    == 'cuda'\nbad = x.device.type == 'cu' 'da'\n")
    run = f.run("fix", ".", "--apply").expect(0).says("a.py:2 (cuda)", "a.py:5 (cuda)")
    equal(run.out, b"", "output")
    check("== 'npu'" in open(os.path.join(f.target, "a.py")).read(), "the continued line")


@test
def broken_files_are_left(f):
    broken = "import torch\nx = torch.zeros(3).cuda()\ndef (:\n"
    f.write("broken.py", broken)
    f.write("good.py")
    f.run("fix", ".", "--apply").expect(0).says("syntax error", "broken.py", "1 change in 1 file")
    equal(tree_of(f.target)["broken.py"].decode(), broken, "broken.py")


@test
def what_is_left_is_named(f):
    """No finding of a mechanical rule passes in silence: each is gone after fix, or in the list."""
    for name in sorted(os.listdir(CASES)):
        shutil.copytree(os.path.join(CASES, name, "before"), os.path.join(f.target, name))
    f.run("fix", ".", "--apply").expect(0)
    summary = f.run("fix", ".", "--details").expect(0).err.decode()
    for x in f.analyze().json["findings"]:
        if x["rule"] in MECHANICAL:
            check(f"{x['file']}:{x['line']}" in summary, f"{x['rule']} {x['file']}:{x['line']} is "
                  f"not named:\n{summary}")


@test
def same_with_any_number_of_threads(f):
    for name in sorted(os.listdir(CASES)):
        shutil.copytree(os.path.join(CASES, name, "before"), os.path.join(f.target, name))
    one = f.run("fix", ".", "--jobs", "1", "--no-cache").expect(0)
    for _ in range(3):
        many = f.run("fix", ".", "--jobs", "4").expect(0)
        equal((many.out, many.err), (one.out, one.err), "fix with four threads, and from the cache")


@test
def rules_can_be_chosen(f):
    f.write("a.py", "import torch\nx = torch.zeros(3).cuda()\ntorch.cuda.synchronize()\n")
    diff = f.run("fix", ".", "--rules", "FH602").expect(0).out
    check(b"+torch.npu.synchronize()" in diff and b"+x" not in diff, diff)


@test
def a_release_without_the_replacement(f):
    f.write("a.py", "import torch\ntorch.cuda.host_memory_stats()\n")
    equal(f.run("fix", ".", "--torch", "2.1").expect(0).says("not in this release").out, b"",
          "the diff")
    check(f.run("fix", ".", "--torch", "2.7").expect(0).out, "no diff")
