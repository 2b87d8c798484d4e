import io
import os
import tarfile
import zipfile

from harness import check, equal, test

CALL = "import torch\nx = torch.zeros(3).cuda()\n"


def findings(run, rule="FH601"):
    return [(x["file"], x["line"]) for x in run.json["findings"] if x["rule"] == rule]


def unreadable(f, name):
    """A file that nobody can read, root included: address 0 of a process is never mapped."""
    os.symlink("/proc/self/mem", os.path.join(f.target, name))


@test
def one_bad_file_stops_nothing(f):
    f.write("a.py")
    f.write("broken.py", "import torch\ndef f(:\n  x = torch.zeros(3).cuda()\n")
    f.write("zero.py", b"import torch\0\0\n")
    f.write("not.ipynb", "{")
    f.write("bad.json", "{\"fp16\":")
    f.write("empty.py", "")
    os.mkfifo(os.path.join(f.target, "pipe.py"))
    os.symlink("nowhere.py", os.path.join(f.target, "dangling.py"))
    unreadable(f, "secret.py")
    run = f.analyze()
    check(("a.py", 2) in findings(run), f"{findings(run)}")
    named = {x["path"] for x in run.json["files"]["skipped"] + run.json["files"]["notes"]}
    check({"broken.py", "zero.py", "not.ipynb", "secret.py"} <= named, f"said of {named}")


@test
def loops_of_links(f):
    f.write("a/b.py")
    os.symlink("..", os.path.join(f.target, "a/up"))
    os.symlink("self", os.path.join(f.target, "self"))
    os.symlink("b.py", os.path.join(f.target, "a/again.py"))
    equal(findings(f.analyze()), [("a/b.py", 2)], "each file once")


@test
def names_that_are_not_utf8(f):
    f.write(b"caf\xe9.py", CALL)
    f.write("sp ace/\u00e9\u4e2d.py", CALL)
    run = f.analyze()
    equal(findings(run), [("caf\ufffd.py", 2), ("sp ace/\u00e9\u4e2d.py", 2)], "files")
    for format in ("text", "sarif", "markdown", "html"):
        f.run("analyze", ".", "--format", format, "--details").expect(0)
    f.run("fix", ".").expect(0)


@test
def names_in_archives(f):
    """Whatever the locale, names of members are read as the archive means them."""
    wheel, package = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(wheel, "w") as z:  # marks names beyond ASCII as UTF-8
        z.writestr("caf\u00e9/\u4e2d.py", CALL)
    with tarfile.open(fileobj=package, mode="w:gz", format=tarfile.PAX_FORMAT) as t:
        entry = tarfile.TarInfo("p-1/\u4e2d\u00e9.py")
        entry.size = len(CALL)
        t.addfile(entry, io.BytesIO(CALL.encode()))
    f.write("w.whl", wheel.getvalue())
    f.write("p.tar.gz", package.getvalue())
    for locale in ("C", "C.UTF-8", "no_SUCH"):
        there = dict(f.environment, LC_ALL=locale)
        for path, file in (("w.whl", "caf\u00e9/\u4e2d.py"), ("p.tar.gz", "p-1/\u4e2d\u00e9.py")):
            run = f.run("analyze", path, "--format", "json", environment=there).expect(0)
            equal(findings(run), [(file, 2)], f"{path} under {locale}")
            equal(run.json["files"]["skipped"], [], f"{path} under {locale}")


@test
def archives_that_nobody_named(f):
    """Below a folder, and inside of another archive: not read, and said."""
    inner, outer = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(inner, "w") as z:
        z.writestr("a.py", CALL)
    with zipfile.ZipFile(outer, "w") as z:
        z.writestr("lib/inner.whl", inner.getvalue())
    f.write("sub/outer.zip", outer.getvalue())
    equal([x["path"] for x in f.analyze().json["files"]["skipped"]], ["sub/outer.zip"], "skipped")
    run = f.run("analyze", "sub/outer.zip", "--format", "json").expect(0)
    equal([x["path"] for x in run.json["files"]["skipped"]], ["lib/inner.whl"], "skipped")
    equal(f.analyze("--exclude", "*.zip").json["files"]["skipped"], [], "skipped when left out")
    check(b"1 file skipped: sub/outer.zip" in f.run("analyze", ".").expect(0).out, "the summary")


@test
def a_named_file_that_may_not_be_read(f):
    unreadable(f, "secret.py")
    f.run("analyze", "secret.py").expect(2).says("secret.py")


@test
def texts_in_other_encodings(f):
    f.write("gbk.py", b"# coding: gbk\nimport torch\n# \xc4\xe3\xba\xc3\nx = torch.zeros(3).cuda()\n")
    f.write("latin.py", b"# \xe9\nimport torch\nx = torch.zeros(3).cuda()\n")
    f.write("bom.py", b"\xef\xbb\xbfimport torch\r\nx = torch.zeros(3).cuda()\r\n")
    f.write("wide.py", "import torch\nx = torch.zeros(3).cuda()\n".encode("utf-16"))
    equal(findings(f.analyze()), [("bom.py", 2), ("gbk.py", 4), ("latin.py", 3), ("wide.py", 2)],
          "findings")


@test
def include_and_exclude(f):
    for name in ("a.py", "sub/b.py", "sub/deep/c.py", "tests/d.py", "build/e.py"):
        f.write(name)
    equal([x for x, _ in findings(f.analyze())],
          ["a.py", "sub/b.py", "sub/deep/c.py", "tests/d.py"], "by default")
    equal([x for x, _ in findings(f.analyze("--include", "sub/**"))],
          ["sub/b.py", "sub/deep/c.py"], "--include")
    equal([x for x, _ in findings(f.analyze("--exclude", "tests", "--exclude", "c.py"))],
          ["a.py", "sub/b.py"], "--exclude")
    equal([x for x, _ in findings(f.analyze("--include", "build/**"))], ["build/e.py"],
          "a folder that is left out by default")


