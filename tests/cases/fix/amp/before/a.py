import torch
from torch.amp import custom_fwd
from torch.cuda.amp import GradScaler, autocast

scaler = GradScaler()
new = torch.amp.GradScaler()
named = torch.amp.GradScaler(enabled=True)
said = torch.amp.GradScaler("cuda", enabled=True)
with autocast(enabled=True):
    pass
with torch.autocast("cuda", dtype=torch.float16):
    pass
with torch.autocast(device_type='cuda'), torch.cuda.amp.autocast():
    pass


class F(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type="cuda")
    def forward(ctx, x):
        return x
