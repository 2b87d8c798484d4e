import torch
import torch_npu

device = torch.device("npu:0")
net = torch.nn.Linear(2, 2).to("npu:0")
x = torch.zeros(3, device="npu:1").to(device="npu:0")
y = x.npu(0).to("npu:0", non_blocking=True)
print(f'{x.to("npu:0")}', f"{x.to('npu:0')}")
torch.npu.set_device(0)
rank = 3
z = x.to(rank), x.to(0x1), x.to(1_0)


def start(index, thing):
    return x.to(index), thing.to(0)
