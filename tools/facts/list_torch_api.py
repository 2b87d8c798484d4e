#!/usr/bin/env python3
"""List public names of the installed torch: canonical name, kind, what a call returns, aliases.

    list_torch_api.py          (in an environment with torch 2.13.0, CPU build)

Writes facts/extracts/torch-api.tsv. Of several paths to one object the canonical one is the
shortest, except that torch.nn.functional wins over torch (torch.conv2d is
torch.nn.functional.conv2d).
"""

import enum
import importlib
import inspect
import operator
import re
import sys
import types
import warnings

import torch

from tables import EXTRACTS, NONE, from_range, provenance_field, read_table, write_table

MODULES = """
torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn
torch.nn.utils.parametrizations torch.nn.utils.parametrize torch.nn.utils.prune
torch.nn.utils.stateless torch.nn.utils.fusion torch.nn.utils.spectral_norm
torch.nn.utils.weight_norm torch.nn.parallel torch.nn.parallel.comm torch.nn.attention
torch.nn.attention.flex_attention torch.nn.attention.bias torch.nn.quantized torch.nn.qat
torch.nn.intrinsic torch.nn.grad torch.linalg torch.fft torch.special torch.sparse torch.masked
torch.nested torch.func torch.signal torch.signal.windows torch.optim torch.optim.lr_scheduler
torch.optim.swa_utils torch.cuda torch.cuda.amp torch.cuda.nvtx torch.cuda.graphs
torch.cuda.memory torch.cuda.random torch.cuda.streams torch.cuda.comm torch.cuda.nccl
torch.cuda.profiler torch.cuda.jiterator torch.cuda.tunable torch.cuda.amp.grad_scaler
torch.cuda.amp.autocast_mode torch.amp torch.amp.autocast_mode torch.amp.grad_scaler torch.cpu
torch.cpu.amp torch.xpu torch.mps torch.mtia torch.accelerator torch.distributed
torch.distributed.fsdp torch.distributed.fsdp.wrap torch.distributed.fsdp.sharded_grad_scaler
torch.distributed.tensor torch.distributed.tensor.parallel torch.distributed.tensor.experimental
torch.distributed.checkpoint torch.distributed.checkpoint.state_dict
torch.distributed.algorithms.ddp_comm_hooks torch.distributed.algorithms.join
torch.distributed.algorithms.ddp_comm_hooks.default_hooks
torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook
torch.distributed.algorithms.ddp_comm_hooks.quantization_hooks
torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook
torch.distributed.algorithms.ddp_comm_hooks.optimizer_overlap_hooks
torch.distributed.algorithms.model_averaging.averagers
torch.distributed.algorithms._checkpoint.checkpoint_wrapper torch.distributed.pipelining
torch.distributed.optim torch.distributed.rpc torch.distributed.nn torch.distributed.elastic
torch.distributed.launch torch.distributed.run torch.distributed.device_mesh
torch.distributed.elastic.multiprocessing.errors torch.distributed.nn.functional
torch.distributed._tensor torch.distributed._composable.fsdp
torch.distributed._functional_collectives torch.distributed._symmetric_memory torch.utils
torch.utils.data torch.utils.data.distributed torch.utils.data.datapipes
torch.utils.checkpoint torch.utils.cpp_extension torch.utils.tensorboard torch.utils.benchmark
torch.utils.bottleneck torch.utils.dlpack torch.utils.mkldnn torch.utils.model_zoo
torch.utils.hooks torch.utils.collect_env torch.utils.flop_counter torch.utils.deterministic
torch.utils._pytree torch.utils._python_dispatch torch.hub torch.profiler torch.profiler.itt
torch.autograd torch.autograd.profiler torch.autograd.functional torch.autograd.graph
torch.autograd.forward_ad torch.autograd.function torch.autograd.grad_mode
torch.autograd.anomaly_mode torch.backends torch.backends.cuda torch.backends.cudnn
torch.backends.cudnn.rnn torch.backends.mps torch.backends.mkl torch.backends.mkldnn
torch.backends.openmp torch.backends.opt_einsum torch.backends.xeon torch.backends.quantized
torch.backends.nnpack torch.compiler torch.compiler.config torch._dynamo torch._dynamo.config
torch._inductor torch._inductor.config torch.jit torch.export torch.onnx torch.quantization
torch.ao.quantization torch.ao.nn.quantized torch.ao.nn.qat torch.ao.nn.intrinsic
torch.ao.pruning torch.library torch.testing torch.package torch.multiprocessing
torch.distributions torch.futures torch.fx torch.fx.experimental.proxy_tensor torch.random
torch.serialization torch.storage torch.types torch.overrides torch.monitor torch.return_types
torch.functional torch._foreach
""".split()

