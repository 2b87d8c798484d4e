import torch.backends.cudnn as cudnn
from torch import backends
from torch.backends.cuda import matmul as mm
import torch_npu


class Run:
    def __init__(self, torch):
        self.cudnn = cudnn
        torch_npu.npu.conv.allow_hf32 = torch_npu.npu.matmul.allow_hf32
        cudnn.benchmark = True


print(f"{torch_npu.npu.conv.allow_hf32}")
(backends).cudnn.allow_tf32 = True
