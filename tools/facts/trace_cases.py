"""Names and cases that torch's own sample inputs do not give."""

import functools

import torch

from tables import EXTRACTS, NONE, read_table


def resolve(path):
    """The object at a dotted path below torch, or None."""
    value = torch
    for part in path.split(".")[1:]:
        value = getattr(value, part, None)
        if value is None:
            return None
    return value


@functools.cache
def canonical_names():
    """{id of an object: its canonical public name}, from torch-api.tsv."""
    found = {}
    for row in read_table(EXTRACTS / "torch-api.tsv")[1]:
        if row["kind"] in ("function", "class"):
            found[id(resolve(row["api"]))] = row["api"]
            if row["aliases"] != NONE:
                for alias in row["aliases"].split(","):
                    found.setdefault(id(resolve(alias)), row["api"])
    found.pop(id(None), None)
    return found


def tensor(*shape, grad=True):
    value = torch.randn(shape).to("npu")
    return value.requires_grad_() if grad else value


def integers(high, *shape):
    return torch.randint(0, high, shape).to("npu")


def method(name, *args, shape=(4, 6), grad=True, **kwargs):
    def make():
        source = tensor(*shape, grad=grad)
        target = source.clone() if name.endswith("_") else source
        return lambda: getattr(target, name)(*args, **kwargs), source
    return "torch.Tensor." + name, make


def function(name, *makers, **kwargs):
    def make():
        args = [m() if callable(m) else m for m in makers]
        return lambda: resolve(name)(*args, **kwargs), args
    return name, make


def module(name, build, *makers):
    def make():
        layer = build().to("npu")
        args = [m() for m in makers]
        return lambda: layer(*args), (args, list(layer.parameters()))
    return name, make



def checkpointed():
    layer = torch.nn.Linear(6, 6).to("npu")
    source = tensor(4, 6)
    from torch.utils.checkpoint import checkpoint
    return (lambda: checkpoint(lambda x: torch.relu(layer(x)), source, use_reentrant=False),
            (source, list(layer.parameters())))


def parameters_with_grads():
    params = [torch.nn.Parameter(torch.randn(4, 3).to("npu")) for _ in range(3)]
    for param in params:
        param.grad = torch.randn(4, 3).to("npu")
    return params


def clip_norm():
    params = parameters_with_grads()
    return lambda: torch.nn.utils.clip_grad_norm_(params, 1.0), ()


def clip_value():
    params = parameters_with_grads()
    return lambda: torch.nn.utils.clip_grad_value_(params, 0.1), ()


def scaler_step(which):
    def make():
        params = parameters_with_grads()
        optimizer = torch.optim.SGD(params, lr=0.1)
        scaler = torch.amp.GradScaler("npu", init_scale=2.0)
        scaler.scale(torch.ones((), device="npu"))
        calls = {"unscale_": lambda: scaler.unscale_(optimizer),
                 "step": lambda: scaler.step(optimizer),
                 "update": lambda: (scaler.step(optimizer), scaler.update())[1],
                 "scale": lambda: scaler.scale(torch.ones((), device="npu"))}
        return calls[which], ()
    return "torch.amp.GradScaler." + which, make


def zero_grad():
    params = parameters_with_grads()
    optimizer = torch.optim.SGD(params, lr=0.1)
    return lambda: optimizer.zero_grad(set_to_none=False), ()


def attribute(name, shape=(4, 6)):
    def make():
        source = tensor(*shape, grad=False)
        return lambda: getattr(source, name), source
    return "torch.Tensor." + name, make


def moved(name):
    """Onto the device: what .cuda() becomes, and modules with it."""
    def make():
        if name.startswith("torch.nn.Module"):
            layer = torch.nn.Linear(3, 3)
            return lambda: layer.to("npu"), tensor(1)
        source = torch.randn(4, 6)
        return lambda: source.to("npu"), tensor(1)
    return name, make


