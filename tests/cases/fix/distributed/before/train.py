import os

import torch.distributed as dist
from settings import BACKEND

os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"
os.environ.setdefault("NCCL_SOCKET_IFNAME", "eth0")
os.environ['NCCL_DEBUG'] = 'INFO'
if "CUDA_LAUNCH_BLOCKING" in os.environ:
    del os.environ["CUDA_LAUNCH_BLOCKING"]
backend = 'nccl'
dist.init_process_group(backend, rank=0)
dist.new_group([0], backend="cpu:gloo,cuda:nccl")
dist.init_process_group(BACKEND)
if backend == "nccl":
    print("nccl")
