// A small GPT code base of our own and a report on it, as the analyser would write it. Rules, verdicts and gains are
// made up for these tests; the chips' figures are those of facts/.
import { Source, summarise } from './source.mjs';

const files = {
  'model.py': `"""A decoder-only transformer, small enough to read in one sitting."""
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    block_size: int = 1024
    vocab_size: int = 50304
    n_layer: int = 12
    n_head: int = 12
    n_embd: int = 768
    dropout: float = 0.0


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads = config.n_head
        self.qkv = nn.Linear(config.n_embd, 3 * config.n_embd, bias=False)
        self.proj = nn.Linear(config.n_embd, config.n_embd, bias=False)
        self.flash = hasattr(F, "scaled_dot_product_attention")

    def forward(self, x):
        b, t, c = x.size()
        q, k, v = self.qkv(x).split(c, dim=2)
        q, k, v = (z.view(b, t, self.heads, c // self.heads).transpose(1, 2) for z in (q, k, v))
        if self.flash:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            scores = scores.masked_fill(self.mask[:t, :t] == 0, float("-inf"))
            y = F.softmax(scores, dim=-1) @ v
        return self.proj(y.transpose(1, 2).reshape(b, t, c))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.n_embd)
        self.attn = Attention(config)
        self.ln_2 = nn.LayerNorm(config.n_embd)
        self.up = nn.Linear(config.n_embd, 4 * config.n_embd)
        self.gelu = nn.GELU()
        self.down = nn.Linear(4 * config.n_embd, config.n_embd)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.down(self.gelu(self.up(self.ln_2(x))))


class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.tokens = nn.Embedding(config.vocab_size, config.n_embd)
        self.places = nn.Embedding(config.block_size, config.n_embd)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.n_layer))
        self.norm = nn.LayerNorm(config.n_embd)
        self.head = nn.Linear(config.n_embd, config.vocab_size, bias=False)

    def forward(self, ids, targets=None):
        x = self.tokens(ids) + self.places(torch.arange(ids.size(1), device=ids.device))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))

    @torch.no_grad()
    def generate(self, ids, count, top_k=None):
        for _ in range(count):
            logits, _ = self(ids[:, -1024:])
            logits = logits[:, -1]
            if top_k is not None:
                kth, _ = torch.topk(logits, top_k)
                logits[logits < kth[:, [-1]]] = -float("inf")
            ids = torch.cat((ids, torch.multinomial(F.softmax(logits, dim=-1), 1)), dim=1)
        return ids
`,
  'train.py': `import os
import time

import numpy as np
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from model import GPT, Config

backend = "nccl"
device = "cuda"
batch_size, accumulate = 12, 40

if "RANK" in os.environ:
    dist.init_process_group(backend=backend)
    device = f"cuda:{os.environ['LOCAL_RANK']}"
    torch.cuda.set_device(device)

torch.backends.cuda.matmul.allow_tf32 = True
data = np.memmap("data/train.bin", dtype=np.uint16, mode="r")


def batch():
    at = torch.randint(len(data) - 1024, (batch_size,))
    x = torch.stack([torch.from_numpy(data[i : i + 1024].astype(np.int64)) for i in at])
    y = torch.stack([torch.from_numpy(data[i + 1 : i + 1025].astype(np.int64)) for i in at])
    return x.to(device), y.to(device)


model = GPT(Config()).to(device)
scaler = torch.cuda.amp.GradScaler(enabled=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4)
model = torch.compile(model)
if dist.is_initialized():
    model = DDP(model, device_ids=[int(os.environ["LOCAL_RANK"])])

began = time.time()
for step in range(600000):
    for micro in range(accumulate):
        x, y = batch()
        with torch.amp.autocast(device_type="cuda", dtype=torch.bfloat16):
            logits, loss = model(x, y)
        scaler.scale(loss / accumulate).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    print(f"{step}: loss {loss.item():.4f}, {time.time() - began:.1f} s")
`,
  'sample.py': `import torch

from model import GPT, Config

model = GPT(Config()).cuda().eval()
start = torch.zeros((1, 1), dtype=torch.long).cuda()
with torch.no_grad():
    print(model.generate(start, 500, top_k=200)[0].tolist())
`,
  'ops/rope/rotate.cu': `#include <cuda_fp16.h>

// Rotates pairs of channels in place.
__global__ void rotate(__half2 *x, const float2 *table, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float2 v = __half22float2(x[i]), t = table[i];
    x[i] = __floats2half2_rn(v.x * t.x - v.y * t.y, v.x * t.y + v.y * t.x);
  }
}

void launch(__half2 *x, const float2 *table, int n) {
  rotate<<<(n + 255) / 256, 256>>>(x, table, n);
}
`,
};

