"""Text."""
import torch; import os
from torch.nn import (  # some )
    Linear,
    functional as F,
)
import torch_npu
from os import path, \
    sep
torch.npu.synchronize()
