import torch

try:
    import torch_npu
except ImportError:
    torch_npu = None
torch.npu.synchronize()
