"""The functions of `torch.nn.functional`: single ops of the spec, and functions composed of them."""

import typing as _typing
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
from ...runtime.methods.argument_guard import guarded as _guarded
from ...runtime.unknown_names import no_attribute as _no_attribute
from .activation import (
    celu,
    elu,
    gumbel_softmax,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    mish,
    relu,
    relu6,
    rrelu,
    rrelu_,
    selu,
    sigmoid,
    silu,
    tanh,
    threshold,
)
from .attention import scaled_dot_product_attention
from .dropout import alpha_dropout, dropout, dropout1d, dropout2d, dropout3d, feature_alpha_dropout
from .embedding import embedding, one_hot
from .folding import fold, pad, unfold
from .linear_cross_entropy import linear_cross_entropy
from .loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    mse_loss,
    nll_loss,
    triplet_margin_with_distance_loss,
)
from .max_pool_indices import fractional_max_pool2d, fractional_max_pool3d
from .multi_head_attention import multi_head_attention_forward
from .normalization import batch_norm, group_norm, instance_norm, layer_norm, local_response_norm, rms_norm
from .pooling import (
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)
from .resampling import affine_grid, grid_sample, interpolate, upsample, upsample_bilinear, upsample_nearest
from .softmax import log_softmax, softmax, softmin

if _typing.TYPE_CHECKING:
    from .max_pool_indices import (
        adaptive_max_pool1d_with_indices,
        adaptive_max_pool2d_with_indices,
        adaptive_max_pool3d_with_indices,
        fractional_max_pool2d_with_indices,
        fractional_max_pool3d_with_indices,
        max_pool1d_with_indices,
        max_pool2d_with_indices,
        max_pool3d_with_indices,
    )
    from .torch_forms import conv_tbc as conv_tbc
    from .torch_forms import native_channel_shuffle as native_channel_shuffle

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


_LATER = {"conv_tbc": "torch_forms", "native_channel_shuffle": "torch_forms"}  # loaded when they are first named
_LATER |= {f"max_pool{n}d_with_indices": "max_pool_indices" for n in (1, 2, 3)}
_LATER |= {f"adaptive_max_pool{n}d_with_indices": "max_pool_indices" for n in (1, 2, 3)}
_LATER |= {f"fractional_max_pool{n}d_with_indices": "max_pool_indices" for n in (2, 3)}
__all__ += _LATER


_PRIVATE = {  # which programs with layers of their own import
    "_canonical_mask": ("attention", "canonical_mask"),
    "_get_softmax_dim": ("attention", "softmax_dim"),
    "_in_projection": ("attention", "in_projection"),
    "_in_projection_packed": ("attention", "in_projection_packed"),
    "_mha_shape_check": ("attention", "mha_shape_check"),
    "_none_or_dtype": ("attention", "none_or_dtype"),
    "_pair": (".modules.utils", "_pair"),
    "_single": (".modules.utils", "_single"),
    "_triple": (".modules.utils", "_triple"),
    "handle_torch_function": ("..overrides", "handle_torch_function"),
    "has_torch_function": ("..overrides", "has_torch_function"),
    "has_torch_function_unary": ("..overrides", "has_torch_function_unary"),
    "has_torch_function_variadic": ("..overrides", "has_torch_function_variadic"),
}


if not _typing.TYPE_CHECKING:

    def __getattr__(name: str) -> _Any:
        if name == "_Reduction":
            return _import_module(".._reduction", __name__)
        if name in _LATER or name in _PRIVATE:
            module_name, own = _PRIVATE.get(name) or (_LATER[name], name)
            return _guarded(getattr(_import_module(f".{module_name}", __name__), own), __name__, name)
        from ...generated.registry import BY_NAME

        if function := BY_NAME.placed("nn.functional", name):
            return function
        raise _no_attribute(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
