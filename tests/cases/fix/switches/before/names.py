import torch.backends.cudnn as cudnn
from torch import backends
from torch.backends.cuda import matmul as mm


class Run:
    def __init__(self, torch):
        self.cudnn = cudnn
        self.cudnn.allow_tf32 = mm.allow_tf32
        cudnn.benchmark = True


print(f"{backends.cudnn.allow_tf32}")
(backends).cudnn.allow_tf32 = True
