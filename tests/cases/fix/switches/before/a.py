import torch
import torch as th
from torch.backends import cudnn

torch.backends.cuda.matmul.allow_tf32 = True
th.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32  # as before
cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True
torch.set_float32_matmul_precision("high")
if torch.get_float32_matmul_precision() == "high":
    torch.set_float32_matmul_precision('highest')  # exact
    th.set_float32_matmul_precision(
        "medium"
    )
torch.set_float32_matmul_precision(choice)
[
    torch.set_float32_matmul_precision("high")
]
if True: torch.set_float32_matmul_precision("high")
