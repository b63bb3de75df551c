"""The kernels over several arrays: steps of optimizers, and what clips, scales and zeroes gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from specgrad.runtime.cuda.launching import several
from specgrad.runtime.kernels.cuda.kernel import Kernel
from specgrad.runtime.kernels.cuda.several import FOLDS, Change, changing, counting, folding
from specgrad.runtime.ops.optim import cuda as optim

from .known import Known
from .launched import dtype_of, launched

FLOAT64 = np.dtype(np.float64)
MAKERS = ("changing", "counting", "folding")
OF_RULE = "/"  # between the name of a rule and the number of its arrays


def multi_tensor_kernels() -> Iterator[Known]:
    """Those that the steps of optimizers were seen to launch; all but those of float64 are carried."""
    for maker in MAKERS:
        for line, (name, stored, *rest), signature in launched(maker):
            kernel = kernel_of(name, dtype_of(stored), *rest)
            if kernel is not None:
                yield Known(line, kernel, signature, dtype_of(stored) != FLOAT64)


def kernel_of(name: str, stored: np.dtype, optional_flags: str = "", counts: str | None = None) -> Kernel | None:
    """The kernel of the words that `Changes` has written; None where what they name is gone."""
    if not optional_flags:
        return folding(name, stored) if name in FOLDS else None
    change = change_named(name)
    there = tuple(each == "1" for each in optional_flags)
    if change is None or counts is None:
        return change and changing(change, stored, there)
    return counting(change, stored, there, tuple(dtype_of(each) for each in counts.split(",") if each))


def change_named(name: str) -> Change | None:
    """The change of a rule with so many arrays, or one that has a name of its own."""
    rule, _, arrays = name.partition(OF_RULE)
    if not arrays:
        return _named().get(name)
    return optim.change_of(rule, int(arrays)) if hasattr(optim.rules, rule) else None


def _named() -> dict[str, Change]:
    """The changes that are no rules of optimizers, by their names."""
    result = vars(several) | vars(optim)
    return {name: value for name, value in result.items() if isinstance(value, Change)}


class Changes:
    """The words of kernels over several arrays, for which it is told by which name a change was asked for."""

    def __init__(self) -> None:
        self.names = {change: name for name, change in _named().items()}

    def noting(self, change_of: Any) -> Any:
        def noted(rule: str, arrays: int) -> Change:
            change: Change = change_of(rule, arrays)
            self.names[change] = f"{rule}{OF_RULE}{arrays}"
            return change

        return noted

    def of_groups(self, change: Change, stored: np.dtype, optional_flags: tuple[bool, ...]) -> str:
        return f"changing {self.names[change]} {stored.name} {''.join(str(int(there)) for there in optional_flags)}"

    def of_counted(
        self, change: Change, stored: np.dtype, optional_flags: tuple[bool, ...], counts: tuple[np.dtype, ...]
    ) -> str:
        value = self.of_groups(change, stored, optional_flags).replace("changing", "counting")
        return f"{value} {''.join(f'{kind.name},' for kind in counts) or ','}"

    def of_fold(self, name: str, stored: np.dtype) -> str:
        return f"folding {name} {stored.name}"
