"""The chi-squared distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from .. import constraints
from .gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The chi-squared distribution: of the sum of the squares of `df` standard normal numbers.

    Formula: Gamma(df / 2, 1 / 2)

    Args:
        df: the degrees of freedom, positive.
        validate_args: whether parameters and values are checked; None for the default.

    Raises:
        ValueError: degrees of freedom that are not positive, or NaN.

    Example:
        >>> import specgrad as sg
        >>> chi2 = sg.distributions.Chi2(3.0)
        >>> chi2.df, chi2.mean, chi2.variance
        (tensor(3.), tensor(3.), tensor(6.))
    """

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(Chi2, _instance))

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self.concentration * 2