@test
def several_targets(f):
    f.write("one/a.py")
    f.write("two/a.py")
    f.write("c.py")
    run = f.run("analyze", "one", "two", "c.py", "--format", "json").expect(0)
    equal(findings(run), [("c.py", 2), ("one/a.py", 2), ("two/a.py", 2)], "findings")
    run = f.run("analyze", ".", "one", "--format", "json").expect(0)
    equal(len(findings(run)), 3, "files that two targets have")
    equal(findings(f.run("analyze", "c.py", "--format", "json").expect(0)), [("c.py", 2)],
          "a single file")


@test
def comments_that_ignore(f):
    f.write("a.py", "import torch\nx = torch.zeros(3)\nx.cuda()\n"
                    "x.cuda()  # foothold: ignore\nx.cuda()  # foothold: ignore[FH601]\n"
                    "x.cuda()  # foothold: ignore[FH101, FH601]\nx.cuda()  # foothold: ignore[FH101]\n")
    equal(findings(f.analyze()), [("a.py", 3), ("a.py", 7)], "findings")


@test
def comments_that_ignore_in_other_files(f):
    f.write("a.py", "import torch\nx = torch.zeros(3)\n"
                    "x.cuda()  # noqa: F821 # foothold: ignore[FH601]\nx.cuda()  #foothold:ignore [ fh6 ]\n"
                    "x.cuda()  # foothold: ignored no more\nx.cuda()  # foothold: see ignore\n"
                    "s = '# foothold: ignore'; x.cuda()\n")
    f.write("k.cu", "__global__ void a() {}  // foothold: ignore[FH210]\n"
                    "__global__ void b() {}  /* foothold: ignore */\n__global__ void c() {}  // foothold: ignore[FH211]\n")
    f.write("run.sh", "nvidia-smi  # foothold: ignore\nnvidia-smi\n")
    f.write("c.yaml", "a: {backend: nccl}  # foothold: ignore[FH501]\nbackend: nccl\n")
    f.write("c.toml", "backend = \"nccl\"  # foothold: ignore\n")
    f.write("requirements.txt", "flash-attn  # foothold: ignore[FH205]\nxformers\n")
    f.write("Dockerfile", "FROM a\nRUN nvidia-smi  # foothold: ignore\n")
    found = [(x["rule"], x["file"], x["line"]) for x in f.analyze().json["findings"]]
    equal(sorted(found), [("FH205", "requirements.txt", 2), ("FH210", "k.cu", 3), ("FH501", "c.yaml", 2),
                          ("FH601", "a.py", 5), ("FH601", "a.py", 6), ("FH601", "a.py", 7), ("FH611", "run.sh", 2)], "findings")


def tar_of(*members):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content, link in members:
            info = tarfile.TarInfo(name)
            if link:
                info.type, info.linkname = tarfile.SYMTYPE, link
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def zip_of(*members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


@test
def archives(f):
    call = CALL.encode()
    f.write("good.tar.gz", tar_of(("p/a.py", call, None)))
    f.write("good.whl", zip_of(("p/a.py", call), ("p/b.txt", b"x")))
    for name in ("good.tar.gz", "good.whl"):
        run = f.run("analyze", name, "--format", "json").expect(0)
        equal(findings(run), [("p/a.py", 2)], name)
        patch = f.run("fix", name).expect(0).says("inside an archive")
        equal(patch.out, b"", f"changes to {name}")


@test
def archives_that_are_refused(f):
    call = CALL.encode()
    outside = os.path.join(f.folder, "escaped.py")
    bomb = b"#" * (1 << 20) + b"\n"
    for name, content in (
            ("up.tar.gz", tar_of(("../escaped.py", call, None))),
            ("deep.tar.gz", tar_of(("p/../../escaped.py", call, None))),
            ("root.tar.gz", tar_of((outside, call, None))),
            ("link.tar.gz", tar_of(("p/l.py", b"", "/etc/passwd"), ("p/a.py", call, None))),
            ("up.whl", zip_of(("../escaped.py", call))),
            ("bomb.whl", zip_of(*[(f"p/m{i}.py", bomb) for i in range(130)])),
            ("bomb.tar.gz", tar_of(*[(f"p/m{i}.py", bomb, None) for i in range(130)])),
            ("cut.tar.gz", tar_of(("p/a.py", os.urandom(5000), None))[:2000])):
        f.write(name, content)
        run = f.run("analyze", name, timeout=60).expect(2)
        check(name.encode() in run.err, f"{name}: {run.err[:300]}")
        equal(run.out, b"", f"output for {name}")
        check(not os.path.exists(outside), f"{name} wrote outside")


@test
def archives_that_are_cut(f):
    """What is there is read; what is not is named."""
    f.write("cut.whl", zip_of(("p/a.py", CALL.encode()), ("p/b.py", os.urandom(3000)))[:2000])
    run = f.run("analyze", "cut.whl", "--format", "json")
    check(run.code == 2 or run.expect(0).json["files"]["skipped"], "nothing is said of it")


@test
def terminals_are_not_steered(f):
    f.write("a\x1b[31m.py")
    f.write("b.py", "import torch\nx = torch.zeros(3).cuda()  # \x1b]0;owned\x07\n")
    for format in ("text", "markdown", "json", "sarif", "html"):
        run = f.run("analyze", ".", "--format", format, "--details").expect(0)
        check(b"\x1b" not in run.out, f"{format} passes an escape on")