# Settings that live behind properties of module-like objects.
SETTINGS = """
torch.backends.cudnn.benchmark torch.backends.cudnn.deterministic torch.backends.cudnn.enabled
torch.backends.cudnn.allow_tf32 torch.backends.cudnn.benchmark_limit
torch.backends.cudnn.conv.fp32_precision torch.backends.cudnn.rnn.fp32_precision
torch.backends.cudnn.fp32_precision torch.backends.fp32_precision
torch.backends.cuda.matmul.allow_tf32 torch.backends.cuda.matmul.fp32_precision
torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction
torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction
torch.backends.cuda.matmul.allow_fp16_accumulation torch.backends.cuda.cufft_plan_cache
torch.backends.opt_einsum.enabled torch.backends.opt_einsum.strategy
torch.backends.mkldnn.enabled torch.backends.mkldnn.deterministic
""".split()

SKIP = re.compile(r"\b(__pycache__|testing\._internal)\b")
CLASS_METHODS_OFF = {"mro", "register"}
# torch._C offers its IR classes (Block, Graph, ...) as names of torch; these few are for users.
USER_CLASSES = {"Generator", "Stream", "Event", "Size", "Tag", "Future", "DispatchKey", "device",
                "dtype", "layout", "memory_format", "qscheme", "finfo", "iinfo"}
# Too many methods of too little use here: the class answers for them.
NO_METHODS = ("torch.fx.", "torch.jit.", "torch.distributed.elastic", "torch.utils.benchmark",
              "torch.ao.", "torch.quantization.", "torch.package.", "torch.distributed.rpc",
              "torch.nn.quantized", "torch.nn.qat", "torch.nn.intrinsic", "torch.onnx.",
              "torch.utils.data.datapipes", "torch.monitor", "torch.return_types",
              "torch.distributed.checkpoint.", "torch.export.", "torch.utils.flop_counter")
PREFERRED = {"torch.amp.GradScaler"}  # documented there, offered by torch as well
FUNCTION_TYPES = (types.FunctionType, types.BuiltinFunctionType)
TENSOR_LIKE = {"Tensor": "Tensor", "Tensor[]": "tuple", "int": "int", "SymInt": "int",
               "float": "float", "bool": "bool", "Scalar": "scalar", "ScalarType": "dtype",
               "()": "none", "": "none", "int[]": "other", "Layout": "other", "Device": "other",
               "QScheme": "other", "SymBool": "bool"}


def load():
    missing = []
    for name in MODULES:
        try:
            importlib.import_module(name)
        except Exception as error:  # an optional dependency, or gone from this release
            missing.append(f"{name} ({type(error).__name__})")
    return missing


def is_public_module(name):
    if name in MODULES:
        return True
    return name.split(".")[0] == "torch" and not any(p.startswith("_") for p in name.split("."))


def modules():
    for name, module in sorted(sys.modules.items()):
        if isinstance(module, types.ModuleType) and is_public_module(name):
            if not SKIP.search(name):
                yield name, module


def names_of(path, module):
    """Names that a user would take from a module: __all__, or what is torch's own and public."""
    listed = vars(module).get("__all__")
    if path == "torch._dynamo.config" or path == "torch._inductor.config":
        return [n for n in vars(module).get("_config", {}) if not n.startswith("_")]
    names = set(listed or ())
    for name, value in list(vars(module).items()):
        if name.startswith("_") or isinstance(value, types.ModuleType):
            continue
        home = getattr(value, "__module__", None) or ""
        own = isinstance(home, str) and home.split(".")[0] == "torch"
        if isinstance(value, (type, types.FunctionType)) and own:
            names.add(name)
        elif not listed and isinstance(value, types.BuiltinFunctionType):
            names.add(name)
        elif path in ("torch", "torch.nn.functional", "torch.special", "torch.fft",
                      "torch.linalg") and callable(value):
            names.add(name)
        elif isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
            names.add(name)
    return sorted(n for n in names if isinstance(n, str) and not n.startswith("__"))


