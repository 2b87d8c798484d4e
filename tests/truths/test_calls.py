#!/usr/bin/env python3
"""Shows that calls.py passes on a dump that is right, and fails on each fault.

usage: test_calls.py        prints one line per case; exit 1 where calls.py judged wrong
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

# Text, and the places of its calls as counted by hand.
FILES = {
    "plain.py": (b"import a\na.b(1)(2).c(d())\n", [(2, 1), (2, 1), (2, 1), (2, 13)]),
    "wide.py": ("x = '\U0001f600é', f(1)\n".encode(), [(1, 11)]),
    "bom.py": (b"\xef\xbb\xbff(1)\r\n\tg(2)\r\n".replace(b"\t", b""), [(1, 1), (2, 1)]),
    "latin.py": (b"# -*- coding: latin-1 -*-\nx = '\xe9', f(1)\n", [(2, 10)]),
    "feed.py": (b"a = 1\n\x0cf(a)\ng(a)\n", [(2, 2), (3, 1)]),
    "decorated.py": (b"@d(1)\n@e.f\nclass C(g()): pass\n", [(1, 2), (3, 9)]),
    "fstring.py": (b"f'{a(1)} {b(c(2)):>{d()}}'\n", [(1, 4), (1, 11), (1, 13), (1, 21)]),
    "lines.py": (b"(x\n  .y()\n  .z(w()))\n", [(1, 2), (1, 2), (3, 6)]),
    "two.py": (b"print 'python 2', f(1)\n", []),
}

STAND_IN = """#!{python}
import json, sys
for file, line, column in json.loads({places!r}):
    print(json.dumps({{"file": file, "line": line, "column": column, "callee": "", "name": ""}}))
"""


def run(folder, places):
    """Exit code of calls.py with a stand-in for foothold that prints these places."""
    stand_in = os.path.join(folder, "stand-in")
    with open(stand_in, "w", encoding="utf-8") as out:
        out.write(STAND_IN.format(python=sys.executable, places=json.dumps(places)))
    os.chmod(stand_in, 0o755)
    done = subprocess.run([sys.executable, os.path.join(HERE, "calls.py"), stand_in, "--path",
                           os.path.join(folder, "code")], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main():
    good = True
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "code"))
        right = []
        for name, (text, places) in FILES.items():
            with open(os.path.join(folder, "code", name), "wb") as out:
                out.write(text)
            right += [(name, line, column) for line, column in places]
        other = [("two.py", 1, 19), ("notes.ipynb", 1, 1)]
        cases = [("all calls", 0, right), ("calls of files that ast refuses", 0, right + other),
                 ("an extra call", 1, right + [("plain.py", 1, 1)])]
        for index, place in enumerate(right):
            cases.append(("without {}:{}:{}".format(*place), 1,
                          right[:index] + right[index + 1:]))
        for name, wanted, places in cases:
            code, text = run(folder, places)
            print(("ok   " if code == wanted else "BAD  ") + name)
            if code != wanted:
                print(text)
                good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
