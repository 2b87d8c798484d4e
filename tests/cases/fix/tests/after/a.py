import torch
import torch.distributed as dist
import torch_npu


def known(x: torch.Tensor, device, opt, args):
    if x.device.type == "npu":
        pass
    if "npu" == str(x.device) or not str(device).startswith("npu"):
        pass
    if opt.device.type != 'npu' and "npu" in str(opt.device):
        pass
    if device not in ("npu", "npu:0", "cpu") or args["device"] == "npu":
        pass
    if (device
            == "npu"):
        pass
    for device in ["cpu", "npu"]:
        x.to(device)
    size = {"npu": 8, "cpu": 2}[x.device.type] + {"npu": 8, "cpu": 2}.get(device.type, 1)
    return f"{'gpu' if x.device.type == 'npu' else 'cpu'} {size}"


def tensor(x: torch.Tensor):
    return x.is_npu and dist.get_backend() == "hccl"


def unknown(kind, device, table, names):
    if kind == "cuda" or device + kind == "cuda" or len(device) == "cuda":
        return device.replace("cuda", "") == device == "cuda"
    for name in ["cuda", "rocm"]:
        names[name] = table["cuda"]
    return {"cuda": names}


def only_cuda(x: torch.Tensor, device):
    if device.type == "cuda":
        return extension.forward_cuda(x)
    return x


def has_both(device):
    if device.type == "cuda":
        return 1
    return 2 if device.type == "npu" else 3


backend = {"cuda": "nccl", "cpu": "gloo"}[kind]
dist_backend = {"cuda": "nccl", "npu": "hccl"}[kind]
CHOICES = ["cpu", "cuda", "npu"]
match kind:
    case "cuda":
        pass
