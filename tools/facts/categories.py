"""The kind of work that a public API does, by name; first matching row wins.

Patterns are matched against the last part of the name (trailing `_` of in-place forms removed,
case kept) after the place has decided: torch.optim and torch.distributed speak for themselves.
"""

import re

HEAVY = {"matmul", "convolution", "attention", "normalisation", "activation", "embedding",
         "recurrent", "loss", "reduction", "optimiser"}

# Files below torch/nn/modules, as aliases of the canonical names show them.
MODULE_FILES = {
    "activation": "activation", "adaptive": "loss", "batchnorm": "normalisation",
    "channelshuffle": "shape", "conv": "convolution", "distance": "reduction", "dropout": "random",
    "flatten": "shape", "fold": "shape", "instancenorm": "normalisation", "linear": "matmul",
    "loss": "loss", "normalization": "normalisation", "padding": "shape", "pixelshuffle": "shape",
    "pooling": "pooling", "rnn": "recurrent", "sparse": "embedding", "transformer": "attention",
    "upsampling": "indexing",
}

ACTIVATIONS = """relu relu6 gelu silu mish elu selu celu leaky_relu prelu rrelu hardtanh hardswish
hardsigmoid hardshrink softshrink tanhshrink softplus softsign softmin softmax log_softmax
logsigmoid glu threshold sigmoid tanh gumbel_softmax expit log_ndtr""".split()
MATMULS = """mm bmm matmul addmm addmv addbmm baddbmm addr mv dot vdot inner outer ger einsum
tensordot chain_matmul multi_dot linear bilinear kron vecdot matrix_power __matmul__ __rmatmul__ sspaddmm
smm hspmm scaled_mm grouped_mm scaled_grouped_mm matrix_exp householder_product""".split()
REDUCTIONS = """sum mean prod max min amax amin argmax argmin all any std var std_mean var_mean
median nanmedian nansum nanmean mode norm vector_norm matrix_norm logsumexp count_nonzero aminmax cumsum
cumprod cummax cummin logcumsumexp dist cdist pdist histc histogram histogramdd bincount kthvalue
quantile nanquantile unique unique_consecutive cosine_similarity pairwise_distance trace renorm
softmax_reduce corrcoef cov trapezoid trapz cumulative_trapezoid normalize sum_to_size nuclear_norm
frobenius_norm""".split()
INDEXING = """gather scatter scatter_add scatter_reduce index_select index_add index_copy index_fill
index_put index_reduce masked_select masked_fill masked_scatter take take_along_dim nonzero where
argwhere topk sort argsort msort searchsorted bucketize select_scatter slice_scatter
diagonal_scatter put __getitem__ __setitem__ isin grid_sample interpolate upsample upsample_nearest
upsample_bilinear affine_grid select narrow diagonal select_copy narrow_copy nonzero_static
unravel_index masked_scatter_backward as_strided_scatter""".split()
CREATION = """zeros ones full empty arange range linspace logspace eye tensor as_tensor from_numpy
zeros_like ones_like full_like empty_like empty_strided new_zeros new_ones new_full new_empty
new_tensor new_empty_strided tril_indices triu_indices scalar_tensor complex polar asarray
frombuffer hann_window hamming_window blackman_window kaiser_window bartlett_window vander from_file
sparse_coo_tensor sparse_csr_tensor clone one_hot meshgrid cartesian_prod combinations zero fill
empty_permuted from_dlpack block_diag diag_embed fill_diagonal sparse_compressed_tensor""".split()
RANDOM = """rand randn randint randperm rand_like randn_like randint_like normal uniform bernoulli
multinomial dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout poisson
exponential cauchy geometric log_normal random binomial manual_seed seed initial_seed get_rng_state
set_rng_state feature_dropout""".split()
SHAPE = """view reshape transpose permute t T mT H mH flatten unflatten squeeze unsqueeze expand
expand_as repeat repeat_interleave tile cat concat concatenate stack hstack vstack dstack
column_stack row_stack split chunk tensor_split hsplit vsplit dsplit unbind movedim moveaxis
swapaxes swapdims flip fliplr flipud roll rot90 contiguous pad pixel_shuffle pixel_unshuffle
channel_shuffle fold unfold broadcast_to broadcast_tensors view_as reshape_as atleast_1d atleast_2d
atleast_3d ravel narrow as_strided unsafe_chunk unsafe_split view_as_real view_as_complex adjoint
resize resize_as tril triu diag diagflat native_channel_shuffle split_with_sizes
unsafe_split_with_sizes diff align_to align_as rename refine_names to_padded_tensor""".split()
ATTENTION = "scaled_dot_product_attention|multi_head_attention_forward|flex_attention|varlen_attn"
LOSSES = r".*_loss(_with_logits)?|cross_entropy|binary_cross_entropy.*|kl_div|.*entropy_with_logits"
COLLECTIVES = """all_reduce all_gather all_gather_into_tensor all_gather_object all_to_all
all_to_all_single barrier broadcast broadcast_object_list gather gather_object reduce
reduce_scatter reduce_scatter_tensor scatter scatter_object_list send recv isend irecv
batch_isend_irecv monitored_barrier send_object_list recv_object_list all_reduce_coalesced
all_gather_coalesced all_gather_tensor all_gather_tensor_autograd reduce_scatter_tensor_autograd
all_to_all_single_autograd reduce_scatter_tensor_coalesced all_gather_into_tensor_coalesced
permute_tensor wait_tensor""".split()

