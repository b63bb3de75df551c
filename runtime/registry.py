"""The record of one op in `generated/registry.py`: what tests, `verify`, docs and benchmarks need to know of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Op:
    """One entry of a spec. `arguments` are (name, type, required, keyword only); `places`: formula to line:col.

    How the op is computed has a place too, under the key that says it, and so have its `check`, `batch` and `backward`.
    """

    name: str
    function: Callable[..., Any]
    kind: str
    schema: str
    where: str
    arguments: tuple[tuple[str, str, bool, bool], ...]
    inputs: tuple[str, ...]
    outputs: tuple[bool, ...]
    result_dtype: tuple[str, ...]
    samples: tuple[str, ...]
    hard: tuple[str, ...]
    domain: dict[str, tuple[float, float]]
    dtypes: tuple[str, ...]
    dtype: str
    kink: tuple[str, ...]
    complex: bool
    places: dict[str, str]
    formulas: dict[str, str]
    node: Any = None
    masks: tuple[int, ...] | list[int] = field(default=())
    inplace: Callable[..., Any] | None = None
    commutative: bool = False
    takes_number: bool = False  # there is a kernel for `x <operator> number`
