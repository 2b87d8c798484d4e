import torch
from torch.amp import custom_fwd
from torch_npu.npu.amp import GradScaler, autocast
import torch_npu

scaler = GradScaler()
new = torch.amp.GradScaler("npu")
named = torch.amp.GradScaler("npu", enabled=True)
said = torch.amp.GradScaler("npu", enabled=True)
with autocast(enabled=True):
    pass
with torch.autocast("npu", dtype=torch.float16):
    pass
with torch.autocast(device_type='npu'), torch.npu.amp.autocast():
    pass


class F(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type="npu")
    def forward(ctx, x):
        return x
