"""Which names the tables hold, by kind. Names outside these families are not judged."""

# torch.nn classes that hold other modules or nothing; they are no operators.
CONTAINERS = {
    "Module", "ModuleList", "ModuleDict", "Sequential", "Parameter", "ParameterList",
    "ParameterDict", "Identity", "DataParallel", "Buffer", "UninitializedParameter", "Flatten",
    "Unflatten",
}
# Functions under torch that are matrix products, attention parts or convolutions.
FUNCTIONS = {
    "matmul", "mm", "bmm", "addmm", "baddbmm", "einsum", "softmax", "log_softmax", "conv1d",
    "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid",
    "relu", "embedding", "layer_norm", "batch_norm", "group_norm", "bilinear", "nonzero",
}
# Methods taken for tensor (or module) methods by their name alone; each such row was read.
METHODS = {
    "cuda": "device", "to": "device", "softmax": "operator", "log_softmax": "operator",
    "matmul": "operator", "bmm": "operator", "mm": "operator", "addmm": "operator",
    "baddbmm": "operator", "sigmoid": "operator", "relu": "operator", "item": "host_sync",
    "cpu": "host_sync", "tolist": "host_sync", "nonzero": "operator", "numpy": "host_sync",
    "half": "precision", "bfloat16": "precision",
}
# Methods that copy to the host, or wait for it.
COPIES = {"item", "cpu", "tolist", "nonzero", "numpy"}
# Packages that bring operators of their own, or run a model in a way that a port must know.
OPERATOR_PACKAGES = {
    "flash_attn", "flash_attn_interface", "xformers", "apex", "bitsandbytes", "deepspeed",
    "transformer_engine", "mmcv", "flashinfer", "causal_conv1d", "mamba_ssm", "fused_dense_lib",
    "flash_attn_2_cuda", "selective_scan_cuda", "swin_window_process", "tutel", "fairscale",
    "triton_kernels", "cupy", "tensorrt", "MultiScaleDeformableAttention", "fused_layer_norm_cuda",
    "torch_xla", "horovod", "quack",
}
# Extensions that a repository builds itself: told by its own kernels, not by this import.
OWN = {"MultiScaleDeformableAttention", "selective_scan_cuda", "swin_window_process",
       "fused_dense_lib", "flash_attn_2_cuda", "fused_layer_norm_cuda", "quack", "horovod",
       "torch_xla", "cupy", "tensorrt"}
# Names of torch.nn that repositories like to give to classes of their own.
BORROWED = {
    "Linear", "LayerNorm", "RMSNorm", "GroupNorm", "BatchNorm2d", "GELU", "SiLU", "ReLU", "Softmax",
    "Dropout", "Embedding", "MultiheadAttention", "Conv1d", "Conv2d", "Transformer",
    "TransformerEncoderLayer", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerDecoder", "CrossEntropyLoss", "Sigmoid", "Tanh", "Hardswish", "Upsample",
}
# What a port to another backend must know of torch.distributed; the rest (ranks, sizes, state,
# policies) may be listed or not.
COLLECTIVES = {
    "init_process_group", "new_group", "all_reduce", "all_gather", "all_gather_into_tensor",
    "all_gather_object", "all_to_all", "all_to_all_single", "reduce", "reduce_scatter",
    "reduce_scatter_tensor", "broadcast", "broadcast_object_list", "scatter", "gather",
    "gather_object", "send", "recv", "isend", "irecv", "barrier", "batch_isend_irecv",
    "monitored_barrier", "FullyShardedDataParallel", "fully_shard", "DistributedDataParallel",
    "DataParallel", "ZeroRedundancyOptimizer", "init_device_mesh", "parallelize_module",
    "init_rpc", "convert_sync_batchnorm",
}


VISION_KERNELS = {
    "nms", "batched_nms", "roi_align", "roi_pool", "ps_roi_align", "ps_roi_pool", "RoIAlign",
    "RoIPool", "PSRoIAlign", "PSRoIPool", "MultiScaleRoIAlign", "deform_conv2d", "DeformConv2d",
}


def optional(name):
    """Whether a judged name need not be in a report."""
    last = name.split(".")[-1]
    if name.startswith("torchvision.ops."):
        return last not in VISION_KERNELS
    return (kind_of(name) == "distributed" and last not in COLLECTIVES) or \
        name.startswith(("torch.backends.mps", "torch.backends.opt_einsum", "torch.backends.mkl",
                         "torch.distributed.autograd.",
                         "torch.distributed.checkpoint.")) or \
        name in ("torch.is_autocast_enabled", "torch.set_autocast_enabled")


LOSS_FREE = {"Optimizer", "optimizer", "lr_scheduler", "swa_utils"}


def kind_of(name):
    """The kind of a canonical dotted name, or None where the tables do not judge it."""
    parts = name.split(".")
    if name.startswith("torchvision.ops."):
        return "thirdparty"
    if parts[0] != "torch":
        return "thirdparty" if parts[0] in OPERATOR_PACKAGES and len(parts) > 1 else None
    if name.startswith(("torch.cuda.amp.", "torch.amp.")) or name in (
            "torch.autocast", "torch.cpu.amp.autocast", "torch.is_autocast_enabled",
            "torch.get_autocast_gpu_dtype", "torch.set_autocast_enabled",
            "torch.set_float32_matmul_precision"):
        return "precision"
    if name.startswith(("torch.cuda.", "torch.backends.")):
        return "device"
    if parts[1:2] == ["distributed"] or name in (
            "torch.nn.parallel.DistributedDataParallel", "torch.nn.DataParallel",
            "torch.nn.parallel.DataParallel", "torch.nn.SyncBatchNorm.convert_sync_batchnorm"):
        return "distributed"
    if name in ("torch.utils.cpp_extension.CUDAExtension", "torch.utils.cpp_extension.load",
                "torch.utils.cpp_extension.CppExtension", "torch.ops.load_library",
                "torch.utils.cpp_extension.load_inline"):
        return "extension"
    if parts[1] == "nn" and len(parts) == 3 and parts[2][:1].isupper():
        return None if parts[2] in CONTAINERS else "operator"
    if name.startswith("torch.nn.functional.") and len(parts) == 4:
        return "operator"
    if parts[1] == "optim" and len(parts) == 3 and parts[2] not in LOSS_FREE:
        return "operator" if parts[2][0].isupper() else None
    if len(parts) == 2 and parts[1] in FUNCTIONS:
        return "operator"
    return None
