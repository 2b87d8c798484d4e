import os

import torch.distributed as dist
import torch_npu
from settings import BACKEND

os.environ["ASCEND_RT_VISIBLE_DEVICES"] = "0,1"
os.environ.setdefault("HCCL_SOCKET_IFNAME", "eth0")
os.environ['NCCL_DEBUG'] = 'INFO'
if "ASCEND_LAUNCH_BLOCKING" in os.environ:
    del os.environ["ASCEND_LAUNCH_BLOCKING"]
backend = 'hccl'
dist.init_process_group(backend, rank=0)
dist.new_group([0], backend="cpu:gloo,npu:hccl")
dist.init_process_group(BACKEND)
if backend == "hccl":
    print("nccl")
