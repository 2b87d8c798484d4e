import torch
import torch.cuda.amp as mixed
import torch.cuda.amp
from torch import cuda as device_module
from torch.cuda import (
    Stream,
    Event as Mark,
)
from torch.cuda import CUDAGraph, nvtx

torch.cuda.synchronize()
torch . cuda . empty_cache()
free, total = torch.cuda.memory.mem_get_info()
graph = torch.cuda.CUDAGraph()
other = CUDAGraph()
kind = torch.cuda.FloatTensor
capability = torch.cuda.get_device_capability()
with mixed.autocast():
    device_module.synchronize()
    stream, mark = Stream(), Mark()
try:
    pass
except torch.cuda.OutOfMemoryError:
    pass
module = torch.cuda
print("torch.cuda.synchronize()")  # torch.cuda.synchronize()
