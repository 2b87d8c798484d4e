import torch


class Own:
    def cuda(self):
        return self


def use(x, unknown, device):
    Own().cuda()
    unknown.frobnicate().cuda
    if x.device.type == "cuda" or device.startswith("cuda") or device in ("cuda", "cpu"):
        print("cuda", f"on cuda {device}")
    table = {"cuda": 1}
    table["cuda"] = 2
    getattr(torch, "cuda")
    assert "cuda" in device
    x.numpy()  # x.cuda()
    """x.cuda() and "cuda:0" """
    return x.cuda()  # foothold: ignore[FH601]


x = torch.zeros(1).cuda()  # foothold: ignore
