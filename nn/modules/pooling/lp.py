"""Pooling layers: the p-norm of a sliding window."""

from __future__ import annotations

from collections.abc import Callable

from ....generated.tensor import Tensor
from ... import functional as F
from ...docstrings import completed_from
from ..module.base import Module

Size = int | tuple[int, ...]


class _LPPoolNd(Module):
    """A subclass names its function."""

    function: Callable[..., Tensor]

    def __init__(
        self, norm_type: float, kernel_size: Size, stride: Size | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        return type(self).function(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        names = ("norm_type", "kernel_size", "stride", "ceil_mode")
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class LPPool1d(_LPPoolNd):
    """The p-norm over windows of a signal.

    Formula: y[n, c, i] = (sum over k of x[n, c, i stride + k]^p)^(1/p)

    Args:
        norm_type: p; inf for the maximum of |x|.
        kernel_size: length of the window.
        stride: step of the window; kernel_size when left out.
        ceil_mode: whether a window that begins inside but ends outside counts.

    Shape:
        Input: (N, C, L) or (C, L). Output: (N, C, L') or (C, L').

    Raises:
        RuntimeError: the window is larger than the input.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.LPPool1d(2, 2)(sg.tensor([[3.0, 4.0, 6.0, 8.0]]))
        tensor([[ 5., 10.]])
    """

    function = staticmethod(F.lp_pool1d)


@completed_from(LPPool1d)
class LPPool2d(_LPPoolNd):
    """The p-norm over windows of an image.

    Formula: y[n, c, i, j] = (sum over (k, l) of x[n, c, i stride[0] + k, j stride[1] + l]^p)^(1/p)

    Example:
        >>> import specgrad as sg
        >>> sg.nn.LPPool2d(2, 2)(sg.ones(1, 1, 2, 2))
        tensor([[[[2.]]]])
    """

    function = staticmethod(F.lp_pool2d)


@completed_from(LPPool2d)
class LPPool3d(_LPPoolNd):
    """The p-norm over windows of a volume.

    Formula: y[n, c, i, j, k] = (sum over a window at (i, j, k) of x[n, c]^p)^(1/p)

    Example:
        >>> import specgrad as sg
        >>> sg.nn.LPPool3d(2, (1, 2, 2))(sg.ones(1, 1, 1, 2, 2))
        tensor([[[[[2.]]]]])
    """

    function = staticmethod(F.lp_pool3d)
