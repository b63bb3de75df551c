"""The functions of `torch.nn.functional`: single ops of the spec, and functions composed of them."""

from importlib import import_module as _import_module
from typing import Any as _Any

from ...generated.ops import (
    adaptive_avg_pool1d,
    avg_pool1d,
    bilinear,
    celu_,
    channel_shuffle,
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
    cosine_embedding_loss,
    cosine_similarity,
    ctc_loss,
    elu_,
    embedding_bag,
    gaussian_nll_loss,
    gelu,
    glu,
    hardshrink,
    hardtanh_,
    hinge_embedding_loss,
    huber_loss,
    kl_div,
    l1_loss,
    leaky_relu_,
    linear,
    logsigmoid,
    lp_pool1d,
    lp_pool2d,
    lp_pool3d,
    margin_ranking_loss,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    normalize,
    pairwise_distance,
    pdist,
    pixel_shuffle,
    pixel_unshuffle,
    poisson_nll_loss,
    prelu,
    relu_,
    selu_,
    smooth_l1_loss,
    soft_margin_loss,
    softplus,
    softshrink,
    softsign,
    tanhshrink,
    threshold_,
    triplet_margin_loss,
)
from .activation import (
    celu,
    elu,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    mish,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    tanh,
    threshold,
)
from .attention.multihead import multi_head_attention_forward
from .attention.scaled_dot_product import scaled_dot_product_attention
from .dropout import alpha_dropout, dropout, dropout1d, dropout2d, dropout3d, feature_alpha_dropout
from .embedding import embedding, one_hot
from .folding import fold, unfold
from .group_norm import group_norm, instance_norm
from .linear_cross_entropy import linear_cross_entropy
from .loss import binary_cross_entropy, binary_cross_entropy_with_logits, cross_entropy, mse_loss, nll_loss
from .normalization import batch_norm, layer_norm
from .padding import pad
from .pooling.adaptive import (
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
)
from .pooling.fractional import fractional_max_pool2d, fractional_max_pool3d
from .pooling.window import avg_pool2d, avg_pool3d, max_pool1d, max_pool2d, max_pool3d
from .randomized import gumbel_softmax, rrelu, rrelu_
from .resampling import interpolate, upsample, upsample_bilinear, upsample_nearest
from .rms_norm import local_response_norm, rms_norm
from .sampling import affine_grid, grid_sample
from .softmax import log_softmax, softmax, softmin
from .triplet import triplet_margin_with_distance_loss

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
    "affine_grid",
    "alpha_dropout",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "celu_",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "elu",
    "elu_",
    "embedding",
    "embedding_bag",
    "feature_alpha_dropout",
    "fold",
    "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "grid_sample",
    "group_norm",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "hinge_embedding_loss",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "linear_cross_entropy",
    "local_response_norm",
    "log_softmax",
    "logsigmoid",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "mish",
    "mse_loss",
    "multi_head_attention_forward",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rms_norm",
    "rrelu",
    "rrelu_",
    "scaled_dot_product_attention",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "unfold",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]


_LATER = {"conv_tbc": "older", "native_channel_shuffle": "older"}  # loaded when they are first named
_LATER |= {f"max_pool{n}d_with_indices": "pooling.with_indices" for n in (1, 2, 3)}
_LATER |= {f"adaptive_max_pool{n}d_with_indices": "pooling.with_indices" for n in (1, 2, 3)}
_LATER |= {f"fractional_max_pool{n}d_with_indices": "pooling.with_indices" for n in (2, 3)}
__all__ += _LATER


_PRIVATE = {  # which programs with layers of their own import
    "_canonical_mask": ("attention.shared", "canonical_mask"),
    "_get_softmax_dim": ("attention.shared", "softmax_dim"),
    "_in_projection": ("attention.shared", "in_projection"),
    "_in_projection_packed": ("attention.shared", "in_projection_packed"),
    "_mha_shape_check": ("attention.shared", "mha_shape_check"),
    "_none_or_dtype": ("attention.shared", "none_or_dtype"),
    "_pair": (".modules.utils", "_pair"),
    "_single": (".modules.utils", "_single"),
    "_triple": (".modules.utils", "_triple"),
    "handle_torch_function": ("..overrides", "handle_torch_function"),
    "has_torch_function": ("..overrides", "has_torch_function"),
    "has_torch_function_unary": ("..overrides", "has_torch_function_unary"),
    "has_torch_function_variadic": ("..overrides", "has_torch_function_variadic"),
}


def __getattr__(name: str) -> _Any:
    if name == "_Reduction":
        return _import_module(".._reduction", __name__)
    if name in _LATER or name in _PRIVATE:
        module_name, own = _PRIVATE.get(name) or (_LATER[name], name)
        return getattr(_import_module(f".{module_name}", __name__), own)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
