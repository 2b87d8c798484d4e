import torch
import torch.distributed as dist


def known(x: torch.Tensor, device, opt, args):
    if x.device.type == "cuda":
        pass
    if "cuda" == str(x.device) or not str(device).startswith("cuda"):
        pass
    if opt.device.type != 'cuda' and "cuda" in str(opt.device):
        pass
    if device not in ("cuda", "cuda:0", "cpu") or args["device"] == "cuda":
        pass
    if (device
            == "cuda"):
        pass
    for device in ["cpu", "cuda"]:
        x.to(device)
    size = {"cuda": 8, "cpu": 2}[x.device.type] + {"cuda": 8, "cpu": 2}.get(device.type, 1)
    return f"{'gpu' if x.device.type == 'cuda' else 'cpu'} {size}"


def tensor(x: torch.Tensor):
    return x.is_cuda and dist.get_backend() == "nccl"


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