BY_NAME = [("activation", ACTIVATIONS), ("matmul", MATMULS), ("reduction", REDUCTIONS),
           ("indexing", INDEXING), ("random", RANDOM), ("creation", CREATION), ("shape", SHAPE)]
BY_PATTERN = [
    ("attention", ATTENTION), ("loss", LOSSES), ("convolution", r"conv(_transpose|_tbc)?[123]?d?"),
    ("pooling", r".*(max|avg|lp)_(un)?pool[123]d.*"), ("embedding", r"embedding(_bag)?"),
    ("normalisation", r"(batch|layer|group|instance|rms|local_response|weight|spectral)_norm"
                      r"|(batch|layer|group|instance)_norm_.*"),
    ("recurrent", r"(lstm|gru|rnn_tanh|rnn_relu)(_cell)?"),
]


def category(api, kind, files, tags):
    """`files`: torch.nn.modules files among the aliases; `tags`: tags of the overloads of it."""
    parent, _, last = api.rpartition(".")
    name = last[:-1] if last.endswith("_") and not last.startswith("__") else last
    for file in files:
        if kind == "class" and file in MODULE_FILES and parent.startswith("torch.nn"):
            return {"MultiheadAttention": "attention", "Identity": "other",
                    "Embedding": "embedding"}.get(last, MODULE_FILES[file])
    if parent == "torch.optim":
        return "optimiser" if kind == "class" and last != "Optimizer" else "other"
    if parent.startswith("torch.distributed"):
        return "collective" if name in COLLECTIVES and kind == "function" else "other"
    if parent in ("torch.nn.init",) or parent.startswith("torch.distributions"):
        return "random" if kind == "function" else "other"
    if kind in ("module", "attribute", "class") or not computes(parent):
        return "other"
    for value, names in BY_NAME:
        if name in names:
            return value
    for value, pattern in BY_PATTERN:
        if re.fullmatch(pattern, name):
            return value
    return "elementwise" if "pointwise" in tags else "other"


def computes(parent):
    return parent in ("torch", "torch.Tensor", "torch.nn.functional", "torch.linalg",
                      "torch.special", "torch.fft", "torch.sparse", "torch.masked",
                      "torch.nn.attention.flex_attention", "torch.nn.attention.varlen",
                      "torch.nested")


def is_heavy(api, kind, value):
    """Counts as computation-intensive: the classes of HEAVY, torch.linalg and transforms."""
    parent = api.rpartition(".")[0]
    if kind in ("module", "attribute", "property"):
        return False
    if parent == "torch.fft":
        return not api.endswith(("freq", "shift"))
    return value in HEAVY or (parent == "torch.linalg" and kind == "function")