def total_norm():
    grads = [p.grad for p in parameters_with_grads()]
    return lambda: torch.nn.utils.get_total_norm(grads), grads


def flat_parameters():
    params = parameters_with_grads()
    return lambda: torch.nn.utils.parameters_to_vector(params), params


def normalized_layer(name, wrap):
    def make():
        layer = wrap(torch.nn.Linear(6, 3)).to("npu")
        source = tensor(4, 6)
        return lambda: layer(source), (source, list(layer.parameters()))
    return name, make


def average_model():
    model = torch.nn.Linear(3, 3).to("npu")
    averaged = torch.optim.swa_utils.AveragedModel(model)
    averaged.update_parameters(model)
    return lambda: averaged.update_parameters(model), ()


def new(name, *args, **kwargs):
    return method(name, *args, grad=False, **kwargs)


def create(name, *args, **kwargs):
    def make():
        return lambda: resolve(name)(*args, device="npu", **kwargs), ()
    return name, make


def init(name, *args, shape=(6, 4)):
    def make():
        target = tensor(*shape, grad=False)
        return lambda: resolve("torch.nn.init." + name)(target, *args), ()
    return "torch.nn.init." + name, make


def packed(which):
    def make():
        source = tensor(5, 2, 6)
        lengths = torch.tensor([5, 3])
        rnn = torch.nn.utils.rnn
        if which == "pack_padded_sequence":
            return lambda: rnn.pack_padded_sequence(source, lengths).data, source
        sequence = rnn.pack_padded_sequence(source, lengths)
        return lambda: rnn.pad_packed_sequence(sequence), source
    return "torch.nn.utils.rnn." + which, make


SQUARE = lambda: tensor(4, 4)
MATRIX = lambda: tensor(4, 6)
BATCH = lambda: tensor(2, 4, 6)
QUERY = lambda: tensor(2, 2, 8, 4)
IMAGE = lambda: tensor(2, 3, 8, 8)

