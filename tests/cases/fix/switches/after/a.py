import torch
import torch as th
from torch.backends import cudnn
import torch_npu

torch.npu.matmul.allow_hf32 = True
th.npu.conv.allow_hf32 = torch.npu.matmul.allow_hf32  # as before
torch.npu.conv.allow_hf32 = False
torch.backends.cudnn.benchmark = True
torch.npu.matmul.allow_hf32 = True
if torch.get_float32_matmul_precision() == "high":
    torch.npu.matmul.allow_hf32 = False  # exact
    th.npu.matmul.allow_hf32 = True
torch.set_float32_matmul_precision(choice)
[
    torch.set_float32_matmul_precision("high")
]
if True: torch.set_float32_matmul_precision("high")
