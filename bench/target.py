"""The code that is measured, and how a program is measured.

The code is the wheel of transformers 5.24.0 from PyPI: 2,912 Python files, 53.6 MB. It is only
read: nothing of it is imported or run.
"""
import hashlib
import os
import re
import subprocess
import sys
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(HERE)
WORK = os.path.join(TREE, "build", "bench")
PACKAGE, VERSION = "transformers", "5.24.0"
SHA256 = "ff5ebedf9359f94bb63772b6380eba6e7104d010cbbb2cb82c788817ea7486f6"


def program():
    """The foothold to measure, as an absolute path."""
    path = os.environ.get("FOOTHOLD_BINARY") or os.environ.get("FOOTHOLD") or \
        os.path.join(TREE, "build", "release", "foothold")
    if not os.access(path, os.X_OK):
        raise SystemExit(f"bench: {path} is no program: build it (cmake --build --preset release) "
                         "or name another one by FOOTHOLD_BINARY")
    return os.path.abspath(path)


def code():
    """The folder with the unpacked package; fetched once through pip, compared by hash."""
    folder = os.path.join(WORK, f"{PACKAGE}-{VERSION}")
    if os.path.isdir(folder):
        return folder
    os.makedirs(WORK, exist_ok=True)
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                    "--only-binary", ":all:", "--dest", WORK, f"{PACKAGE}=={VERSION}"], check=True)
    wheel = os.path.join(WORK, f"{PACKAGE}-{VERSION}-py3-none-any.whl")
    with open(wheel, "rb") as file:
        found = hashlib.sha256(file.read()).hexdigest()
    if found != SHA256:
        raise SystemExit(f"bench: {wheel} has sha256 {found}, not {SHA256}: delete it, try again")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder + ".part")
    os.replace(folder + ".part", folder)
    return folder


def python_files(folder):
    """Paths of all .py files, in the order of their names."""
    found = []
    for inner, folders, names in os.walk(folder):
        folders.sort()
        found += [os.path.join(inner, name) for name in sorted(names) if name.endswith(".py")]
    return found


def two_cores():
    """Binds this process, and so all that it starts, to two processors; which ones."""
    allowed = sorted(os.sched_getaffinity(0))[:2]
    os.sched_setaffinity(0, allowed)
    return allowed


def measure(command, expect=(0,)):
    """Runs a command with its output thrown away: (wall seconds, processor seconds, peak MB)."""
    with open(os.devnull, "w") as sink:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=sink, stderr=subprocess.PIPE)
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode not in expect:
        raise SystemExit(f"bench: {' '.join(command)} ended with {process.returncode}: "
                         + errors.decode("utf-8", "replace")[-400:])
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def first_line(*command):
    """First line that a program prints, or why there is none."""
    try:
        out = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        return f"not there ({error.strerror})"
    return (out.stdout + out.stderr).strip().split("\n")[0]


def processor():
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        found = re.search(r"^(?:model name|Model|CPU part)\s*:\s*(.+)$", file.read(), re.M)
    return found.group(1).strip() if found else os.uname().machine


def memory():
    """Main memory in GB."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9


def host_kind():
    """A short name of the kind of machine, for a folder."""
    name = re.sub(r"\((R|TM)\)|CPU|Processor|@.*|\d+-Core", " ", processor())
    words = re.findall(r"[a-z0-9]+", name.lower())
    return "-".join([*words[:4], os.uname().machine.replace("_", "-"),
                     f"{os.cpu_count()}cpu"])


def host(cores):
    """Lines that say on what a run was made."""
    with open("/etc/os-release", encoding="utf-8") as file:
        system = re.search(r'^PRETTY_NAME="?([^"\n]+)', file.read(), re.M).group(1)
    load = os.getloadavg()
    return [f"processor: {processor()}, {os.cpu_count()} of them, bound to {cores}",
            f"memory: {memory():.1f} GB", f"system: {system}, Linux {os.uname().release}",
            f"load before the run: {load[0]:.2f} {load[1]:.2f} {load[2]:.2f}"]


def commit():
    text = first_line("git", "-C", TREE, "log", "-1", "--format=%h %cs")
    changed = subprocess.run(["git", "-C", TREE, "status", "--porcelain", "--untracked-files=no"],
                             capture_output=True, text=True).stdout.strip()
    return text + (" and changes that are not committed" if changed else "")
