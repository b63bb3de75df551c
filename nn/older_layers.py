"""Layers that older programs use, and what stands for them today."""

from __future__ import annotations

from typing import Any

from ..generated.tensor import Tensor
from ..runtime.user_warning import warn_user
from . import functional as F
from .classification import NLLLoss
from .module import Module


class Container(Module):
    """Modules by name; any Module holds others.

    Args:
        **kwargs: the modules.

    Example:
        >>> import warnings
        >>> import specgrad as sg
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     held = sg.nn.Container(first=sg.nn.ReLU())
        >>> held.first
        ReLU()
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        warn_user(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass that "
            "instead.",
            FutureWarning,
        )
        for name, module in kwargs.items():
            self.add_module(name, module)


class NLLLoss2d(NLLLoss):
    """`NLLLoss`, which takes images too; arguments as of `NLLLoss`.

    Formula: l_n = -w[y_n] x[n, y_n]; 'mean' divides the sum by the sum of w[y_n]

    Shape:
        Those of `NLLLoss`.

    Example:
        >>> import warnings
        >>> import specgrad as sg
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     loss = sg.nn.NLLLoss2d()
        >>> loss(sg.full((1, 3, 2, 2), -1.0), sg.zeros(1, 2, 2).long())
        tensor(1.)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        warn_user("`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead.", FutureWarning)
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class CrossMapLRN2d(Module):
    """Divides each channel of images by what the channels on both sides of it respond with.

    Formula: y = x / (k + alpha / size * sum of x^2)^beta, over (size - 1) // 2 channels on each side and the middle one

    `LocalResponseNorm` is the same for odd sizes.

    Args:
        size: how many channels are neighbours.
        alpha: the factor of the mean.
        beta: the exponent.
        k: the constant.

    Shape:
        Input: (N, C, H, W). Output: the same.

    Raises:
        ValueError: input that has not 4 dimensions.

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.CrossMapLRN2d(3)(sg.randn(2, 3, 4, 4)).shape)
        [2, 3, 4, 4]
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.ndim}D instead.")
        width = 2 * ((self.size - 1) // 2) + 1
        return F.local_response_norm(input, width, self.alpha * width / self.size, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
