"""Losses of values against targets, one by one, and the base class of all losses."""

from ....generated.tensor import Tensor
from ....runtime.ops.loss.checks import reduction_of_flags
from ... import functional as F
from ...docstrings import completed_from, completed_within
from ..module.base import Module


class Loss(Module):
    """A loss of each element, which is then reduced.

    Args:
        reduction: 'mean', 'sum' or 'none'.
        size_average, reduce: older ways to say reduction.

    Shape: Input, target: any, the same. Output: (), or that of the input with reduction='none'.

    Raises: ValueError: an unknown reduction.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        completed_within(__name__, cls, Loss)

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = reduction_of_flags(size_average, reduce)
        self.reduction = reduction


class L1Loss(Loss):
    """The mean absolute error.

    Formula: l_n = |x_n - y_n|

    Raises:
        ValueError: an unknown reduction.
        RuntimeError: shapes that do not broadcast (those that do, but differ, give a warning).

    Example:
        >>> sg.nn.L1Loss()(sg.tensor([1.0, 2.0]), sg.tensor([1.0, 4.0]))
        tensor(1.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


@completed_from(L1Loss)
class MSELoss(Loss):
    """The mean squared error.

    Formula: l_n = (x_n - y_n)^2

    Example:
        >>> sg.nn.MSELoss()(sg.tensor([1.0, 2.0]), sg.tensor([1.0, 4.0]))
        tensor(2.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


@completed_from(L1Loss)
class SmoothL1Loss(Loss):
    """The absolute error, rounded off to a parabola near zero.

    Formula: l_n = (x_n - y_n)^2 / (2 beta) if |x_n - y_n| < beta, else |x_n - y_n| - beta / 2

    Args:
        beta: where the parabola ends; with 0 this is `L1Loss`.

    Raises:
        ValueError: an unknown reduction.
        RuntimeError: a negative beta, or shapes that do not broadcast (those that do, but differ, give a warning).

    Source: Girshick, Fast R-CNN (2015).

    Example:
        >>> sg.nn.SmoothL1Loss()(sg.tensor([1.0, 5.0]), sg.tensor([2.0, 1.0]))
        tensor(2.)
    """

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", beta: float = 1.0
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


@completed_from(L1Loss)
class HuberLoss(Loss):
    """The squared error near zero, and the absolute error far from it.

    Formula: l_n = (x_n - y_n)^2 / 2 if |x_n - y_n| < delta, else delta (|x_n - y_n| - delta / 2)

    Args:
        delta: where one turns into the other, more than 0.

    Raises:
        ValueError: an unknown reduction.
        RuntimeError: a delta of 0 or less, or shapes that do not broadcast (those that do, but differ, give a warning).

    Source: Huber, Robust estimation of a location parameter (1964).

    Example:
        >>> sg.nn.HuberLoss(delta=2.0)(sg.tensor([1.0, 5.0]), sg.tensor([1.0, 1.0]))
        tensor(3.)
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(None, None, reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class KLDivLoss(Loss):
    """The divergence of a distribution, given by its logarithms, from a target distribution.

    Formula: l_n = y_n (log y_n - x_n)

    Args:
        reduction: 'batchmean' (the sum over the batch size, which is the divergence), 'mean', 'sum' or 'none'.
        log_target: whether targets are logarithms, too.

    Source: Kullback and Leibler, On information and sufficiency (1951).

    Example:
        >>> log_p, q = sg.log(sg.tensor([[0.5, 0.5]])), sg.tensor([[0.9, 0.1]])
        >>> sg.nn.KLDivLoss(reduction="batchmean")(log_p, q)
        tensor(0.3681)
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class PoissonNLLLoss(Loss):
    """Minus the log-likelihood of counts under Poisson's distribution.

    Formula: l_n = exp(x_n) - y_n x_n, or x_n - y_n log(x_n + eps) with log_input=False

    Args:
        log_input: whether inputs are logarithms of the rate.
        full: whether to add Stirling's approximation of log(y!).
        eps: what keeps the logarithm finite.

    Example:
        >>> sg.nn.PoissonNLLLoss()(sg.zeros(2), sg.tensor([1.0, 2.0]))
        tensor(1.)
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(
            log_input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction
        )


class GaussianNLLLoss(Loss):
    """Minus the log-likelihood of values under normal distributions of given means and variances.

    Formula: l_n = (log v_n + (x_n - y_n)^2 / v_n) / 2 with v_n = max(var_n, eps)

    Args:
        full: whether to add log(2 pi) / 2.
        eps: the least variance.

    Shape:
        Input, target: (N, *), the same. Var: the same, or without its last dimension, or with a 1 in one of them, or a
        number. Output: (), or that of the input with reduction='none'.

    Raises: ValueError: an unknown reduction, a negative variance, or variances of another shape.

    Source: Nix and Weigend, Estimating the mean and variance of the target probability distribution (1994).

    Example:
        >>> sg.nn.GaussianNLLLoss()(sg.zeros(2), sg.tensor([0.0, 2.0]), sg.ones(2))
        tensor(1.)
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full, self.eps = full, eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)
