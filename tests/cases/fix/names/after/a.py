import torch
import torch_npu.npu.amp as mixed
import torch.cuda.amp
from torch_npu import npu as device_module
from torch_npu.npu import (
    Stream,
    Event as Mark,
)
from torch.cuda import CUDAGraph, nvtx
import torch_npu

torch.npu.synchronize()
torch . npu . empty_cache()
free, total = torch.npu.mem_get_info()
graph = torch.npu.NPUGraph()
other = CUDAGraph()
kind = torch.npu.FloatTensor
capability = torch.cuda.get_device_capability()
with mixed.autocast():
    device_module.synchronize()
    stream, mark = Stream(), Mark()
try:
    pass
except torch.OutOfMemoryError:
    pass
module = torch.cuda
print("torch.cuda.synchronize()")  # torch.cuda.synchronize()
