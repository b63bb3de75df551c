"""Pooling layers: the maximum of windows that begin at random places."""

from __future__ import annotations

from typing import Any

from ....generated.tensor import Tensor
from ....runtime.dispatch import checks
from ... import functional as F
from ...docstrings import completed_from
from ..module.base import Module


class _FractionalMaxPool(Module):
    """A subclass says how many dimensions it pools."""

    spatial: int
    _random_samples: Tensor | None

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size = checks.integer_list(name, "kernel_size", kernel_size, self.spatial)
        if min(self.kernel_size) < 1:
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        sizes = None if output_size is None else checks.integer_list(name, "output_size", output_size, self.spatial)
        self.output_size = sizes
        self.output_ratio = self._ratios(output_ratio)

    def _ratios(self, given: Any) -> tuple[float, ...] | None:
        if given is None:
            return None
        ratios = (given,) * self.spatial if isinstance(given, (int, float)) else tuple(given)
        if not all(0 < ratio < 1 for ratio in ratios):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {given})")
        return ratios

    def forward(self, input: Tensor) -> Any:
        function = F.fractional_max_pool2d if self.spatial == 2 else F.fractional_max_pool3d
        sizes = (self.kernel_size, self.output_size, self.output_ratio)
        return function(input, *sizes, self.return_indices, self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPool):
    """The maximum over windows of an image that begin at random places.

    Formula: y[n, c, i, j] = max over (k, l) of x[n, c, a_i + k, b_j + l] with random a and b for each channel

    Args:
        kernel_size: height and width, or one number for both, of the windows.
        output_size: how many windows.
        output_ratio: how many windows for each place of the input, between 0 and 1, in place of output_size.
        return_indices: whether to return also where in its flattened plane each maximum stands.
        _random_samples: the random numbers, (N, C, 2); drawn in each call when left out.

    Shape:
        Input: (N, C, H, W) or (C, H, W). Output: output_size in place of H and W.

    Raises:
        ValueError: not just one of output_size and output_ratio, or a ratio outside (0, 1).
        RuntimeError: windows that do not fit.

    Source: Graham, Fractional max-pooling (2014).

    Example:
        >>> import specgrad as sg
        >>> sg.nn.FractionalMaxPool2d(2, output_ratio=0.5)(sg.zeros(1, 3, 8, 6)).shape
        specgrad.Size([1, 3, 4, 3])
    """

    spatial = 2


@completed_from(FractionalMaxPool2d)
class FractionalMaxPool3d(_FractionalMaxPool):
    """The maximum over windows of a volume that begin at random places.

    Formula: y[n, c, i, j, k] = max over a window of x[n, c] at (a_i, b_j, c_k) with random a, b, c for each channel

    Args:
        _random_samples: the random numbers, (N, C, 3); drawn in each call when left out.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.FractionalMaxPool3d(2, output_size=3)(sg.zeros(1, 2, 6, 6, 6)).shape
        specgrad.Size([1, 2, 3, 3, 3])
    """

    spatial = 3
