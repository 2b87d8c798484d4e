#!/usr/bin/env python3
"""Shows that check.py passes on a report that says what the tables say, and fails on each fault.

usage: test_check.py        prints one line per case; exit 1 where check.py judged wrong
"""
import copy
import sys

from check import EXACT, OPEN_NAMES, Report, canon, judge, read_rows
from tables import sources


def perfect(rows):
    """A report made of the rows that must be found, and the first of each `either`."""
    operators, findings, taken = {}, [], set()
    for number, row in enumerate(rows):
        if row["expect"] not in ("must", "either"):
            continue
        place = {"file": row["file"], "line": row["line"] or 1,
                 "column": row["column"] or (1 if row["line"] else number)}
        key = (row["file"], row["line"], row["column"])
        if row["expect"] == "either" and key in taken:
            continue
        taken.add(key)
        if row["kind"] in EXACT | {"host_sync"} and row["name"].startswith("torch"):
            entry = operators.setdefault(row["name"], {
                "name": row["name"], "category": "compute", "count": 0, "locations": []})
            entry["count"] += 1
            entry["locations"].append(dict(place, certainty="certain"))
            continue
        category = {"host_sync": "host", "amp_opportunity": "precision", "fusion": "fusion",
                    "device": "device", "distributed": "distributed"}.get(row["kind"], "support")
        findings.append(dict(place, rule="FH000", category=category, severity="note",
                             message="uses " + row["name"], operator=row["name"]))
    return {"files": {"skipped": [], "notes": []}, "operators": list(operators.values()),
            "findings": findings}


def faults(source):
    return judge(Report(source[1]), source[0])


def case(name, wanted, result):
    failed = result.failed(False)
    good = failed == wanted
    print(f"{'ok  ' if good else 'BAD '} {name}: missed {len(result.missed)}, wrong "
          f"{len(result.wrong)}, counts {len(result.counts)}")
    if not good:
        for line in (result.missed + result.wrong + result.counts)[:5]:
            print("     " + line)
    return good


def main():
    good = True
    for source in sources():
        report = perfect(read_rows(source))
        good &= case(source["name"] + " as in the table", False, faults((source, report)))
    source = sources(["nanoGPT"])[0]
    rows = read_rows(source)
    report = perfect(rows)

    def linear(broken):
        return next(o for o in broken["operators"] if o["name"] == "torch.nn.Linear")

    broken = copy.deepcopy(report)
    linear(broken)["locations"].pop()
    good &= case("a site is missing", True, faults((source, broken)))
    broken = copy.deepcopy(report)
    linear(broken)["locations"][0]["line"] += 1
    good &= case("a site is on the wrong line", True, faults((source, broken)))
    broken = copy.deepcopy(report)
    linear(broken)["count"] += 1
    good &= case("a count is one too high", True, faults((source, broken)))
    trap = next(r for r in rows if r["expect"] == "never" and r["column"])
    broken = copy.deepcopy(report)
    broken["operators"].append({"name": trap["name"], "category": "compute", "count": 1,
                                "locations": [{"file": trap["file"], "line": trap["line"],
                                               "column": trap["column"]}]})
    good &= case("a trap is reported", True, faults((source, broken)))
    broken = copy.deepcopy(report)
    linear(broken)["locations"].append({"file": "model.py", "line": 1, "column": 1,
                                        "certainty": "certain"})
    good &= case("a site that is none", True, faults((source, broken)))
    linear(broken)["locations"][-1]["certainty"] = "likely"
    linear(broken)["count"] += 1
    result = faults((source, broken))
    good &= case("a likely site that is none", False, result)
    good &= len(result.doubtful) == 1
    broken = copy.deepcopy(report)
    linear(broken)["locations"][0]["column"] += 1
    result = faults((source, broken))
    good &= case("a wrong column, columns not asked for", False, result)
    good &= result.failed(True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
