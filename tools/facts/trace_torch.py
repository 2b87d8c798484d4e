#!/usr/bin/env python3
"""Record which aten overloads a PrivateUse1 backend must serve for each public API of torch.

    trace_torch.py --build DIR      (torch 2.13.0, CPU build, numpy, scipy, expecttest; g++)

Runs torch's own sample inputs (OpInfo, ModuleInfo, OptimizerInfo) and tests of our own for what
these leave out, on the device of trace_device.cpp with the overloads that torch_npu registers.
A leaf is an overload looked up on the device; `?` marks those that only some samples reach.
Writes facts/extracts/torch-leaves.tsv (per API) and torch-decompositions.tsv (per overload that is
not registered: what it runs instead).
"""

import argparse
import json
import pathlib
import subprocess
import sys

from tables import EXTRACTS, write_table

KINDS = ("opinfo", "module", "optimizer", "hand", "bare")


def run_kind(kind, build, log):
    """Results of one kind, from workers that are started again after the case that killed them."""
    results, start = [], 0
    while True:
        command = [sys.executable, str(pathlib.Path(__file__).with_name("trace_worker.py")),
                   "--kind", kind, "--start", str(start), "--build", str(build)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as worker:
            index = start - 1
            for line in worker.stdout:
                record = json.loads(line)
                index = record["index"]
                results += record["results"]
                for result in record["results"]:
                    if "error" in result:
                        print(result["error"], file=log)
        if worker.returncode == 0:
            return results
        print(f"{kind}: case {index + 1} ended the worker ({worker.returncode}), left out")
        start = index + 2


def merge(samples):
    """Ordered union over samples, with `?` on overloads that are not in all of them."""
    order, counts = [], {}
    for sample in samples:
        for name in dict.fromkeys(sample):
            if name not in counts:
                order.append(name)
            counts[name] = counts.get(name, 0) + 1
    return ",".join(n if counts[n] == len(samples) else n + "?" for n in order)


def by_name(results):
    forward, backward, sources, kinds = {}, {}, {}, {}
    for result in results:
        name = result.get("api")
        if not name:
            continue
        sources.setdefault(name, set()).add(result["source"])
        forward.setdefault(name, []).append(result["forward"])
        kinds.setdefault(name, set()).add(result["result"])
        if result["backward"] is not None:
            backward.setdefault(name, []).append(result["backward"])
    for name, lists in forward.items():
        yield [name, merge(lists), merge(backward.get(name, [])),
               "|".join(sorted(kinds[name] - {""})),
               "+".join(sorted(sources[name])), len(lists)]


def inside(results):
    calls = {}
    for result in results:
        for overload, leaves in result.get("inside", []):
            calls.setdefault(overload, []).append(leaves)
    return {overload: merge(lists) for overload, lists in calls.items()}


def decompositions(results, bare):
    """What torch_npu's device ran; for overloads it registers, what a bare device ran (`bare`)."""
    seen = inside(results)
    for overload, leaves in inside(bare).items():
        if overload not in seen:
            yield [overload, leaves, "bare"]
    for overload, leaves in seen.items():
        yield [overload, leaves, "torch_npu"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build/facts", help="folder for the compiled device")
    build = pathlib.Path(parser.parse_args().build)
    results, bare = [], []
    build.mkdir(parents=True, exist_ok=True)
    with open(build / "trace_errors.txt", "w", encoding="utf-8") as log:
        for kind in KINDS:
            part = run_kind(kind, build, log)
            names = {r["api"] for r in part if "api" in r}
            print(f"{kind}: {len(part)} samples of {len(names)} names", flush=True)
            (bare if kind == "bare" else results).extend(part)
    source = ("torch 2.13.0 CPU build on a tracing PrivateUse1 device with the overloads that "
              "torch_npu 2.13.0 registers; run 2026-11-30")
    write_table(EXTRACTS / "torch-leaves.tsv", source,
                ["api", "forward", "backward", "result", "source", "samples"], by_name(results))
    write_table(EXTRACTS / "torch-decompositions.tsv", source, ["overload", "leaves", "device"],
                decompositions(results, bare))


if __name__ == "__main__":
    main()
