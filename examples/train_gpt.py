"""Trains a small GPT on the text of its own source, on "npu" when there is one.

    foothold run -- python examples/train_gpt.py [--steps 20] [--device npu] [--autocast bf16]

Prints the loss of each step and, at the end, the time of a step after the first three. With
--compare it runs the same steps on the CPU and prints the largest relative difference of a loss.
"""

import argparse
import pathlib
import time

import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    """Attention and a two-layer perceptron, each behind a LayerNorm and added to its input."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2)
                   for t in self.qkv(self.norm1(x)).chunk(3, dim=-1))
        scores = q @ k.transpose(-2, -1) * (width // self.heads) ** -0.5
        mask = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        attention = scores.masked_fill(mask, float("-inf")).softmax(-1)
        x = x + self.out((attention @ v).transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class GPT(nn.Module):
    """Token and position embeddings, blocks, and a head: [batch, length] to [batch, length, vocabulary]."""

    def __init__(self, vocabulary=256, length=256, width=256, layers=6, heads=8):
        super().__init__()
        self.token, self.position = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary)

    def forward(self, tokens):
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.token(tokens) + self.position(positions)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def batches(steps, batch, length):
    """Pairs of inputs and targets, cut from this file at seeded places."""
    text = torch.tensor(list(pathlib.Path(__file__).read_bytes()))
    generator = torch.Generator().manual_seed(0)
    for _ in range(steps):
        starts = torch.randint(len(text) - length - 1, (batch,), generator=generator)
        rows = torch.stack([text[s:s + length + 1] for s in starts])
        yield rows[:, :-1], rows[:, 1:]


def train(device, options):
    """Returns the losses of the steps and the seconds of those after the third."""
    torch.manual_seed(1)
    model = GPT(length=options.length, width=options.width, layers=options.layers).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    losses, seconds = [], []
    for inputs, targets in batches(options.steps, options.batch, options.length):
        start = time.perf_counter()
        inputs, targets = inputs.to(device), targets.to(device)
        with torch.autocast(device.partition(":")[0], torch.bfloat16, enabled=options.autocast == "bf16"):
            loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        seconds.append(time.perf_counter() - start)
        print(f"{device} step {len(losses)}: loss {losses[-1]:.6f}", flush=True)
    return losses, seconds[3:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="npu")
    parser.add_argument("--autocast", choices=["off", "bf16"], default="off")
    parser.add_argument("--compare", action="store_true", help="run the same on the CPU")
    for name, value in {"steps": 20, "batch": 8, "length": 256, "width": 256, "layers": 6}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    if options.device.startswith("npu"):
        import torch_npu  # noqa: F401  registers the device
    losses, seconds = train(options.device, options)
    if seconds:
        print(f"median step {sorted(seconds)[len(seconds) // 2] * 1e3:.1f} ms")
    if options.compare:
        reference, _ = train("cpu", options)
        print(f"largest relative difference {max(abs(a - b) / abs(b) for a, b in zip(losses, reference)):.2e}")


if __name__ == "__main__":
    main()
