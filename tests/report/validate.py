"""Validates reports made from samples; tests/report/validate sets it up.

The oracles: docs/report.schema.json and the SARIF 2.1.0 schema through jsonschema, Microsoft's SARIF validator with
its rules for GitHub, GitHub's own Markdown renderer, Python's unicodedata.
"""
import html.parser
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import unicodedata

import cmarkgfm
import jsonschema

RENDER, SARIF_TOOLS = sys.argv[1], pathlib.Path(sys.argv[2])
GOLDEN = sorted(pathlib.Path("tests/report/golden").glob("*.json"))
SAMPLES = [f"sample:{index}" for index in range(12)]
EMPTY_TEXTS, BARS, WIDE = "sample:3", "sample:6", "sample:9"  # of sample_hostile in tests/unit/report_samples.h
SARIF_ACCEPTED = {
    "SARIF2005": "no informationUri: the project has no public address yet",
}

failures = []
checks = 0


def check(condition, message):
    global checks
    checks += 1
    if not condition:
        failures.append(message)
        print("FAILED:", message)


def render(source, *arguments):
    done = subprocess.run([RENDER, str(source), *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8")  # strict: a report is valid UTF-8


def sources():
    return [*GOLDEN, *SAMPLES]


def first_error(validator, document):
    error = next(validator.iter_errors(document), None)
    return error and f"{error.json_path}: {error.message[:200]}"


def check_json():
    schema = json.loads(pathlib.Path("docs/report.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    for source in sources():
        if source == EMPTY_TEXTS:  # names are never empty in a real result
            continue
        error = first_error(validator, json.loads(render(source, "json")))
        check(not error, f"{source} as json: {error}")


def check_sarif():
    schema = json.loads((SARIF_TOOLS / "sarif-2.1.0.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for source in sources():
            text = render(source, "sarif", "uri=https://example.org/rules/")
            error = first_error(validator, json.loads(text))
            check(not error, f"{source} as sarif: {error}")
            files.append(pathlib.Path(folder) / (str(source).replace("/", "-").replace(":", "-") + ".sarif"))
            files[-1].write_text(text)
        check_sarif_rules(files)


def check_sarif_rules(files):
    if platform.machine() != "x86_64":
        print("left out: Microsoft's SARIF validator is a program for x86-64")
        return
    out = files[0].parent / "found.json"
    command = [SARIF_TOOLS / "Sarif.Multitool", "validate", *files, "--json-schema", SARIF_TOOLS / "sarif-2.1.0.json",
               "--rule-kind", "Sarif;Ghas", "--level", "Error;Warning", "--output", out]
    environment = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment)
    check(out.exists(), f"the SARIF validator wrote nothing: {done.stdout[-500:]} {done.stderr[-500:]}")
    run = json.loads(out.read_text(encoding="utf-8-sig"))["runs"][0]
    check(len(run.get("artifacts", files)) >= len(files), "the SARIF validator did not read every file")
    for result in run.get("results", []):
        if result["ruleId"].split("/")[0] not in SARIF_ACCEPTED:
            place = result["locations"][0]["physicalLocation"]["artifactLocation"].get("uri")
            check(False, f"{place}: {result['ruleId']}: {json.dumps(result['message'])[:300]}")
    for note in run["invocations"][0].get("toolExecutionNotifications", []):
        check(note.get("level") != "error", f"the SARIF validator: {note['message']}")


class Page(html.parser.HTMLParser):
    """Tags, links, and the text of every table cell, of rendered Markdown."""

    EXPECTED = set("h1 h2 h3 p strong code pre ul li table thead tbody tr th td details summary sub a".split())

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.unexpected, self.links, self.cells, self.text, self.in_cell = set(), [], [], [], False
        self.feed(text.replace("\u200b", ""))

    def handle_starttag(self, tag, attributes):
        if tag not in self.EXPECTED:
            self.unexpected.add(tag)
        if tag == "a":
            self.links.append(dict(attributes).get("href"))
        if tag == "td":
            self.in_cell = True
            self.cells.append("")

    def handle_endtag(self, tag):
        if tag == "td":
            self.in_cell = False

    def handle_data(self, data):
        self.text.append(data)
        if self.in_cell:
            self.cells[-1] += data


def check_markdown():
    for source in sources():
        page = Page(cmarkgfm.github_flavored_markdown_to_html(render(source, "markdown"), cmarkgfm.Options.CMARK_OPT_UNSAFE))
        check(not page.unexpected, f"{source} as Markdown: elements {page.unexpected}")
        for link in page.links:  # only addresses written out in full
            check(link.startswith(("http://", "https://")), f"{source} as Markdown: links to {link}")
    text = r"a|b\|c`d``*e*_f_[g](http://h)<i>@j ~~k~~ $l$ #1 a@b.org www.c.org ftp://d.org"
    page = Page(cmarkgfm.github_flavored_markdown_to_html(render(BARS, "markdown"), cmarkgfm.Options.CMARK_OPT_UNSAFE))
    check(page.cells.count(text) >= 7, f"names in cells: {page.cells[:14]}")
    check(f"{text}:2:3" in page.cells, f"places in cells: {page.cells[:14]}")
    check("".join(page.text).startswith(f"Foothold report\n{text} and 1 more"), f"target: {page.text[:8]}")


def columns(line):
    def width(c):
        if unicodedata.category(c) in ("Mn", "Me") or c in "\u200b\u200c\u200d\ufeff":
            return 0
        return 2 if unicodedata.east_asian_width(c) in "WF" else 1
    return sum(map(width, line))


def check_text():
    for source in sources():
        for wanted in (60, 100, 140):
            lines = render(source, "text", f"width={wanted}").splitlines()
            check(len(lines) <= 40, f"{source} as text: {len(lines)} lines")
            longest = max(lines, key=columns)
            check(columns(longest) <= wanted, f"{source} as text: {columns(longest)} columns: {longest}")
    check("数据" in render(WIDE, "text"), "wide characters are shown")


def check_widths():
    wrong = 0
    for line in subprocess.run([RENDER, "widths"], capture_output=True, check=True, text=True).stdout.splitlines():
        first, last, width = map(int, line.split())
        for code in range(first, last + 1):
            c = chr(code)
            if unicodedata.category(c) not in ("Cn", "Cc", "Cs", "Co") and not 0x1160 <= code <= 0x11FF:
                wrong += columns(c) != width
    # Later versions of Unicode add characters.
    allowed = 0 if unicodedata.unidata_version == "14.0.0" else 200
    check(wrong <= allowed, f"{wrong} characters of another width than Unicode {unicodedata.unidata_version} says")


for part in (check_json, check_sarif, check_markdown, check_text, check_widths):
    part()
print(f"{checks - len(failures)} passed, {len(failures)} failed")
sys.exit(1 if failures else 0)
