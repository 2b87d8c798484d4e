"""Facts stated in public by others, each with its source, looked up in the tables."""

import unittest

from verdict import NONE, Tables, read_table, SUPPORT

# Read on 2026-11-30 in the documentation of torch 2.13 unless another source is given.
RETURNS = {
    "torch.linalg.qr": "tuple",             # "A named tuple (Q, R)"
    "torch.topk": "tuple",                  # "A namedtuple of (values, indices)"
    "torch.Tensor.item": "scalar",          # "Returns ... a standard Python number"
    "torch.nn.functional.gelu": "Tensor", "torch.Tensor.softmax": "Tensor",
    "torch.split": "tuple", "torch.cuda.is_available": "bool", "torch.nn.Linear": "Module",
    "torch.optim.AdamW": "Optimizer", "torch.max": "Tensor|tuple",
}
ALIASES = {
    "torch.nn.modules.linear.Linear": "torch.nn.Linear",
    "torch.nn.parallel.distributed.DistributedDataParallel":
        "torch.nn.parallel.DistributedDataParallel",
    "torch.functional.einsum": "torch.einsum", "torch.conv2d": "torch.nn.functional.conv2d",
    "torch.half": "torch.float16", "torch.long": "torch.int64",
    "torch.optim.adamw.AdamW": "torch.optim.AdamW",
    "torch.utils.data.dataloader.DataLoader": "torch.utils.data.DataLoader",
    "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel":
        "torch.distributed.fsdp.FullyShardedDataParallel",
    "torch.autograd.no_grad": "torch.no_grad",
}
# torch.nn documentation and the decompositions in the "core aten IR" page name these.
FORWARD = {
    "torch.nn.Conv2d": "convolution", "torch.nn.Embedding": "embedding",
    "torch.nn.LayerNorm": "native_layer_norm", "torch.nn.functional.softmax": "softmax.int",
    "torch.nn.functional.scaled_dot_product_attention": "scaled_dot_product_attention",
    "torch.Tensor.item": "_local_scalar_dense", "torch.bmm": "bmm", "torch.linalg.qr": "linalg_qr",
    "torch.optim.AdamW[fused]": "_fused_adamw_", "torch.histc": "histc",
}
# Release notes of PyTorch: the version that brought each.
SINCE = {
    "torch.nn.RMSNorm": "2.4-", "torch.nn.attention.flex_attention.flex_attention": "2.5-",
    "torch.accelerator.current_accelerator": "2.6-", "torch.optim.Muon": "2.9-",
    "torch.distributed.fsdp.fully_shard": "2.6-", "torch.nn.Linear": "2.1-",
    "torch.amp.GradScaler": "2.3-", "torch.nn.Buffer": "2.5-", "torch.optim.Adafactor": "2.5-",
}
# Custom operators and the first release line that has them: op-plugin release notes and the lists
# of custom APIs on hiascend.com (torch_npu 2.1 and later).
TORCH_NPU = ["torch_npu.npu_fusion_attention", "torch_npu.npu_rms_norm", "torch_npu.npu_swiglu",
             "torch_npu.npu_rotary_mul", "torch_npu.npu_format_cast", "torch_npu.npu_nms_v4",
             "torch_npu.npu_fused_infer_attention_score", "torch_npu.npu_moe_init_routing_v2",
             "torch_npu.npu.synchronize", "torch_npu.npu.Stream", "torch_npu.profiler.profile",
             "torch_npu.profiler.profile.step", "torch_npu.profiler.tensorboard_trace_handler",
             "torch_npu.optim.NpuFusedAdamW", "torch_npu.contrib.transfer_to_npu",
             "torch_npu.npu.set_compile_mode", "torch_npu.npu.amp.GradScaler",
             "torch_npu.npu.empty_cache", "torch_npu.profiler.dynamic_profile.init"]


