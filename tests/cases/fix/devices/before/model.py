"""A model; the text says cuda."""
from __future__ import annotations

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, device: str = "cuda"):
        super().__init__()
        self.fc = nn.Linear(8, 8)
        self.device = 'cuda:1'

    def forward(self, x: torch.Tensor, rank: int):
        x = x.cuda(non_blocking=True)
        y = torch.zeros(8, device=f"cuda:{rank}")
        return self.fc(x) + y.to("cuda:%d" % rank)


device = "cuda" if torch.cuda.is_available() else "cpu"
net = Net().cuda()
net = net.cuda(1)
state = torch.load("a.pt", map_location="cuda:0")  # from cuda to cuda
settings = {"device": "cuda", "cuda": "cuda 12"}
loader = torch.utils.data.DataLoader([], pin_memory=True, pin_memory_device="cuda")