const source = new Source(files);

function location(place, fn, more = {}) {
  const { file, line, column } = place;
  return { file, line, column, function: fn, certainty: 'certain', ...more };
}

function operator(name, category, kind, support, locations, more = {}) {
  const sized = locations.filter((place) => place.parameters !== undefined);
  const sums = sized.length
    ? {
        parameters: sized.reduce((sum, place) => sum + place.parameters, 0),
        ...(sized.some((place) => place.flops) ? { flops: sized.reduce((sum, place) => sum + (place.flops ?? 0), 0) } : {}),
        sized: sized.length,
      }
    : {};
  return { name, category, class: kind, support, count: locations.length, locations, ...sums, ...more };
}

function linear(needle, fn, inputs, outputs, bias) {
  const parameters = inputs * outputs + (bias ? outputs : 0);
  return location(source.at('model.py', needle), fn, { parameters, flops: 2 * inputs * outputs, per: 'token' });
}

const C = 768;
const V = 50304;
const one = (file, needle, fn, nth) => location(source.at(file, needle, nth), fn);
const registered = 'torch_npu 2.14.0, npu_native_functions_by_codegen.yaml';

const operators = [
  operator(
    'torch.nn.Linear',
    'compute',
    'matmul',
    'native',
    [
      linear('nn.Linear(config.n_embd, 3 * config.n_embd', 'Attention.__init__', C, 3 * C, false),
      linear('nn.Linear(config.n_embd, config.n_embd', 'Attention.__init__', C, C, false),
      linear('nn.Linear(config.n_embd, 4 * config.n_embd', 'Block.__init__', C, 4 * C, true),
      linear('nn.Linear(4 * config.n_embd, config.n_embd', 'Block.__init__', 4 * C, C, true),
      linear('nn.Linear(config.n_embd, config.vocab_size', 'GPT.__init__', C, V, false),
    ],
    { kernels: ['aclnnAddmm', 'aclnnMm'], overloads: ['aten::addmm', 'aten::mm'], source: registered },
  ),
  operator('torch.Tensor.__matmul__', 'compute', 'matmul', 'native', [one('model.py', 'q @ k', 'Attention.forward'), one('model.py', 'F.softmax(scores, dim=-1) @ v', 'Attention.forward')], {
    kernels: ['aclnnMatmul'],
    overloads: ['aten::matmul'],
    source: registered,
  }),
  operator('torch.nn.functional.scaled_dot_product_attention', 'compute', 'attention', 'limited', [one('model.py', 'F.scaled_dot_product_attention(', 'Attention.forward')], {
    kernels: ['aclnnFlashAttentionScore'],
    overloads: ['aten::scaled_dot_product_attention'],
    limits: 'The fused kernel takes float16 and bfloat16; float32 inputs take the unfused path.',
    source: registered,
  }),
  operator('torch.nn.functional.softmax', 'compute', 'activation', 'native', [one('model.py', 'F.softmax', 'Attention.forward', 1), one('model.py', 'F.softmax', 'GPT.generate', 2)], {
    kernels: ['aclnnSoftmax'],
    overloads: ['aten::_softmax'],
    source: registered,
  }),
  operator('torch.nn.LayerNorm', 'compute', 'normalisation', 'native', [1, 2, 3].map((nth) => ({ ...one('model.py', 'nn.LayerNorm', nth < 3 ? 'Block.__init__' : 'GPT.__init__', nth), parameters: 2 * C, flops: 8 * C, per: 'token' })), {
    kernels: ['aclnnLayerNorm'],
    overloads: ['aten::native_layer_norm'],
    source: registered,
  }),
  operator('torch.nn.GELU', 'compute', 'activation', 'native', [one('model.py', 'nn.GELU', 'Block.__init__')], { kernels: ['aclnnGelu'], overloads: ['aten::gelu'], source: registered }),
  operator(
    'torch.nn.Embedding',
    'compute',
    'embedding',
    'native',
    [
      location(source.at('model.py', 'nn.Embedding', 1), 'GPT.__init__', { parameters: V * C }),
      location(source.at('model.py', 'nn.Embedding', 2), 'GPT.__init__', { parameters: 1024 * C }),
    ],
    { kernels: ['aclnnEmbedding'], overloads: ['aten::embedding'], source: registered },
  ),
  operator('torch.nn.functional.cross_entropy', 'compute', 'loss', 'decomposed', [one('model.py', 'F.cross_entropy', 'GPT.forward')], {
    overloads: ['aten::cross_entropy_loss'],
    reason: 'Breaks up into log_softmax and nll_loss_forward; both have kernels.',
    source: 'torch 2.14.0, CompositeImplicitAutograd',
  }),
  operator('torch.topk', 'compute', 'reduction', 'native', [one('model.py', 'torch.topk', 'GPT.generate')], { kernels: ['aclnnTopk'], overloads: ['aten::topk'], source: registered }),
  operator('torch.multinomial', 'compute', 'indexing', 'limited', [one('model.py', 'torch.multinomial', 'GPT.generate')], {
    kernels: ['aclnnMultinomial'],
    overloads: ['aten::multinomial'],
    limits: 'No float64.',
    source: registered,
  }),
  operator('torch.Tensor.masked_fill', 'compute', 'elementwise', 'native', [one('model.py', 'scores.masked_fill', 'Attention.forward')], { kernels: ['aclnnInplaceMaskedFillTensor'], source: registered }),
  operator('torch.optim.AdamW', 'compute', 'optimiser', 'decomposed', [one('train.py', 'torch.optim.AdamW', '')], {
    overloads: ['aten::_foreach_addcdiv_', 'aten::_foreach_lerp_'],
    reason: 'The default loop launches a dozen small kernels for each parameter group.',
    workaround: 'torch_npu.optim.NpuFusedAdamW',
    source: registered,
  }),
  operator('torch.nn.utils.clip_grad_norm_', 'compute', 'reduction', 'fallback', [one('train.py', 'torch.nn.utils.clip_grad_norm_', '')], {
    overloads: ['aten::linalg_vector_norm'],
    reason: 'Per call: every gradient is copied to the host, the stream waits, and the norm runs on one CPU core.',
    workaround: 'Clip through the fused optimiser: NpuFusedAdamW.clip_grad_norm_fused_.',
    source: 'hand-checked, 2026-11-30',
  }),
  operator('rotate (CUDA kernel)', 'support', 'other', 'refused', [location(source.at('ops/rope/rotate.cu', 'rotate', 1), 'rotate'), location(source.at('ops/rope/rotate.cu', 'rotate<<<', 1), 'launch')], {
    reason: 'A CUDA kernel does not run on an NPU.',
    workaround: 'torch_npu.npu_rotary_mul computes the same; see https://www.hiascend.com/document for its layouts.',
    source: 'ops/rope/rotate.cu',
  }),
  operator('torch.Tensor.view', 'compute', 'other', 'unknown', [one('model.py', 'z.view', 'Attention.forward')]),
];