class Known(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tables = Tables()

    def test_what_calls_return(self):
        for api, kind in RETURNS.items():
            self.assertEqual(self.tables.apis[api]["returns"], kind, api)

    def test_versions_that_brought_a_name(self):
        for api, versions in SINCE.items():
            self.assertEqual(self.tables.apis[api]["torch"], versions, api)

    def test_canonical_names(self):
        rows = {r["name"]: r["canonical"] for r in read_table(SUPPORT / "alias.tsv")[1]}
        for name, canonical in ALIASES.items():
            self.assertEqual(rows.get(name), canonical, name)

    def test_leaves_everyone_knows(self):
        for api, leaf in FORWARD.items():
            self.assertIn(leaf, self.tables.leaves(api), api)

    def test_names_of_torch_npu(self):
        rows = {r["name"]: r["releases"] for r in read_table(SUPPORT / "torch_npu.tsv")[1]}
        for name in TORCH_NPU:
            self.assertIn(name, rows)
        self.assertEqual(rows["torch_npu.npu_fusion_attention"], "2.1-")
        self.assertFalse(any("cuda_fusion" in name for name in rows))

    def test_torchvision_operators_have_no_kernel(self):
        """pytorch/vision#6725, ultralytics#25954: torchvision's nms runs on the CPU."""
        self.assertEqual(self.tables.overload("torchvision::nms", "2.13"), "unknown")
        self.assertEqual(self.tables.overload("npu::npu_nms_v4", "2.13"), "native")

    def test_verdict_for_950(self):
        """torch_npu runs aclnn calls alone there (spec of the wheel: acl_op raises)."""
        row = self.tables.overloads["npu::npu_nms_v4"]
        self.assertEqual((row["op_api"], row["acl_op"] != NONE), (NONE, True))
        self.assertEqual(self.tables.overload("npu::npu_nms_v4", "2.13", "Ascend950PR"), "refused")
        self.assertEqual(self.tables.overload("addmm", "2.13", "Ascend950PR"), "native")

    def test_apis_that_the_support_list_sends_to_the_cpu(self):
        """Flag `cpu` of Ascend's list for torch 2.13; the others flagged are for some data types."""
        for api in ("torch.nn.HuberLoss", "torch.nn.MultiMarginLoss", "torch.copysign",
                    "torch.index_reduce", "torch.linalg.lstsq", "torch.Tensor.heaviside",
                    "torch.nn.functional.fractional_max_pool2d"):
            self.assertIn("cpu", self.tables.apis[api]["flags"].split(","), api)
            self.assertTrue(self.tables.fallback_leaves(api, "2.13", certain=True), api)

    def test_everyday_modules_do_not_fall_back(self):
        """The same list ticks all of these without a remark on the CPU."""
        for name in """Linear Conv1d Conv2d Conv3d ConvTranspose2d BatchNorm2d LayerNorm GroupNorm
                Embedding LSTM GRU MultiheadAttention ReLU GELU SiLU Softmax CrossEntropyLoss
                MSELoss L1Loss BCEWithLogitsLoss MaxPool2d AvgPool2d AdaptiveAvgPool2d
                Dropout""".split():
            api = "torch.nn." + name
            self.assertNotIn("cpu", self.tables.apis[api]["flags"].split(","), api)
            self.assertTrue(self.tables.leaves(api), api)
            for version in ("2.1", "2.5", "2.7", "2.13"):
                self.assertEqual(self.tables.fallback_leaves(api, version), set(), (api, version))

    def test_support_list_against_leaves(self):
        """Ascend's support list for torch 2.13: what it calls unsupported, the leaves agree on."""
        cells = {"none": [0, 0], "listed": [0, 0]}
        for name, row in self.tables.apis.items():
            if row["chips"] == NONE or row["forward"] in (NONE, "none"):
                continue
            falls = bool(self.tables.fallback_leaves(name, "2.13"))
            cells["none" if row["chips"] == "none" else "listed"][falls] += 1
        print(f"\nsupport list: of APIs it refuses, {cells['none'][1]} have a fallback leaf and "
              f"{cells['none'][0]} none; of those it lists, {cells['listed'][1]} have one and "
              f"{cells['listed'][0]} none")
        self.assertGreater(cells["listed"][0], 8 * cells["listed"][1])


if __name__ == "__main__":
    unittest.main()
