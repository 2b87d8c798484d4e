"""A fresh folder, home and cache for each test, and the program in it."""
import json
import os
import resource
import shutil
import stat
import signal
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESTS = []


class Failure(Exception):
    pass


def test(function):
    """Registers a test, in the order of the file."""
    TESTS.append((function.__module__.removeprefix("test_") + "." + function.__name__, function))
    return function


def check(condition, message):
    if not condition:
        raise Failure(message)


def equal(actual, expected, what):
    if actual != expected:
        raise Failure(f"{what}: {str(actual)[:600]!r} instead of {str(expected)[:600]!r}")


def find_binary():
    path = os.environ.get("FOOTHOLD_BINARY") or os.environ.get("FOOTHOLD")
    path = os.path.abspath(path or os.path.join(ROOT, "build/release/foothold"))
    if not os.access(path, os.X_OK):
        raise SystemExit(f"{path} is no program; build it, or name it in FOOTHOLD_BINARY")
    return path


class Run:
    """What a run left behind."""

    def __init__(self, arguments, code, out, err, peak_kib):
        self.arguments, self.code, self.peak_kib = arguments, code, peak_kib
        self.out, self.err = out, err

    def expect(self, code, raw=False):
        """raw: standard output holds pieces of files as they are."""
        if self.code != code:
            raise Failure(f"{' '.join(map(str, self.arguments))}: exit {self.code}, not {code}; "
                          f"{self.err[:1500].decode(errors='replace')}")
        for name, text in (("standard output", b"" if raw else self.out),
                           ("standard error", self.err)):
            try:
                text.decode("utf-8")
            except UnicodeDecodeError as error:
                raise Failure(f"{self.arguments}: {name} is not UTF-8: {error}") from error
        return self

    def says(self, *words):
        for word in words:
            check(word.encode() in self.err, f"{self.arguments}: standard error lacks {word!r}: "
                                             f"{self.err[:800].decode(errors='replace')}")
        return self

    @property
    def json(self):
        return json.loads(self.out)


class Fixture:
    def __init__(self, binary):
        self.binary = binary

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="foothold-cli-")
        self.target = os.path.join(self.folder, "target")
        self.cache = os.path.join(self.folder, "cache")
        os.mkdir(self.target)
        self.environment = {"PATH": os.environ.get("PATH", ""), "HOME": self.folder,
                            "FOOTHOLD_CACHE_DIR": self.cache, "LC_ALL": "C.UTF-8"}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        return self

    def __exit__(self, *_):
        for folder, folders, _files in os.walk(self.folder):
            for name in folders:
                path = os.path.join(folder, name)
                if not os.path.islink(path):
                    os.chmod(path, stat.S_IRWXU)
        shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, path, content="import torch\nx = torch.zeros(3).cuda()\n"):
        full = os.path.join(self.target, path) if isinstance(path, str) else \
            os.path.join(os.fsencode(self.target), path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return full

    def start(self, *arguments, environment=None, cwd=None, **options):
        return subprocess.Popen([self.binary, *arguments], cwd=cwd or self.target,
                                env=self.environment if environment is None else environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **options,
                                # A background job of a shell starts with Ctrl-C ignored, and the program keeps that.
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

    def run(self, *arguments, environment=None, cwd=None, timeout=100):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        process = self.start(*arguments, environment=environment, cwd=cwd)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired as expired:
            process.kill()
            process.communicate()
            raise Failure(f"{arguments}: does not end") from expired
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        return Run(arguments, process.returncode, out, err, after if after > before else 0)

    def analyze(self, *arguments, **options):
        """A JSON report of the target."""
        return self.run("analyze", ".", "--format", "json", *arguments, **options).expect(0)