function finding(rule, title, category, severity, place, message, advice, more = {}) {
  return { rule, title, category, severity, certainty: 'certain', message, advice, ...place, excerpt: source.excerpt(place), ...more };
}

const findings = [
  finding('FH201', 'CUDA kernel', 'support', 'error', source.at('ops/rope/rotate.cu', '__global__ void rotate'), 'The CUDA kernel `rotate` does not run on an NPU; it is launched in line 13', 'Replace it by torch_npu.npu_rotary_mul, or by the four PyTorch operators it stands for.', { operator: 'rotate (CUDA kernel)', function: 'rotate' }),
  finding('FH501', 'NCCL backend', 'distributed', 'error', source.at('train.py', 'dist.init_process_group(backend=backend)'), 'Backend "nccl" (from line 11): HCCL is the backend on Ascend', 'Use backend="hccl"; the collectives themselves stay as they are.', { operator: 'torch.distributed.init_process_group' }),
  ...source.all('sample.py', '.cuda()').map((place) =>
    finding('FH101', 'Hard-coded CUDA call', 'device', 'error', place, '.cuda() needs a CUDA device', 'Use .npu(), or .to(device) with the device chosen in one place.', { operator: 'torch.Tensor.cuda', certainty: place.line === 5 ? 'certain' : 'likely' }),
  ),
  finding('FH101', 'Hard-coded CUDA call', 'device', 'error', source.at('train.py', 'torch.cuda.set_device(device)'), 'torch.cuda.set_device needs a CUDA device', 'Use torch.npu.set_device, or torch.accelerator.set_device_index.', { operator: 'torch.cuda.set_device' }),
  finding('FH104', 'TF32 flag', 'device', 'note', source.at('train.py', 'torch.backends.cuda.matmul.allow_tf32'), 'The TF32 flag of CUDA has no effect on an NPU', 'The like on Ascend is torch.npu.matmul.allow_hf32.', {}),
  finding('FH401', 'Gradient scaler for CUDA', 'precision', 'warning', source.at('train.py', 'torch.cuda.amp.GradScaler(enabled=True)'), 'GradScaler for CUDA; with bfloat16 autocast no scaling is needed', 'Use torch.amp.GradScaler("npu"), or none with bfloat16.', { operator: 'torch.cuda.amp.GradScaler' }),
  finding('FH402', 'Autocast for CUDA', 'precision', 'error', source.at('train.py', 'torch.amp.autocast(device_type="cuda", dtype=torch.bfloat16)'), 'autocast for device type "cuda" does nothing on an NPU: the step would run in float32', 'Use device_type="npu".', { operator: 'torch.amp.autocast' }),
  finding('FH403', 'Inference in float32', 'precision', 'note', source.at('sample.py', 'model.generate(start, 500, top_k=200)'), 'Inference runs in float32: Linear, LayerNorm and attention gain from half precision', 'Wrap it in torch.amp.autocast("npu", dtype=torch.float16), or load the weights in bfloat16.', { operator: 'torch.nn.Linear', certainty: 'likely' }),
  finding('FH301', 'Attention by hand', 'fusion', 'warning', { ...source.at('model.py', 'scores = (q @ k.transpose(-2, -1))'), end_line: 37, end_column: 45 }, 'softmax(QK)V by hand writes the T x T scores to memory three times', 'Take the scaled_dot_product_attention branch always; on Ascend it is one kernel in half precision.', { operator: 'torch.nn.functional.scaled_dot_product_attention', function: 'Attention.forward' }),
  finding('FH302', 'Linear + activation', 'fusion', 'note', source.at('model.py', 'self.gelu(self.up(self.ln_2(x)))'), 'Linear and GELU run as two kernels; fused, 6,144 bytes less traffic per token', 'torch.compile with the npu backend fuses them; by hand: torch_npu.npu_ffn.', { operator: 'torch.nn.GELU', function: 'Block.forward', certainty: 'likely' }),
  finding('FH305', 'Optimiser loop', 'fusion', 'warning', source.at('train.py', 'torch.optim.AdamW(model.parameters(), lr=6e-4)'), 'AdamW loops over the parameters', 'torch_npu.optim.NpuFusedAdamW updates all of them in one kernel.', { operator: 'torch.optim.AdamW' }),
  finding('FH202', 'CPU fallback', 'support', 'warning', source.at('train.py', 'torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)'), 'clip_grad_norm_ falls back to the CPU: two copies and a synchronisation each step', 'Use NpuFusedAdamW.clip_grad_norm_fused_.', { operator: 'torch.nn.utils.clip_grad_norm_' }),
  finding('FH502', 'Gradient accumulation without no_sync', 'distributed', 'warning', source.at('train.py', 'for micro in range(accumulate):'), 'Gradients are reduced in each of the 40 micro-steps; once would do', 'Run all but the last micro-step inside model.no_sync().', { certainty: 'likely' }),
  finding('FH503', 'Gradient buckets', 'distributed', 'note', source.at('train.py', 'DDP(model, device_ids=[int(os.environ["LOCAL_RANK"])])'), 'Gradients are reduced in float32', 'Register bf16_compress_hook to halve the bytes on the wire, and gradient_as_bucket_view=True to save a copy.', { operator: 'torch.nn.parallel.DistributedDataParallel' }),
  finding('FH601', 'Hidden synchronisation', 'host', 'warning', source.at('train.py', 'loss.item()'), '.item() makes the host wait for the device in every step', 'Print every 100th step, or keep a running loss on the device.', { operator: 'torch.Tensor.item' }),
  finding('FH602', 'Boolean index', 'host', 'warning', source.at('model.py', 'logits[logits < kth[:, [-1]]] = -float("inf")'), 'Writing through a boolean mask has a data-sized shape: the host waits, and a graph breaks', 'Use logits.masked_fill(logits < kth[:, [-1]], -float("inf")).', { function: 'GPT.generate' }),
  finding('FH701', 'Unpinned copies', 'memory', 'note', source.at('train.py', 'x.to(device), y.to(device)'), 'Host to device copies from pageable memory block', 'Pin the batches and pass non_blocking=True.', { function: 'batch', certainty: 'possible' }),
];

