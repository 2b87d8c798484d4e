"""The tracing device of trace_device.cpp, seen from Python."""

import ctypes
import pathlib
import subprocess
import sys
import types

import torch

from tables import EXTRACTS, from_range, provenance_field, read_table

SOURCE = pathlib.Path(__file__).with_name("trace_device.cpp")
RELEASE = "2.13"


def compile_device(folder):
    """Path of the shared object, built when it is missing or older than its source."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "libtrace_device.so"
    if target.exists() and target.stat().st_mtime > SOURCE.stat().st_mtime:
        return target
    root = pathlib.Path(torch.__file__).parent
    includes = [f"-I{root}/include", f"-I{root}/include/torch/csrc/api/include"]
    subprocess.run(["g++", "-std=c++20", "-O1", "-fPIC", "-shared", *includes, str(SOURCE),
                    "-o", str(target), f"-L{root}/lib", "-ltorch_cpu", "-lc10",
                    f"-Wl,-rpath,{root}/lib"], check=True)
    return target


def install(folder, with_torch_npu=True):
    """Compile and load the device as "npu", with the overloads that torch_npu registers or none."""
    library = ctypes.CDLL(str(compile_device(folder)))
    library.tracer_log.restype = ctypes.c_char_p
    torch.utils.rename_privateuse1_backend("npu")
    torch._register_device_module("npu", device_module())
    for overload, composite in registered() if with_torch_npu else ():
        library.tracer_register(overload.encode(), int(composite))
    return library


def device_module():
    module = types.ModuleType("torch.npu")
    module.is_available = module.is_initialized = lambda: True
    module.current_device = lambda: 0
    module.device_count = lambda: 1
    module._is_in_bad_fork = lambda: False
    module._lazy_init = lambda: None
    module.manual_seed_all = module.manual_seed = lambda seed: None
    module.get_amp_supported_dtype = lambda: [torch.float16, torch.bfloat16]
    module.get_rng_state = lambda device=None: torch.get_rng_state()
    module.set_rng_state = lambda state, device=None: torch.set_rng_state(state)
    module.synchronize = lambda device=None: None
    sys.modules["torch.npu"] = module
    return module


def registered():
    """(overload, is composite in torch) of the aten overloads that torch_npu has for RELEASE."""
    provenance, rows = read_table(EXTRACTS / "torch_npu-overloads.tsv")
    known = provenance_field(provenance, "minors").split(",")
    for row in rows:
        name = row["overload"]
        if "::" not in name and RELEASE in from_range(row["releases"], known):
            composite = torch._C._dispatch_has_kernel_for_dispatch_key(
                f"aten::{name}", "CompositeImplicitAutograd")
            if torch._C._dispatch_has_kernel(f"aten::{name}"):
                yield name, composite