HAND = [
    method("cpu"), method("to", "cpu"), method("to", torch.float16),
    method("type_as", torch.ones(1)),
    method("item", shape=()), method("tolist", grad=False), method("half"), method("bfloat16"),
    method("double"), method("float"), method("long", grad=False), method("int", grad=False),
    method("bool", grad=False), method("contiguous"), method("detach"), method("clone"),
    method("numel"), method("size"), method("dim"), method("requires_grad_"), method("zero_"),
    method("fill_", 1.0), method("normal_"), method("uniform_"), method("random_", grad=False),
    method("masked_fill_", torch.ones(4, 6, dtype=torch.bool), 0.0),
    method("backward", shape=()), method("view", 24), method("reshape", 24), method("flatten"),
    method("transpose", 0, 1), method("permute", 1, 0), method("t"), method("expand", 2, 4, 6),
    method("repeat", 2, 1), method("__getitem__", 0), method("__getitem__", (slice(None), 0)),
    method("chunk", 2), method("split", 2), method("unbind"), method("unsqueeze", 0),
    method("squeeze"), method("select", 0, 1), method("narrow", 0, 0, 2), method("new_zeros", 3),
    new("new_ones", 3), new("new_full", (3,), 1.0), new("new_empty", 3), new("new_tensor", [1.0]),
    method("data_ptr"), method("is_contiguous"), method("record_stream", None, grad=False),
    method("__matmul__", torch.ones(6, 2)), method("nonzero", grad=False),
    method("masked_select", torch.ones(4, 6, dtype=torch.bool)),
    create("torch.zeros", 3, 4), create("torch.ones", 3, 4), create("torch.full", (3,), 1.0),
    create("torch.empty", 3), create("torch.rand", 3), create("torch.randn", 3),
    create("torch.randint", 0, 5, (3,)), create("torch.randperm", 5), create("torch.arange", 5),
    create("torch.linspace", 0, 1, 5), create("torch.logspace", 0, 1, 5), create("torch.eye", 3),
    create("torch.tensor", [1.0, 2.0]), create("torch.normal", 0.0, 1.0, (3,)),
    create("torch.tril_indices", 3, 3), create("torch.triu_indices", 3, 3),
    create("torch.hann_window", 8), create("torch.hamming_window", 8),
    create("torch.blackman_window", 8), create("torch.kaiser_window", 8),
    create("torch.as_tensor", [1.0]), create("torch.scalar_tensor", 1.0),
    function("torch.nn.functional.scaled_dot_product_attention", QUERY, QUERY, QUERY),
    function("torch.nn.functional.scaled_dot_product_attention", QUERY, QUERY, QUERY,
             is_causal=True),
    function("torch.nn.functional.linear", MATRIX, lambda: tensor(3, 6)),
    function("torch.nn.functional.dropout", MATRIX),
    function("torch.nn.functional.one_hot", lambda: integers(3, 4)),
    function("torch.nn.functional.interpolate", IMAGE, scale_factor=2),
    function("torch.nn.functional.interpolate", IMAGE, scale_factor=2.0, mode="bilinear"),
    function("torch.nn.functional.interpolate", IMAGE, scale_factor=2.0, mode="bicubic"),
    function("torch.nn.functional.interpolate", IMAGE, scale_factor=2.0, mode="area"),
    function("torch.nn.functional.normalize", MATRIX),
    function("torch.nn.functional.cosine_similarity", MATRIX, MATRIX),
    function("torch.einsum", "ij,jk->ik", MATRIX, lambda: tensor(6, 3)),
    function("torch.nn.functional.pixel_unshuffle", IMAGE, 2),
    function("torch.nn.functional.affine_grid", lambda: tensor(2, 2, 3), (2, 3, 4, 4)),
    function("torch.nn.functional.glu", MATRIX),
    function("torch.nn.functional.gumbel_softmax", MATRIX),
    function("torch.nn.functional.embedding", lambda: integers(5, 3), lambda: tensor(5, 4)),
    function("torch.nn.functional.embedding_bag", lambda: integers(5, 3, 2),
             lambda: tensor(5, 4)),
    ("torch.utils.checkpoint.checkpoint", checkpointed),
    ("torch.nn.utils.clip_grad_norm_", clip_norm), ("torch.nn.utils.clip_grad_value_", clip_value),
    scaler_step("unscale_"), scaler_step("step"), scaler_step("update"), scaler_step("scale"),
    ("torch.optim.Optimizer.zero_grad", zero_grad),
    ("torch.optim.swa_utils.AveragedModel.update_parameters", average_model),
    packed("pack_padded_sequence"), packed("pad_packed_sequence"),
    init("xavier_uniform_"), init("xavier_normal_"), init("kaiming_uniform_"),
    init("kaiming_normal_"), init("normal_"), init("uniform_"), init("constant_", 0.5),
    init("ones_"), init("zeros_"), init("eye_"), init("orthogonal_"), init("trunc_normal_"),
    init("sparse_", 0.5), init("dirac_", shape=(4, 4, 3)),
    module("torch.nn.Transformer",
           lambda: torch.nn.Transformer(8, 2, 1, 1, 16, batch_first=True),
           lambda: tensor(2, 3, 8), lambda: tensor(2, 3, 8)),
    module("torch.nn.RMSNorm", lambda: torch.nn.RMSNorm(6), MATRIX),
    module("torch.nn.EmbeddingBag", lambda: torch.nn.EmbeddingBag(5, 4),
           lambda: integers(5, 3, 2)),
    module("torch.nn.AdaptiveLogSoftmaxWithLoss",
           lambda: torch.nn.AdaptiveLogSoftmaxWithLoss(6, 10, [4]), MATRIX,
           lambda: integers(10, 4)),
    module("torch.nn.Identity", torch.nn.Identity, MATRIX),
    module("torch.nn.Flatten", torch.nn.Flatten, IMAGE),
    module("torch.nn.Dropout", torch.nn.Dropout, MATRIX),
    module("torch.nn.Dropout1d", torch.nn.Dropout1d, BATCH),
    module("torch.nn.Dropout2d", torch.nn.Dropout2d, IMAGE),
    module("torch.nn.Dropout3d", torch.nn.Dropout3d, lambda: tensor(2, 3, 2, 4, 4)),
    module("torch.nn.AlphaDropout", torch.nn.AlphaDropout, MATRIX),
    module("torch.nn.FeatureAlphaDropout", torch.nn.FeatureAlphaDropout, IMAGE),
    module("torch.nn.Upsample", lambda: torch.nn.Upsample(scale_factor=2), IMAGE),
    module("torch.nn.UpsamplingNearest2d", lambda: torch.nn.UpsamplingNearest2d(scale_factor=2),
           IMAGE),
    module("torch.nn.UpsamplingBilinear2d",
           lambda: torch.nn.UpsamplingBilinear2d(scale_factor=2), IMAGE),
    module("torch.nn.PixelShuffle", lambda: torch.nn.PixelShuffle(2), lambda: tensor(2, 4, 3, 3)),
    module("torch.nn.PixelUnshuffle", lambda: torch.nn.PixelUnshuffle(2), IMAGE),
    module("torch.nn.ChannelShuffle", lambda: torch.nn.ChannelShuffle(3), IMAGE),
    module("torch.nn.Unfold", lambda: torch.nn.Unfold(2), IMAGE),
    module("torch.nn.Fold", lambda: torch.nn.Fold((4, 4), 2), lambda: tensor(2, 12, 9)),
    module("torch.nn.CosineSimilarity", torch.nn.CosineSimilarity, MATRIX, MATRIX),
    module("torch.nn.PairwiseDistance", torch.nn.PairwiseDistance, MATRIX, MATRIX),
    module("torch.nn.MaxUnpool2d", lambda: torch.nn.MaxUnpool2d(2), lambda: tensor(1, 1, 2, 2),
           lambda: torch.arange(4).reshape(1, 1, 2, 2).to("npu")),
    *(attribute(n) for n in """mT mH shape dtype device is_cuda is_cpu is_leaf is_sparse is_meta
      is_quantized layout nbytes itemsize ndim grad grad_fn requires_grad data real""".split()),
    attribute("T", (4, 6)), attribute("H", (4, 6)),
    *(method(n) for n in """element_size nelement ndimension stride storage_offset is_pinned
      untyped_storage get_device is_floating_point is_complex is_signed is_inference is_conj is_neg
      detach_ retain_grad relu relu_ hardshrink type""".split()),
    method("numpy", grad=False), method("pin_memory", grad=False), method("is_nonzero", shape=()),
    method("copy_", torch.ones(4, 6), grad=False), method("bernoulli_", grad=False),
    method("fill_diagonal_", 1.0, grad=False), method("prelu", torch.ones(1)),
    method("__setitem__", 0, 1.0, grad=False), method("__len__"), method("__bool__", shape=()),
    moved("torch.Tensor.cuda"), moved("torch.nn.Module.cuda"), moved("torch.nn.Module.to"),
    *(function("torch." + n, MATRIX) for n in "relu selu celu rrelu detach numel".split()),
    function("torch.threshold", MATRIX, 0.1, 0.0), function("torch.dropout", MATRIX, 0.5, True),
    function("torch.embedding", lambda: tensor(5, 4), lambda: integers(5, 3)),
    function("torch.poisson", lambda: tensor(4, 6, grad=False).abs_()),
    function("torch.batch_norm", IMAGE, None, None, None, None, True, 0.1, 1e-5, False),
    function("torch.instance_norm", IMAGE, None, None, None, None, True, 0.1, 1e-5, False),
    function("torch.max_pool2d", IMAGE, 2), function("torch.chain_matmul", SQUARE, SQUARE),
    function("torch.kl_div", MATRIX, MATRIX), function("torch.native_dropout", MATRIX, 0.5, True),
    function("torch.grid_sampler", IMAGE, lambda: tensor(2, 4, 4, 2), 0, 0, False),
    function("torch.vander", lambda: tensor(4, grad=False)),
    *(function(f"torch.nn.functional.adaptive_max_pool{d}d_with_indices", lambda d=d: tensor(
        *(2, 3) + (8,) * d), 2) for d in (1, 2, 3)),
    *(function(f"torch.nn.functional.max_pool{d}d_with_indices", lambda d=d: tensor(
        *(2, 3) + (8,) * d), 2) for d in (1, 2, 3)),
    *(function(f"torch.nn.functional.lp_pool{d}d", lambda d=d: tensor(*(2, 3) + (8,) * d), 2, 2)
      for d in (1, 2, 3)),
    function("torch.nn.functional.fractional_max_pool2d_with_indices", IMAGE, 2, 4),
    function("torch.nn.functional.fold", lambda: tensor(2, 12, 9), (4, 4), 2),
    function("torch.nn.functional.upsample", IMAGE, scale_factor=2),
    function("torch.nn.functional.dropout1d", BATCH),
    function("torch.nn.functional.native_channel_shuffle", IMAGE, 3),
    *(function(f"torch.nn.functional.{n}_", lambda: tensor(4, 6, grad=False)) for n in
      "relu elu selu celu leaky_relu hardtanh rrelu".split()),
    ("torch.nn.utils.get_total_norm", total_norm),
    ("torch.nn.utils.parameters_to_vector", flat_parameters),
    normalized_layer("torch.nn.utils.weight_norm", torch.nn.utils.weight_norm),
    normalized_layer("torch.nn.utils.spectral_norm", torch.nn.utils.spectral_norm),
    normalized_layer("torch.nn.utils.parametrizations.weight_norm",
                     torch.nn.utils.parametrizations.weight_norm),
    normalized_layer("torch.nn.utils.parametrizations.spectral_norm",
                     torch.nn.utils.parametrizations.spectral_norm),
    module("torch.nn.Hardsigmoid", torch.nn.Hardsigmoid, MATRIX),
    module("torch.nn.RReLU", torch.nn.RReLU, MATRIX),
    module("torch.nn.CrossMapLRN2d", lambda: torch.nn.CrossMapLRN2d(2), IMAGE),
    module("torch.nn.FractionalMaxPool2d",
           lambda: torch.nn.FractionalMaxPool2d(2, output_size=4), IMAGE),
    module("torch.nn.FractionalMaxPool3d",
           lambda: torch.nn.FractionalMaxPool3d(2, output_size=4), lambda: tensor(2, 3, 8, 8, 8)),
    module("torch.nn.MaxUnpool1d", lambda: torch.nn.MaxUnpool1d(2), lambda: tensor(1, 1, 2),
           lambda: torch.tensor([[[0, 2]]]).to("npu")),
    module("torch.nn.MaxUnpool3d", lambda: torch.nn.MaxUnpool3d(2), lambda: tensor(1, 1, 1, 1, 1),
           lambda: torch.zeros(1, 1, 1, 1, 1, dtype=torch.long).to("npu")),
    module("torch.nn.TripletMarginLoss", torch.nn.TripletMarginLoss, MATRIX, MATRIX, MATRIX),
    module("torch.nn.TripletMarginWithDistanceLoss", torch.nn.TripletMarginWithDistanceLoss,
           MATRIX, MATRIX, MATRIX),
    module("torch.nn.NLLLoss2d", torch.nn.NLLLoss, IMAGE, lambda: integers(3, 2, 8, 8)),
    module("torch.nn.Unflatten", lambda: torch.nn.Unflatten(1, (2, 3)), MATRIX),
    module("torch.nn.TransformerDecoder", lambda: torch.nn.TransformerDecoder(
        torch.nn.TransformerDecoderLayer(8, 2, 16, batch_first=True), 1),
        lambda: tensor(2, 3, 8), lambda: tensor(2, 3, 8)),
]
