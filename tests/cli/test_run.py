import os
import shutil
import signal

from harness import equal, test

NAMES = ["SOC", "DEVICES", "MEMORY", "ISOLATION"]
SHOW = "echo " + " ".join(f'"$FOOTHOLD_{name}"' for name in NAMES)


def installed(f, libraries="../lib/foothold", folder="installed/bin"):
    """The program where nothing of the build is beside it, with a library where one is looked for."""
    folder = os.path.join(f.folder, folder)
    os.makedirs(folder)
    program = shutil.copy2(f.binary, folder)
    if libraries:
        path = os.path.normpath(os.path.join(folder, libraries))
        os.makedirs(path)
        open(os.path.join(path, "libfoothold_npu.so"), "wb").close()
    f.binary = program
    return folder


def variable(f, name, **environment):
    run = f.run("run", "--", "sh", "-c", f'echo "[${{{name}-unset}}]"',
                environment={**f.environment, **environment}).expect(0)
    return run.out.decode().strip()[1:-1]


@test
def usage(f):
    installed(f)
    for arguments, words in (
            ([], ["needs an argument"]), (["--"], ["needs an argument"]),
            (["--", ""], ["argument 1 is empty"]),
            (["--soc", "Ascend91B3", "--", "true"], ["--soc", "Ascend910B3"]),
            (["--soc", "A100", "--", "true"], ["--soc", "no Ascend chip"]),
            (["--soc", "", "--", "true"], ["--soc"]),
            (["--devices", "0", "--", "true"], ["--devices", "from 1 to 64"]),
            (["--devices", "65", "--", "true"], ["--devices"]),
            (["--devices", "-1", "--", "true"], ["--devices"]),
            (["--devices", "99999999999999999999", "--", "true"], ["--devices"]),
            (["--memory", "0", "--", "true"], ["--memory"]),
            (["--memory", "64GB", "--", "true"], ["--memory", "64G"]),
            (["--memory", "16T", "--", "true"], ["--memory", "less than 16T"]),
            (["--memory", "9223372036854775807T", "--", "true"], ["--memory"]),
            (["--isolation", "maybe", "--", "true"], ["--isolation", "neither on nor off"]),
            (["--jobs", "2", "--", "true"], ["--jobs", "no flag of run"]),
            (["--no-such-flag", "true"], ["--no-such-flag"])):
        run = f.run("run", *arguments).expect(2).says(*words)
        equal(run.out, b"", f"standard output of {arguments}")


@test
def variables_are_checked_too(f):
    installed(f)
    for name, value in (("SOC", "chip"), ("DEVICES", "none"), ("MEMORY", "x"), ("ISOLATION", "2")):
        f.run("run", "true", environment={**f.environment, f"FOOTHOLD_{name}": value}) \
            .expect(2).says(f"FOOTHOLD_{name}")


@test
def without_the_libraries(f):
    folder = installed(f, libraries=None)
    f.run("run", "--", "echo", "ran").expect(2).says(folder + "/npu", folder + "/../lib/foothold",
                                                     "libfoothold_npu.so")


@test
def a_folder_that_the_loader_cannot_be_told(f):
    installed(f, folder="a:b/bin")
    f.run("run", "true").expect(2).says("a:b", "LD_LIBRARY_PATH")


@test
def exit_codes(f):
    installed(f)
    f.run("run", "--", "no-such-program-here").expect(127).says("no-such-program-here")
    f.run("run", "--", "./nowhere/program").expect(127).says("./nowhere/program")
    f.write("plain", "echo it ran\n")
    f.run("run", "--", "./plain").expect(126).says("./plain", "ermission")
    f.run("run", "--", ".").expect(126)
    f.run("run", "--", "true").expect(0)
    for code in (1, 2, 77, 126, 255):
        run = f.run("run", "--", "sh", "-c", f"exit {code}").expect(code)
        equal(run.err, b"", "standard error")
    equal(f.run("run", "--", "sh", "-c", "kill -TERM $$").code, -signal.SIGTERM, "a signal")


