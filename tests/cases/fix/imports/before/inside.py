import torch


def f():
    import torch.nn
    torch.cuda.synchronize()
