import torch
import torch_npu


def f():
    import torch.nn
    torch.npu.synchronize()