@test
def arguments_are_the_programs(f):
    installed(f)
    program = ["printf", "%s|", "--help", "", "a b", "-V", "--", "--soc", "*;$(x)"]
    wanted = b"--help||a b|-V|--|--soc|*;$(x)|"
    for front in ([], ["--"], ["--devices", "2"], ["--devices=2", "--"]):
        equal(f.run("run", *front, *program).expect(0).out, wanted, f"arguments after {front}")
    equal(f.run("run", "sh", "-c", "printf %s: \"$0\" \"$@\"", "x", "--quiet").expect(0).out,
          b"x:--quiet:", "arguments of sh")


@test
def input_and_output_are_the_programs(f):
    installed(f)
    run = f.run("run", "sh", "-c", "cat; echo out; echo err >&2; ls /proc/self/fd | wc -l")
    run.expect(0)
    equal((run.out, run.err), (b"out\n4\n", b"err\n"), "what it wrote, and its open files")


@test
def what_flags_set(f):
    installed(f)
    equal(f.run("run", "sh", "-c", SHOW).expect(0).out, b"Ascend910B3 8  1\n", "the defaults")
    run = f.run("run", "--soc", "310p3", "--devices", "64", "--memory", "2G", "--isolation", "off",
                "--", "sh", "-c", SHOW).expect(0)
    equal(run.out, b"Ascend310P3 64 2147483648 0\n", "what was asked for")
    given = {**f.environment, "FOOTHOLD_SOC": "910B1", "FOOTHOLD_DEVICES": "2",
             "FOOTHOLD_MEMORY": "512M", "FOOTHOLD_ISOLATION": "0"}
    equal(f.run("run", "sh", "-c", SHOW, environment=given).expect(0).out,
          b"Ascend910B1 2 536870912 0\n", "what the environment asks for")
    equal(f.run("run", "--devices", "3", "sh", "-c", SHOW, environment=given).expect(0).out,
          b"Ascend910B1 3 536870912 0\n", "a flag against the environment")


@test
def where_the_loader_looks(f):
    folder = installed(f)
    libraries = folder + "/../lib/foothold"
    equal(variable(f, "LD_LIBRARY_PATH"), libraries, "without one before")
    equal(variable(f, "LD_LIBRARY_PATH", LD_LIBRARY_PATH=""), libraries, "with an empty one")
    equal(variable(f, "LD_LIBRARY_PATH", LD_LIBRARY_PATH="/x:/y"), libraries + ":/x:/y",
          "with one before")


@test
def beside_the_program_comes_first(f):
    folder = installed(f)
    os.mkdir(folder + "/npu")
    open(folder + "/npu/libfoothold_npu.so", "wb").close()
    equal(variable(f, "LD_LIBRARY_PATH"), folder + "/npu", "in the build")


@test
def through_a_link(f):
    folder = installed(f)
    os.symlink(f.binary, os.path.join(f.folder, "link"))
    f.binary = os.path.join(f.folder, "link")
    equal(variable(f, "LD_LIBRARY_PATH"), folder + "/../lib/foothold", "seen through a link")


@test
def openmp_waits_without_spinning(f):
    installed(f)
    equal(variable(f, "OMP_WAIT_POLICY"), "passive", "when nobody said")
    equal(variable(f, "OMP_WAIT_POLICY", OMP_WAIT_POLICY="active"), "active", "when the user said")


@test
def signals_are_as_before(f):
    installed(f)
    run = f.run("run", "sh", "-c", "grep -E '^Sig(Ign|Cgt|Blk)' /proc/self/status").expect(0)
    caught = dict(line.split(":\t") for line in run.out.decode().splitlines())
    interrupts = 1 << signal.SIGINT - 1 | 1 << signal.SIGTERM - 1
    for kind in ("SigIgn", "SigBlk"):
        equal(int(caught[kind], 16) & interrupts, 0, kind)
