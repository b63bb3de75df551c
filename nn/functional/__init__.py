"""The functions of `torch.nn.functional`: single ops of the spec, and functions composed of them."""

from ...generated.ops import (
    adaptive_avg_pool1d,
    avg_pool1d,
    channel_shuffle,
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
    elu_,
    gelu,
    hardtanh_,
    leaky_relu_,
    linear,
    logsigmoid,
    pixel_shuffle,
    pixel_unshuffle,
    relu_,
    softplus,
)
from .activation import elu, hardtanh, leaky_relu, relu, relu6, sigmoid, silu, tanh
from .adaptive_pooling import (
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
)
from .attention import scaled_dot_product_attention
from .average_pooling import avg_pool2d, avg_pool3d
from .classification import cross_entropy, nll_loss
from .dropout import dropout
from .embedding import embedding, one_hot
from .folding import fold, unfold
from .group_norm import group_norm, instance_norm
from .loss import binary_cross_entropy, binary_cross_entropy_with_logits, l1_loss, mse_loss
from .multihead import multi_head_attention_forward
from .normalization import batch_norm, layer_norm
from .padding import pad
from .pooling import max_pool1d, max_pool2d, max_pool3d
from .resampling import interpolate
from .rms_norm import local_response_norm, rms_norm
from .sampling import affine_grid, grid_sample
from .softmax import log_softmax, softmax, softmin
from .unpooling import max_unpool1d, max_unpool2d, max_unpool3d
from .upsampling import upsample, upsample_bilinear, upsample_nearest

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cross_entropy",
    "dropout",
    "elu",
    "elu_",
    "embedding",
    "gelu",
    "group_norm",
    "hardtanh",
    "hardtanh_",
    "instance_norm",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "local_response_norm",
    "log_softmax",
    "logsigmoid",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "mse_loss",
    "multi_head_attention_forward",
    "nll_loss",
    "one_hot",
    "pad",
    "relu",
    "relu_",
    "relu6",
    "rms_norm",
    "scaled_dot_product_attention",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "tanh",
    "fold",
    "unfold",
    "interpolate",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
    "affine_grid",
    "grid_sample",
    "channel_shuffle",
    "pixel_shuffle",
    "pixel_unshuffle",
]
