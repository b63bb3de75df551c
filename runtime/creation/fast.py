"""What creation functions ask first: native code, once there is any."""

from __future__ import annotations

from typing import Any

from ..dispatch.fast_path import fast_path
from ..kernels.compile.loading import is_loaded


class Creation:
    """The fast function of a creation function: `launch(*arguments, dtype, device, requires_grad, ...)` gives the new
    tensor, or None where the general path is to make it.

    `letters` say what the arguments before dtype are: S a tuple of sizes, s the size as one argument, L a tensor that
    the new one is like, v a number or data, n a number of a range, g a generator; after T, a tensor
    that is filled itself, nothing stands behind these. What stands behind requires_grad is
    None or False in usual calls. `fill` says what is written (native/creation/plans.py), `value` the number where all
    elements are one, `inferred` that numbers decide the dtype where none is given.

    The compiler is not loaded for a new tensor: before an op has asked for it, the general path makes them all.
    """

    __slots__ = ("fill", "inferred", "launch", "letters", "name", "value")

    def __init__(self, name: str, fill: str, letters: str, value: int = 0, inferred: bool = False) -> None:
        self.name = name
        self.fill = fill
        self.letters = letters
        self.value = value
        self.inferred = inferred
        self.launch: Any = self._first

    def _first(self, *arguments: Any) -> Any:
        if not is_loaded():
            return None
        self.launch = fast_path().creation(self)
        return self.launch(*arguments)
