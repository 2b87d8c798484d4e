#!/usr/bin/env python3
"""Run the cases of one kind on the tracing device; one JSON line per case on standard output.

Started by trace_torch.py, which starts it again after a case that ends the process.
"""

import argparse
import itertools
import json
import os
import pathlib
import sys
import threading
import warnings

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

import trace_cases
import trace_device

CASE_SECONDS = 60
SAMPLES = 32
DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64, torch.float16)


class Tracer:
    def __init__(self, library):
        self.library = library

    def record(self, call):
        """(overloads looked up on the device, what the call returned)."""
        self.library.tracer_clear()
        result = call()
        return self.seen(), result

    def seen(self):
        return self.library.tracer_log().decode().split()

    def sample(self, api, call, source, inputs=()):
        """One sample: forward, then the gradient of all floating outputs."""
        try:
            forward, result = self.record(call)
        except NotImplementedError as error:  # a kernel that the CPU has not: noted, then failed
            forward, result = self.seen(), NotImplemented
            if not forward or "Could not run 'aten::" not in str(error):
                return {"error": f"{api}: {error}"[:300]}
        except Exception as error:
            return {"error": f"{api}: {type(error).__name__}: {error}"[:300]}
        if not forward and not any(isinstance(t, torch.Tensor) and t.device.type == "npu"
                                   for t in tree_flatten(inputs)[0]):
            return {"error": f"{api}: never reached the device"}
        return {"api": api, "source": source, "forward": forward, "result": kind_of(result),
                "backward": self.backward(result, inputs), "inside": []}

    def backward(self, result, inputs):
        outputs = [t for t in tree_flatten(result)[0] if isinstance(t, torch.Tensor)
                   and t.requires_grad and t.grad_fn is not None]
        inputs = [t for t in tree_flatten(inputs)[0] if isinstance(t, torch.Tensor)
                  and t.requires_grad and t.is_leaf]
        if not outputs or not inputs:
            return None
        try:
            grads = [torch.ones_like(t) for t in outputs]
            return self.record(lambda: torch.autograd.grad(outputs, inputs, grads,
                                                           allow_unused=True))[0]
        except NotImplementedError as error:
            return self.seen() if "Could not run 'aten::" in str(error) else None
        except Exception:
            return None


def kind_of(value):
    """What a call gave, in the words of the `returns` column."""
    if value is NotImplemented:
        return ""
    for kind, name in ((torch.Tensor, "Tensor"), (bool, "bool"), (int, "int"), (float, "float"),
                       (torch.dtype, "dtype"), (type(None), "none")):
        if isinstance(value, kind):
            return name
    if isinstance(value, (tuple, list)) and not isinstance(value, torch.Size):
        if any(isinstance(item, torch.Tensor) for item in value):
            return "tuple" if isinstance(value, tuple) else "list"
        if isinstance(value, tuple) and any(isinstance(item, tuple) for item in value):
            return "tuple"
    return "other"


class Inside(TorchDispatchMode):
    """Leaves below each overload that arrives, for calls without autograd."""

    def __init__(self, tracer):
        super().__init__()
        self.tracer, self.calls = tracer, []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        leaves, result = self.tracer.record(lambda: func(*args, **(kwargs or {})))
        name = func._schema.name
        if name.startswith("aten::"):
            overload = func._overloadname
            full = name[6:] + ("" if overload == "default" else "." + overload)
            if leaves and leaves != [full]:
                self.calls.append((full, leaves))
        return result


def decompose(tracer, call):
    """[(overload, leaves)] seen while a call runs in inference mode."""
    mode = Inside(tracer)
    try:
        with torch.inference_mode(), mode:
            call()
    except Exception:
        pass
    return mode.calls


def on_device(value):
    """Copies of tensors on the traced device, as fresh leaves of autograd."""
    def move(item):
        if isinstance(item, torch.Tensor):
            moved = item.detach().to("npu")
            return moved.requires_grad_() if item.requires_grad else moved
        if isinstance(item, torch.device):
            return torch.device("npu")
        return "npu" if item == "cpu" and isinstance(item, str) else item
    return tree_map(move, value)