def better(path, value):
    """Sort key of candidate canonical paths: offered before merely imported, fewest parts."""
    parent, _, name = path.rpartition(".")
    private = any(p.startswith("_") for p in path.split(".")[1:])
    functional = parent == "torch.nn.functional" and isinstance(value, FUNCTION_TYPES)
    rank = 0 if functional else len(path.split("."))
    if str(value) == path or path in PREFERRED:  # torch.float16, not torch.half
        rank = 0
    legacy = parent in ("torch.functional", "torch._dynamo") or ".quantization" in parent
    return (private, not is_offered(parent, name, value), legacy, rank, len(path), path)


def is_offered(parent, name, value):
    """The module lists the name, defines it, or lists nothing at all and is not a file of names."""
    module = sys.modules[parent]
    listed = vars(module).get("__all__")
    home = getattr(value, "__module__", None)
    if home == parent or parent == "torch":
        return True
    if isinstance(listed, (list, tuple)):
        return name in listed
    return hasattr(module, "__path__") or isinstance(value, types.BuiltinFunctionType)


def collect():
    """{id: (object, [paths])} of everything that can be named, and a list of modules."""
    objects, plain, module_names = {}, {}, []
    for path, module in modules():
        module_names.append(path)
        for name in names_of(path, module):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    value = getattr(module, name)
                except Exception:
                    continue
            if isinstance(value, types.ModuleType) or is_ir_class(path, name, value):
                continue
            full = f"{path}.{name}"
            if is_shared_value(value):
                plain[full] = value
            else:
                objects.setdefault(id(value), (value, []))[1].append(full)
    return objects, plain, module_names


def is_ir_class(path, name, value):
    inner = getattr(torch._C, name, None) is value
    return path == "torch" and isinstance(value, type) and inner and (
        name not in USER_CLASSES and type(value).__name__ != "tensortype")


def is_shared_value(value):
    """Constants: equal objects at several names are not aliases of each other."""
    return not (callable(value) or isinstance(value, (torch.dtype, torch.layout,
                                                      torch.memory_format)))


class Returns:
    """What calls return, from native schemas first and annotations second."""

    def __init__(self):
        provenance, rows = read_table(EXTRACTS / "torch-overloads.tsv")
        known = provenance_field(provenance, "minors").split(",")
        self.by_name = {}
        for row in rows:
            if "2.13" not in from_range(row["versions"], known):
                continue
            base, _, overload = row["overload"].partition(".")
            if "autogen" in row["tags"] or overload.endswith("out"):
                continue
            for variant in row["variants"].split(","):
                key = (variant, row["module"], base)
                self.by_name.setdefault(key, set()).add(kind_of_schema(row["returns"]))

    def native(self, variant, module, base):
        kinds = self.by_name.get((variant, module, base))
        return "|".join(sorted(kinds)) if kinds else NONE

    def of(self, path, value):
        parent, _, name = path.rpartition(".")
        if parent == "torch.Tensor":
            kinds = self.native("method", NONE, name)
            for module in ("special", "linalg", "nn"):
                if kinds == NONE:
                    kinds = self.native("method", module, name)
            return kinds if kinds != NONE else annotated(value)
        module = {"torch": NONE, "torch.nn.functional": "nn", "torch.linalg": "linalg",
                  "torch.special": "special", "torch.fft": "fft",
                  "torch.sparse": "sparse"}.get(parent)
        if module is None:
            return annotated(value)
        prefix = {"linalg": "linalg_", "special": "special_", "fft": "fft_",
                  "sparse": "sparse_"}.get(module, "")
        kinds = self.native("function", module, prefix + name)
        if kinds == NONE and module == "nn":
            kinds = annotated(value)
            kinds = kinds if kinds != NONE else self.native("function", NONE, name)
        return kinds if kinds != NONE else annotated(value)


