import torch

device = torch.device(0)
net = torch.nn.Linear(2, 2).to(0)
x = torch.zeros(3, device=1).to(device=0)
y = x.cuda(0).to(0, non_blocking=True)
print(f'{x.to(0)}', f"{x.to(0)}")
torch.cuda.set_device(0)
rank = 3
z = x.to(rank), x.to(0x1), x.to(1_0)


def start(index, thing):
    return x.to(index), thing.to(0)
