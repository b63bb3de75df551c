"""The named tuples that ops with several outputs return, by the op's name: `return_types.max` of `max(x, dim)`."""

import typing as _typing
from typing import Any as _Any

from .generated import ops as _ops  # noqa: F401 - makes them
from .runtime.dispatch.kernel_ops.general import RETURN_TYPES as _RETURN_TYPES
from .runtime.unknown_names import no_attribute as _no_attribute

if _typing.TYPE_CHECKING:
    from . import Tensor as _Tensor
    from .generated.return_types import *

    class histogramdd(_typing.NamedTuple):
        hist: _Tensor
        bin_edges: tuple[_Tensor, ...]

else:

    def __getattr__(name: str) -> _Any:
        try:
            return _RETURN_TYPES[name]
        except KeyError:
            raise _no_attribute(__name__, name) from None


def __dir__() -> list[str]:
    return sorted(_RETURN_TYPES)