def kind_of_schema(text):
    if text.startswith("("):
        inner = [t for t in text.strip("()").split(",") if t]
        return "none" if not inner else "tuple"
    return TENSOR_LIKE.get(text, "other")


def annotated(value):
    if isinstance(value, type):
        if issubclass(value, torch.nn.Module):
            return "Module"
        if issubclass(value, torch.optim.Optimizer):
            return "Optimizer"
        return "Tensor" if issubclass(value, torch.Tensor) else "other"
    try:
        note = inspect.signature(value).return_annotation
    except (ValueError, TypeError):
        return NONE
    if note is inspect.Signature.empty:
        return NONE
    text = note if isinstance(note, str) else getattr(note, "__name__", str(note))
    text = text.replace("torch.", "").replace("typing.", "")
    if note is None or text in ("None", "NoneType", "NoReturn"):
        return "none"
    if text in ("Tensor", "int", "float", "bool", "Module"):
        return text
    if re.match(r"(tuple|Tuple)\b", text) and "Tensor" in str(note):
        return "tuple"
    if re.match(r"(list|List)\b", text) and "Tensor" in str(note):
        return "list"
    return "other"


def kind_of(value):
    if isinstance(value, type):
        return "class"
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return "attribute"
    return "function" if callable(value) else "attribute"


def has_methods(path, cls):
    return type(cls).__name__ != "tensortype" and not path.startswith(NO_METHODS)


def methods_of(path, cls):
    """Methods that a class defines itself; all of them for torch.Tensor and torch.nn.Module."""
    whole = cls in (torch.Tensor, torch.nn.Module)
    for name in sorted(dir(cls) if whole else vars(cls)):
        if name.startswith("_") or name in CLASS_METHODS_OFF:
            continue
        raw = inspect.getattr_static(cls, name, None)
        if isinstance(raw, (staticmethod, classmethod)):
            raw = raw.__func__
        if isinstance(raw, (property, types.GetSetDescriptorType)):
            yield f"{path}.{name}", "property", None
        elif callable(raw):
            yield f"{path}.{name}", "method", raw
        elif isinstance(raw, enum.Enum):
            yield f"{path}.{name}", "attribute", None


def rows():
    objects, plain, module_names = collect()
    returns = Returns()
    for name in module_names:
        yield [name, "module", NONE, NONE]
    for name, value in plain.items():
        if ".config." in name or is_offered(*name.rpartition(".")[::2], value):
            yield [name, "attribute", NONE, NONE]
    for name in SETTINGS:
        operator.attrgetter(name.removeprefix("torch."))(torch)  # fails when one is gone
        yield [name, "attribute", NONE, NONE]
    for value, paths in objects.values():
        paths = sorted(set(paths), key=lambda path, value=value: better(path, value))
        kind = kind_of(value)
        result = returns.of(paths[0], value) if kind != "attribute" else NONE
        others = [p for p in paths[1:] if is_offered(*p.rpartition(".")[::2], value)]
        yield [paths[0], kind, result, ",".join(sorted(others))]
        if isinstance(value, type) and has_methods(paths[0], value):
            for path, method_kind, raw in methods_of(paths[0], value):
                result = returns.of(path, raw) if raw is not None else NONE
                yield [path, method_kind, result, NONE]


def unique(all_rows):
    """First row of a name wins; a submodule and a function may share a name (function wins)."""
    order = {"function": 0, "class": 0, "method": 1, "property": 1, "attribute": 2, "module": 3}
    best = {}
    for row in all_rows:
        if row[0] not in best or order[row[1]] < order[best[row[0]][1]]:
            best[row[0]] = row
    return best.values()


def main():
    warnings.simplefilter("ignore")
    for name in load():
        print(f"not loaded: {name}")
    release = torch.__version__.split("+")[0]
    source = f"public names of torch {release} (CPU build), walked 2026-11-30"
    write_table(EXTRACTS / "torch-api.tsv", source, ["api", "kind", "returns", "aliases"],
                unique(rows()))


if __name__ == "__main__":
    main()
