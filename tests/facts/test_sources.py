"""The tables against classifications and lists that were made without them.

given-aten213-class.tsv and given-opinfo-fallback.tsv were made by other means (see
facts/README.md); the agreement is printed, the known reasons for differing are listed here.
"""

import collections
import unittest

from verdict import EXTRACTS, NONE, Tables, read_table


def say(text):
    print("\n" + text)


class Given(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tables = Tables()

    def test_classes_of_all_overloads_of_torch_2_13(self):
        same, differing, gone = 0, collections.defaultdict(list), []
        for row in read_given("given-aten213-class.tsv"):
            if row["overload"] not in self.tables.overloads:
                gone.append(row["overload"])
                continue
            mine = self.tables.overload(row["overload"], "2.13")
            if mine == expected(row):
                same += 1
            else:
                differing[(row["class"], mine)].append(row["overload"])
        total = same + sum(map(len, differing.values()))
        say(f"classes of overloads: {same} of {total} agree ({100 * same / total:.2f} %), "
            f"{len(gone)} not in native_functions.yaml: {' '.join(gone)}")
        for (given, mine), names in sorted(differing.items()):
            say(f"  given {given}, here {mine}: {' '.join(names)}")
        self.assertGreaterEqual(same / total, 0.99)

    def test_fallback_leaves_of_opinfo(self):
        same, differing, absent = 0, [], []
        for row in read_given("given-opinfo-fallback.tsv"):
            name = "torch." + row["opinfo"].partition(":")[0]
            candidates = [n for n in (name, name.replace("torch.", "torch.Tensor.", 1),
                                      name + "_", name.replace("torch.", "torch.Tensor.", 1) + "_")
                          if n in self.tables.apis and self.tables.apis[n]["forward"] != NONE]
            if not candidates:
                absent.append(row["opinfo"])
                continue
            mine = set().union(*(self.tables.fallback_leaves(n, "2.13") for n in candidates))
            given = set() if row["fallback_leaf_overloads"] in (NONE, "") else set(
                row["fallback_leaf_overloads"].split(","))
            if bool(mine) == bool(given):
                same += 1
            else:
                differing.append(f"{row['opinfo']}: given {','.join(sorted(given)) or 'none'}, "
                                 f"here {','.join(sorted(mine)) or 'none'}")
        total = same + len(differing)
        say(f"OpInfo variants: {same} of {total} agree on whether a leaf falls back "
            f"({100 * same / total:.1f} %); {len(absent)} have no leaves here: {' '.join(absent)}")
        say("\n".join("  " + line for line in differing))
        self.assertGreaterEqual(same / total, 0.95)


def expected(row):
    return {"composite": "composite", "native": "native", "native_via_out": "native_via_out",
            "cpu_fallback": "fallback", "cpu_fallback_via_out": "fallback",
            "generic_explicit": "generic", "generic_nonfunctional": "generic",
            "generic_via_out": "native_via_out"}[row["class"]]


def read_given(name):
    return read_table(EXTRACTS / name)[1]


if __name__ == "__main__":
    unittest.main()
