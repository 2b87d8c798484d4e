"""Classes of overloads against torch's own dispatcher; needs torch 2.13.0 (CPU build)."""

import unittest

import torch

from verdict import Tables, from_range

VERSION = "2.13"
KEYS = (("CompositeImplicitAutograd", {"composite"}), ("CompositeExplicitAutograd", {"generic"}),
        ("CompositeExplicitAutogradNonFunctional", {"generic", "via_out"}))


def expected(name):
    for key, classes in KEYS:
        if torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{name}", key):
            return classes
    return {"kernel"}


class Dispatcher(unittest.TestCase):
    def test_every_overload(self):
        self.assertTrue(torch.__version__.startswith(VERSION + "."))
        tables, seen = Tables(), 0
        for name, row in tables.overloads.items():
            if VERSION in from_range(row["torch"], tables.minors) and "::" not in name:
                self.assertTrue(torch._C._dispatch_has_kernel(f"aten::{name}"), name)
                self.assertIn(tables.value_for(row["class"], VERSION), expected(name), name)
                seen += 1
        print(f"\n{seen} overloads have the class that torch {VERSION}'s dispatcher gives them")
        self.assertGreater(seen, 3000)

    def test_none_is_missing(self):
        tables = Tables()
        missing = sorted(n[6:] for n in torch._C._dispatch_get_all_op_names()
                         if n.startswith("aten::") and n[6:] not in tables.overloads)
        unlisted = [n for n in missing if not n.startswith("quantized_") and n != "get_gradients"]
        self.assertEqual(unlisted, [])


if __name__ == "__main__":
    unittest.main()
