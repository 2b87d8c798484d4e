#!/usr/bin/env python3
"""In which torch versions the public names of torch-api.tsv exist, read from the wheels' .py files.

    extract_torch_names.py [--wheels DIR] [--keep]

Writes facts/extracts/torch-names.tsv. Names made in C++ (torch.relu, torch.Tensor.add) come from
the overloads instead; a name that neither shows is left out: nothing is known of its versions.
"""

import argparse

import python_names
import wheels
from extract_torch import PLATFORMS, RELEASES
from tables import EXTRACTS, NONE, from_range, provenance_field, read_table, to_range, write_table

NATIVE = {"torch": ("function", NONE, ""), "torch.Tensor": ("method", NONE, ""),
          "torch.nn.functional": ("function", "nn", ""),
          "torch.linalg": ("function", "linalg", "linalg_"),
          "torch.special": ("function", "special", "special_"),
          "torch.fft": ("function", "fft", "fft_")}


def native_versions(minors):
    """{(variant, module, base name): versions} of the overloads."""
    found = {}
    for row in read_table(EXTRACTS / "torch-overloads.tsv")[1]:
        base = row["overload"].partition(".")[0]
        for variant in row["variants"].split(","):
            for module in {row["module"], NONE if variant == "method" else row["module"]}:
                key = (variant, module, base)
                found.setdefault(key, set()).update(from_range(row["versions"], minors))
    return found


def versions_of(paths, by_version, native):
    found = set()
    for path in paths:
        found.update(m for m, names in by_version.items() if path in names)
        parent, _, name = path.rpartition(".")
        if parent in NATIVE:
            variant, module, prefix = NATIVE[parent]
            found.update(native.get((variant, module, prefix + name), ()))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--wheels", default="wheels/torch", help="where wheels are kept")
    parser.add_argument("--keep", action="store_true", help="leave the wheels there")
    arguments = parser.parse_args()
    minors, by_version = list(RELEASES), {}
    for minor, release in RELEASES.items():
        path = wheels.fetch("torch", release, arguments.wheels, PLATFORMS)
        with wheels.open_wheel(path) as archive:
            by_version[minor] = set(python_names.public_names(archive, "torch"))
        if not arguments.keep:
            path.unlink()
        print(f"{minor}: {len(by_version[minor])} names")
    native = native_versions(minors)
    rows = []
    for row in read_table(EXTRACTS / "torch-api.tsv")[1]:
        paths = [row["api"]] + [p for p in row["aliases"].split(",") if p != NONE]
        found = versions_of(paths, by_version, native)
        if found:
            rows.append((row["api"], to_range(found, minors)))
    source = (f"Python files of the torch wheels and native_functions.yaml, PyPI, read 2026-11-30; "
              f"minors={','.join(minors)}; " + "releases=" + provenance_field(
                  read_table(EXTRACTS / "torch-overloads.tsv")[0], "releases"))
    write_table(EXTRACTS / "torch-names.tsv", source, ["api", "versions"], rows)


if __name__ == "__main__":
    main()
