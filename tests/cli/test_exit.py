import os
import subprocess

from harness import check, equal, test


@test
def codes(f):
    f.write("a.py")
    f.run("analyze", ".").expect(0)
    f.run("analyze", ".", "--fail-on", "never").expect(0)
    f.run("analyze", ".", "--fail-on", "warning").expect(1)
    f.run("analyze", ".", "--fail-on", "note").expect(1)
    f.run("analyze", ".", "--fail-on", "error").expect(0)
    f.run("analyze", ".", "--fail-on", "warning", "--rules", "FH8").expect(0)
    f.run("analyze", ".", "--rules", "FH601", "--fail-on", "warning").expect(1)


@test
def usage_errors(f):
    f.write("a.py")
    for arguments in ([], ["analyze"], ["analyse"], ["analyze", "nowhere"], ["no-such-command"],
                      ["analyze", ".", "--no-such-flag"], ["analyze", ".", "--torch", "0.1"],
                      ["analyze", ".", "--soc", "chip"], ["analyze", ".", "--rules", "FH999"],
                      ["analyze", ".", "--format", "odt"], ["analyze", ".", "--jobs", "x"],
                      ["analyze", ".", "--accepted", "nowhere"], ["fix"], ["fix", "nowhere"],
                      ["analyze", ".", "--facts", "nowhere"], ["rules", "FH999"], ["ops"],
                      ["soc", "chip"], ["soc", "--format", "sarif"], ["facts", "export"],
                      ["facts", "import"], ["facts", "import", "nowhere.csv"], ["doctor", "nowhere"],
                      ["ops", "x", "--list"], ["dump-calls"], ["report", "nowhere"]):
        run = f.run(*arguments).expect(2)
        equal(run.out, b"", f"standard output of {arguments}")
        check(run.err, f"{arguments} says nothing")


@test
def a_missing_target_among_others(f):
    f.write("a.py")
    f.run("analyze", "a.py", "nowhere.py").expect(2).says("nowhere.py")


@test
def broken_pipes_are_quiet(f):
    for i in range(200):
        f.write(f"m{i}.py")
    for arguments in (["analyze", ".", "--details"], ["dump-calls", "."], ["ops", "--list"],
                      ["fix", ".", "-q"], ["rules"], ["help"]):
        process = f.start(*arguments)
        process.stdout.read(1)
        process.stdout.close()
        errors = process.stderr.read()
        process.stderr.close()
        process.wait()
        equal((process.returncode, errors), (0, b""), f"{arguments} into a pipe that closes")


@test
def a_full_disk_is_an_error(f):
    f.write("a.py")
    if not os.path.exists("/dev/full"):
        return
    with open("/dev/full", "wb") as full:
        process = subprocess.run([f.binary, "analyze", "."], cwd=f.target, env=f.environment,
                                 stdout=full, stderr=subprocess.PIPE, check=False)
    equal(process.returncode, 2, "the exit code")
    check(b"space" in process.stderr, process.stderr)


@test
def output_cannot_be_written(f):
    f.write("a.py")
    f.run("analyze", ".", "-o", "no/such/folder/x.json").expect(2).says("no/such/folder")


@test
def without_a_home(f):
    f.write("a.py")
    bare = {"PATH": f.environment["PATH"]}
    run = f.run("analyze", ".", "--format", "json", environment=bare).expect(0)
    equal(run.out, f.analyze().out, "the report without a home")
    f.run("ops", "nn.Linear", environment=bare).expect(0)
    f.run("facts", environment=bare).expect(0)
    f.run("facts", "import", "a.csv", environment=bare).expect(2)
