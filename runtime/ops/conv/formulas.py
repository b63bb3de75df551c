"""Helpers of the formulas of convolutions, written in ops and Tensor methods so that they differentiate again."""

from ...namespace import Tensor, op
from ..indexing.formulas import padded_to
from .checks import expand_param, require_bias, transposed_shape

Ints = tuple[int, ...]


def named_padding(padding: str, weight_shape: Ints, stride: Ints, dilation: Ints) -> Ints:
    name = f"conv{max(len(stride), len(dilation))}d"
    sizes = weight_shape[2:]
    if padding == "valid" or not sizes:  # the check of `convolution` refuses a weight without spatial dimensions
        return (0,) * len(stride)
    if padding != "same":
        raise RuntimeError(f"{name}(): padding must be 'valid', 'same' or integers, but got {padding!r}")
    if any(step != 1 for step in stride):
        raise RuntimeError(f"{name}(): padding='same' is not supported for strided convolutions, stride={stride}")
    totals = [d * (k - 1) for d, k in zip(expand_param("dilation", dilation, len(sizes)), sizes, strict=True)]
    return tuple(side for total in totals for side in (total // 2, total - total // 2))


def transposed_convolution(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Ints,
    padding: Ints,
    output_padding: Ints,
    groups: int,
    dilation: Ints,
    spatial: int,
) -> Tensor:
    """The gradient of the input of a convolution whose output has the gradient `x`.

    Of the output sizes that a strided convolution maps to one size, output_padding selects one. Whole strides of it are
    elements that padding has hidden, or elements that no tap reads.
    """
    args = ("stride", stride), ("padding", padding), ("output_padding", output_padding), ("dilation", dilation)
    step, pads, extra, tap_grad = (expand_param(name, values, spatial) for name, values in args)
    shape = transposed_shape(x._shape, weight._shape, step, pads, extra, tap_grad, groups)
    require_bias(f"conv_transpose{spatial}d", weight, bias, weight._shape[1] * groups)
    beyond = [n - n % s for n, s in zip(extra, step, strict=True)]
    hidden = [min(n, pad) for n, pad in zip(beyond, pads, strict=True)]
    padded_sums = [n - m for n, m in zip(beyond, hidden, strict=True)]
    sides = tuple(side for pad, n in zip(pads, hidden, strict=True) for side in (pad, pad - n)) if any(hidden) else pads
    reached = [n - m for n, m in zip(shape[-spatial:], padded_sums, strict=True)]
    result = op.convolution_input_backward(x, weight, (*shape[:-spatial], *reached), step, sides, tap_grad, groups)
    result = padded_to(result, shape)
    return result if bias is None else result + bias.reshape((-1, *(1,) * spatial))
