"""A convolution or linear layer and the batch norm after it as one layer, for evaluation."""

import copy
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.ops.creation import ones_like, zeros_like
from ..docstrings import completed_from
from ..parameter import Parameter


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A convolution that computes what `conv` and then `bn` compute in evaluation mode.

    Args:
        conv: a convolution.
        bn: the batch norm after it.
        transpose: whether the convolution is a transposed one.

    Returns: A copy of `conv` with another weight and bias.

    Raises: AssertionError: one of them is in training mode, or `bn` keeps no running statistics.

    Example:
        >>> conv, bn = sg.nn.Conv2d(2, 3, 3).eval(), sg.nn.BatchNorm2d(3).eval()
        >>> x = sg.randn(1, 2, 5, 5)
        >>> sg.allclose(sg.nn.utils.fuse_conv_bn_eval(conv, bn)(x), bn(conv(x)), atol=1e-5)
        True
    """
    return _fused("conv", conv, bn, fuse_conv_bn_weights, transpose)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A linear layer that computes what `linear` and then `bn` compute in evaluation mode.

    Args:
        linear: a linear layer.
        bn: the batch norm after it, of as many features, or of one.

    Returns: A copy of `linear` with another weight and bias.

    Raises:
        AssertionError: one of them is in training mode, `bn` keeps no running statistics, or the numbers of features
            differ.

    Example:
        >>> linear, bn = sg.nn.Linear(2, 3).eval(), sg.nn.BatchNorm1d(3).eval()
        >>> x = sg.randn(4, 2)
        >>> sg.allclose(sg.nn.utils.fuse_linear_bn_eval(linear, bn)(x), bn(linear(x)), atol=1e-5)
        True
    """
    if bn.num_features not in (1, linear.out_features):
        raise AssertionError("To fuse, linear.out_features == bn.num_features or bn.num_features == 1")
    return _fused("linear", linear, bn, fuse_linear_bn_weights)


def _fused(name: str, layer: Any, bn: Any, fuse: Any, *options: Any) -> Any:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    fused = copy.deepcopy(layer)
    fused.weight, fused.bias = fuse(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, *options
    )
    return fused


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """The weight and bias of a convolution together with the batch norm after it.

    Formula: s = bn_w / sqrt(bn_rv + bn_eps);  w = conv_w s;  b = (conv_b - bn_rm) s + bn_b

    Args:
        conv_w: the weight of the convolution.
        conv_b: its bias, or None.
        bn_rm: the running mean.
        bn_rv: the running variance.
        bn_eps: what is added to the variance.
        bn_w: the weight of the batch norm, or None.
        bn_b: its bias, or None.
        transpose: whether the weight is that of a transposed convolution.

    Example:
        >>> one, two = sg.ones(1), sg.tensor([2.0])
        >>> w, b = sg.nn.utils.fuse_conv_bn_weights(sg.ones(1, 1, 1), None, one, sg.tensor([4.0]), 0.0, two, one)
        >>> w.item(), b.item()
        (1.0, 0.0)
    """
    bias = zeros_like(bn_rm) if conv_b is None else conv_b
    scale = (ones_like(bn_rm) if bn_w is None else bn_w) * (bn_rv + bn_eps).rsqrt()
    shape = [1] * conv_w.dim()
    shape[1 if transpose else 0] = -1
    weight = (conv_w * scale.reshape(shape)).to(conv_w.dtype)
    bias = ((bias - bn_rm) * scale + (0 if bn_b is None else bn_b)).to(bias.dtype)
    return Parameter(weight.detach(), conv_w.requires_grad), Parameter(bias.detach(), conv_w.requires_grad)


@completed_from(fuse_conv_bn_weights)
def fuse_linear_bn_weights(
    linear_w: Tensor, linear_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Tensor, bn_b: Tensor
) -> tuple[Parameter, Parameter]:
    """The weight and bias of a linear layer together with the batch norm after it.

    Formula: s = bn_w / sqrt(bn_rv + bn_eps);  w = linear_w s;  b = (linear_b - bn_rm) s + bn_b

    Args:
        linear_w: the weight of the linear layer.
        linear_b: its bias, or None.
        bn_w: the weight of the batch norm.
        bn_b: its bias.

    Example:
        >>> one, two = sg.ones(1), sg.tensor([2.0])
        >>> w, b = sg.nn.utils.fuse_linear_bn_weights(sg.ones(1, 1), None, one, sg.tensor([4.0]), 0.0, two, one)
        >>> w.item(), b.item()
        (1.0, 0.0)
    """
    return fuse_conv_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)
