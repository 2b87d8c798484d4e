"""How the tables are to be read: a verdict for an overload or an API, for one torch version.

The C code has its own reading; the tests compare what this one says with sources that nobody here
wrote.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "facts"))

from tables import EXTRACTS, NONE, SUPPORT, from_range, provenance_field, read_table  # noqa: E402


class Tables:
    def __init__(self):
        provenance, rows = read_table(SUPPORT / "overload.tsv")
        self.minors = provenance_field(provenance, "minors").split(",")
        self.overloads = {row["overload"]: row for row in rows}
        self.apis = {row["api"]: row for row in read_table(SUPPORT / "api.tsv")[1]}

    def value_for(self, text, version):
        """A cell that may be `a@range|b@range`, for one version."""
        if "@" not in text:
            return text
        for part in text.split("|"):
            value, _, versions = part.partition("@")
            if version in from_range(versions, self.minors):
                return value
        return NONE

    def is_registered(self, row, version, chip=""):
        """A kernel of torch_npu serves it; on Ascend950 acl_op alone does not count."""
        columns = ("op_api", "core") if chip.startswith("Ascend950") else (
            "op_api", "acl_op", "core")
        return any(version in from_range(row[c], self.minors) for c in columns)

    def overload(self, name, version, chip=""):
        """native, native_via_out, composite, generic, refused, fallback or unknown."""
        row = self.overloads.get(name)
        if row is None:
            return "unknown"
        if self.is_registered(row, version, chip):
            return "native"
        if self.is_registered(row, version):
            return "refused"
        kind = self.value_for(row["class"], version)
        if kind in ("composite", "generic", "custom"):
            return "unknown" if kind == "custom" else kind
        out = self.value_for(row["out"], version)
        if kind == "via_out" and out in self.overloads:
            if self.is_registered(self.overloads[out], version, chip):
                return "native_via_out"
            if self.is_registered(self.overloads[out], version):
                return "refused"
        return "fallback"

    def leaves(self, name, phase="forward"):
        text = self.apis[name][phase]
        return [] if text in (NONE, "none") else text.split(",")

    def fallback_leaves(self, name, version, certain=False):
        """Leaves of an API that have only a CPU kernel for a version."""
        found = set()
        for leaf in self.leaves(name):
            if not (certain and leaf.endswith("?")):
                if self.overload(leaf.rstrip("?"), version) == "fallback":
                    found.add(leaf.rstrip("?"))
        return found
