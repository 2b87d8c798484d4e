try:
    import torch
except ImportError:
    torch = None


def f():
    torch.cuda.synchronize()
