"""A model; the text says cuda."""
from __future__ import annotations

import torch
from torch import nn
import torch_npu


class Net(nn.Module):
    def __init__(self, device: str = "npu"):
        super().__init__()
        self.fc = nn.Linear(8, 8)
        self.device = 'npu:1'

    def forward(self, x: torch.Tensor, rank: int):
        x = x.npu(non_blocking=True)
        y = torch.zeros(8, device=f"npu:{rank}")
        return self.fc(x) + y.to("npu:%d" % rank)


device = "npu" if torch.npu.is_available() else "cpu"
net = Net().npu()
net = net.npu(1)
state = torch.load("a.pt", map_location="npu:0")  # from cuda to cuda
settings = {"device": "npu", "cuda": "cuda 12"}
loader = torch.utils.data.DataLoader([], pin_memory=True, pin_memory_device="npu")