def spread(samples):
    """At most SAMPLES of them, evenly spaced: the rare modes come last."""
    step = max(1, -(-len(samples) // SAMPLES))
    return samples[::step]


# ---- OpInfo ----

class OpInfoCases:
    def __init__(self):
        from torch.testing._internal.common_methods_invocations import op_db
        self.cases = op_db
        self.names = trace_cases.canonical_names()

    def callables(self, op):
        """(public name, callable) of an OpInfo: function, method, in-place method, aliases."""
        method = "torch.Tensor." + op.name.split(".")[-1]
        found = [(self.function_name(op), op.get_op())]
        found.append((self.tensor_name(op.method_variant, method), op.method_variant))
        found.append((self.tensor_name(op.inplace_variant, method + "_"), op.inplace_variant))
        for alias in op.aliases:
            name = self.names.get(id(alias.op)) or "torch." + alias.name
            found.append((name, alias.op))
            method = "torch.Tensor." + alias.name.split(".")[-1]
            found.append((self.tensor_name(alias.method_variant, method), alias.method_variant))
            found.append((self.tensor_name(alias.inplace_variant, method + "_"),
                          alias.inplace_variant))
        return [(n, c) for n, c in dict(found).items() if c is not None and n is not None]

    def function_name(self, op):
        known = self.names.get(id(op.get_op()))
        guess = "torch." + op.name
        return known or (guess if callable(trace_cases.resolve(guess)) else None)

    def tensor_name(self, function, guess):
        if function is None:
            return None
        name = "torch.Tensor." + getattr(function, "__name__", "")
        return next((n for n in (name, guess) if trace_cases.resolve(n)), None)

    def samples(self, op, grad):
        """Sample inputs of the first dtype that works; made on the CPU, then moved."""
        for dtype in DTYPES:
            if dtype in op.dtypes:
                break
        else:
            return []
        wants = grad and op.supports_autograd and (dtype.is_floating_point or dtype.is_complex)
        samples = op.sample_inputs("cpu", dtype, requires_grad=wants)
        return spread(list(itertools.islice(samples, 500)))

    def run(self, tracer, op):
        results = []
        for sample in self.samples(op, True):
            for name, function in self.callables(op):
                results.append(self.one(tracer, name, function, sample))
        results += self.inside(tracer, op)
        return results

    def one(self, tracer, name, function, sample):
        source, args, kwargs = on_device((sample.input, sample.args, sample.kwargs))
        inputs = (source, args, kwargs)
        inplace = name.rpartition(".")[2].endswith("_") and name.startswith("torch.Tensor.")
        if inplace:
            source = tree_map(lambda t: t.clone() if isinstance(t, torch.Tensor) else t, source)
        return tracer.sample(name, lambda: function(source, *args, **kwargs), "opinfo", inputs)

    def inside(self, tracer, op):
        calls = []
        for sample in spread(self.samples(op, False))[::4]:
            with torch.inference_mode():
                source, args, kwargs = on_device((sample.input, sample.args, sample.kwargs))
            calls += decompose(tracer, lambda s=source, a=args, k=kwargs: op.get_op()(s, *a, **k))
        return [{"inside": calls}] if calls else []


# ---- ModuleInfo ----

class ModuleCases:
    def __init__(self):
        from torch.testing._internal.common_modules import module_db
        self.cases = module_db

    def run(self, tracer, info):
        name = trace_cases.canonical_names().get(id(info.module_cls))
        results = []
        for training in (True, False):
            inputs = info.module_inputs_func(info, device="cpu", dtype=torch.float32,
                                             requires_grad=True, training=training)
            for item in itertools.islice(inputs, SAMPLES):
                results.append(self.one(tracer, name, info, item, training))
        return results

    def one(self, tracer, name, info, item, training):
        made = item.constructor_input
        try:
            module = info.module_cls(*made.args, **made.kwargs).to("npu").train(training)
        except Exception as error:
            return {"error": f"{name}: {error}"[:300]}
        if item.forward_input is None:
            return {"error": f"{name}: no forward input"}
        args, kwargs = on_device((item.forward_input.args, item.forward_input.kwargs))
        inputs = (args, kwargs, list(module.parameters()))
        return tracer.sample(name, lambda: module(*args, **kwargs), "moduleinfo", inputs)


# ---- optimizers ----

class OptimizerCases:
    def __init__(self):
        from torch.testing._internal.common_optimizers import optim_db
        self.cases = optim_db

    def run(self, tracer, info):
        name = trace_cases.canonical_names().get(id(info.optim_cls))
        results = []
        for item in info.optim_inputs_func(device="npu"):
            for variant, extra in (("", {}), ("[single]", {"foreach": False}),
                                   ("[foreach]", {"foreach": True}), ("[fused]", {"fused": True})):
                kwargs = {k: v for k, v in item.kwargs.items() if k not in ("foreach", "fused")}
                if kwargs.get("capturable") or kwargs.get("differentiable"):
                    continue
                results.append(self.one(tracer, name + variant, info, {**kwargs, **extra}))
        return results

    def one(self, tracer, name, info, kwargs):
        params = [torch.nn.Parameter(torch.randn(4, 3).to("npu")) for _ in range(2)]
        for param in params:
            grad = torch.randn(4, 3).to("npu")
            param.grad = grad.to_sparse() if info.only_supports_sparse_grads else grad
        try:
            optimizer = info.optim_cls(params, **on_device(kwargs))
            closure = (lambda: (params[0] ** 2).sum()) if info.step_requires_closure else None
            if not info.step_requires_closure:
                optimizer.step()  # the state is made here; the second step is the usual one
        except Exception as error:
            return {"error": f"{name}: {type(error).__name__}: {error}"[:300]}
        return tracer.sample(name, lambda: optimizer.step(closure) if closure else optimizer.step(),
                             "optimizerinfo")


# ---- cases of our own ----

class BareCases(OpInfoCases):
    """Decompositions of what the backend registers, run on a device that registers nothing."""

    def run(self, tracer, op):
        return self.inside(tracer, op)


class HandCases:
    def __init__(self):
        self.cases = trace_cases.HAND

    def run(self, tracer, case):
        name, make = case
        call, inputs = make()
        return [tracer.sample(name, call, "hand", inputs)]


CASES = {"opinfo": OpInfoCases, "module": ModuleCases, "optimizer": OptimizerCases,
         "hand": HandCases, "bare": BareCases}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", choices=CASES, required=True)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    torch.set_num_threads(1)
    tracer = Tracer(trace_device.install(arguments.build, arguments.kind != "bare"))
    source = CASES[arguments.kind]()
    for index in range(arguments.start, len(source.cases)):
        watchdog = threading.Timer(CASE_SECONDS, os._exit, (99,))
        watchdog.daemon = True
        watchdog.start()
        try:
            results = source.run(tracer, source.cases[index])
        except Exception as error:
            results = [{"error": f"case {index}: {type(error).__name__}: {error}"[:300]}]
        watchdog.cancel()
        print(json.dumps({"index": index, "results": results}), flush=True)
    sys.stdout.flush()
    os._exit(0)  # no teardown of a device that is not meant to be torn down


if __name__ == "__main__":
    main()