const chip = { name: 'Ascend910B3', fp16_tflops: 313, fp32_tflops: 83, memory_GBps: 1600, memory_GB: 64, ridge: 195.625, ridge_fp32: 51.875, ridge_int8: 391.25, ridge_vector: 11.25, source: 'facts/soc, 2026-11-30' };
const baseline = { name: 'A100-80G-SXM4', fp16_tflops: 312, fp32_tflops: 19.5, memory_GBps: 2039, memory_GB: 80, ridge: 153.0162, source: 'NVIDIA A100 data sheet' };

export function minigpt() {
  const report = {
    schema: 1,
    tool: { name: 'foothold', version: '0.1.0' },
    target: 'minigpt',
    targets: ['minigpt'],
    torch: '2.14.0',
    soc: chip.name,
    baseline: baseline.name,
    files: {
      scanned: 9,
      bytes: 18342,
      kinds: { python: 6, cuda: 1, markdown: 1, config: 1 },
      skipped: [{ path: 'data/train.bin', reason: 'binary' }],
      notes: [{ path: 'configurator.py', line: 20, message: 'exec() of a file that is not known: names it sets cannot be known' }],
    },
    operators,
    findings,
    profiling: {
      steps: [
        { file: 'train.py', line: 39, function: '', kind: 'training' },
        { file: 'sample.py', line: 8, function: '', kind: 'inference' },
      ],
      plan: [
        { title: 'Start small', text: 'Run 20 steps with batch_size 1 first: a wrong setting then costs a minute, not an hour.', language: 'shell', code: 'python train.py --batch_size=1 --max_iters=20 --compile=False\n' },
        { title: 'Watch the chip', text: 'In a second terminal. AI Core utilisation far below 100 % with a busy CPU means host-bound.', language: 'shell', code: '# once\nnpu-smi info\n# memory and utilisation of card 0\nnpu-smi info -t usages -i 0\n' },
        {
          title: 'Profile five steps',
          text: 'Around the training loop. The first steps compile and allocate: they are skipped.',
          language: 'python',
          file: 'train.py',
          line: 39,
          code: `import torch_npu

schedule = torch_npu.profiler.schedule(wait=1, warmup=4, active=5, repeat=1)
handler = torch_npu.profiler.tensorboard_trace_handler("./profile")
with torch_npu.profiler.profile(schedule=schedule, on_trace_ready=handler, record_shapes=True) as profiler:
    for step in range(600000):
        ...  # the body of the loop, unchanged
        profiler.step()
`,
        },
        { title: 'Time single operators', text: 'msprof writes one row per kernel; sort op_summary by total time.', language: 'shell', code: 'msprof --output=./msprof --application="python train.py --max_iters=20"\n' },
      ],
    },
    expected: {
      chip,
      baseline,
      host: { fp32_tflops: 1, memory_GBps: 100 },
      classes: [
        { class: 'matmul', count: 7, share: 0.71, bound: 'compute', low: 0.8, high: 1.0, intensity: { low: 0.9982668977469671, high: 576, per: 'token', turns_at: 297, turns_at_fp32: 127, sized: 4, formula: 'B F / (2 (W + B A)) FLOP per byte for a batch of B, from the sizes that stand in the text' }, reason: 'Same FP16 peak; shapes with n_embd 768 fill 24 of 32 cube tiles.' },
        { class: 'attention', count: 1, share: 0.12, bound: 'compute', low: 0.6, high: 0.95, reason: 'One fused kernel in half precision.' },
        { class: 'normalisation', count: 3, share: 0.05, bound: 'memory', low: 0.75, high: 0.8, reason: '1,600 against 2,039 GB/s.' },
        { class: 'activation', count: 3, share: 0.04, bound: 'memory', low: 0.75, high: 0.8, reason: '1,600 against 2,039 GB/s.' },
        { class: 'optimiser', count: 1, share: 0.03, bound: 'host', low: 0.3, high: 0.9, reason: 'A loop of small launches; the fused optimiser removes it.' },
        { class: 'reduction', count: 2, share: 0.02, bound: 'host', low: 0.05, high: 0.3, reason: 'clip_grad_norm_ runs on the CPU.' },
        { class: 'collective', count: 1, share: 0.03, bound: 'communication', low: 0.4, high: 0.7, reason: 'HCCS moves 196 GB/s each way, NVLink 300.' },
      ],
      priorities: [
        { rank: 1, rule: 'FH402', title: 'Autocast for npu', reason: 'Without it every matrix product runs in FP32, at a quarter of the peak.', count: 1 },
        { rank: 2, rule: 'FH202', title: 'Clip gradients on the device', reason: 'The only fallback in the step: two copies and a wait, each step.', count: 1 },
        { rank: 3, rule: 'FH502', title: 'Reduce gradients once per step', reason: '39 of 40 reductions are unneeded.', count: 1 },
        { rank: 4, rule: 'FH601', title: 'Do not wait for the loss', reason: 'The host then runs ahead of the device.', count: 1 },
        { rank: 5, rule: 'FH305', title: 'Fused AdamW', reason: 'A dozen launches per parameter become one.', count: 1 },
      ],
      range: { low: 0.6, high: 0.95, reason: 'After the errors are fixed and with bfloat16 autocast: matrix products at 0.8 to 1.0 × and memory-bound parts at 0.75 × of the A100, weighted by FLOPs.' },
      unknown: [
        'Batch size and sequence length at run time: they decide whether matrix products fill the chip.',
        'How long data loading takes.',
        'How many chips take part, and how they are linked.',
      ],
    },
    summary: {},
  };
  report.summary = summarise(report);
  return report;
}
