"""Text."""
import torch; import os
from torch.nn import (  # some )
    Linear,
    functional as F,
)
from os import path, \
    sep
torch.cuda.synchronize()
