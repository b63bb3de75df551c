"""The functions of `torch.nn.functional`: single ops of the spec, and functions composed of them."""

from ...generated.ops import (
    avg_pool1d,
    conv1d,
    conv2d,
    elu_,
    gelu,
    hardtanh_,
    leaky_relu_,
    linear,
    logsigmoid,
    relu_,
    softplus,
)
from .activation import elu, hardtanh, leaky_relu, relu, relu6, sigmoid, silu, tanh
from .classification import cross_entropy, nll_loss
from .dropout import dropout
from .embedding import embedding, one_hot
from .loss import binary_cross_entropy, binary_cross_entropy_with_logits, l1_loss, mse_loss
from .normalization import batch_norm, layer_norm
from .padding import pad
from .pooling import adaptive_avg_pool2d, avg_pool2d, max_pool1d, max_pool2d
from .softmax import log_softmax, softmax, softmin

__all__ = [
    "adaptive_avg_pool2d",
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "conv1d",
    "conv2d",
    "cross_entropy",
    "dropout",
    "elu",
    "elu_",
    "embedding",
    "gelu",
    "hardtanh",
    "hardtanh_",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "log_softmax",
    "logsigmoid",
    "max_pool1d",
    "max_pool2d",
    "mse_loss",
    "nll_loss",
    "one_hot",
    "pad",
    "relu",
    "relu_",
    "relu6",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "tanh",
]
