"""Whether two records of an op answer all combinations of dtypes alike: no input then tells apart what they come from.

There are finitely many: all dtypes for all tensors, each pair of dtypes for the first and the others, and for the last
and the others, and Python's numbers in the place of each number. Values stand for their dtype.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

from specgrad.runtime.tensor import dtypes

from ..verify.checks.dtypes import same
from ..verify.typed import TypedCall, typed_calls

NUMBERS = (True, 2, 2.5, 2 + 1j)
SOME = tuple(dtypes.from_name(name) for name in ("bool", "uint8", "int32", "int64", "float16", "float32", "complex64"))
FEW = tuple(dtypes.from_name(name) for name in ("int32", "float32", "complex64"))  # at all but the first call


def alike(op: Any, other: Any) -> int | None:
    """At how many calls two records answer alike; None where one tells them apart."""
    count = 0
    for number, (call, twin) in enumerate(zip(typed_calls(op), typed_calls(other), strict=True)):
        for kinds in _combinations(len(call.tensors)) if not number else [(kind,) for kind in FEW]:
            for numbers in _numbers(call):
                if not _equal(_answer(call, kinds, numbers), _answer(twin, kinds, numbers)):
                    return None
                count += 1
    return count


def _combinations(tensors: int) -> Iterator[Sequence[Any]]:
    """Dtypes for some tensors, of which the last stands for all that follow."""
    yield from ((kind,) for kind in dtypes.ALL)
    if tensors > 1:
        yield from permutations(SOME, 2)
    if tensors > 2:
        yield from ((*[one] * (tensors - 1), another) for one, another in permutations(SOME, 2))


def _numbers(call: TypedCall) -> Iterator[dict[str, Any]]:
    """What stands in the place of a call's numbers: what is there, then in each place each kind of number."""
    yield {}
    operands = [name for name, type_, *_ in call.op.arguments if type_.rstrip("?") == "Operand"]
    given = [*call.scalars, *(name for name in call.arguments if name in operands)]
    yield from ({name: number} for name in dict.fromkeys(given) for number in NUMBERS)


def _answer(call: TypedCall, kinds: Sequence[Any], numbers: dict[str, Any]) -> str | list[Any]:
    """What a call gives, or how it is refused."""
    try:
        return call.outputs(call.values(kinds), numbers)
    except Exception as error:
        return type(error).__name__


def _equal(one: str | list[Any], other: str | list[Any]) -> bool:
    """Whether two answers are the same refusal, or the same tensors."""
    return one == other if isinstance(one, str) or isinstance(other, str) else alike_outputs(one, other)


def alike_outputs(one: list[Any], other: list[Any]) -> bool:
    """Whether two calls give the same: dtypes, shapes and gradients, values up to the rounding of float32."""
    kinds = [[(t._dtype, t.requires_grad, t.shape) for t in outputs] for outputs in (one, other)]
    pairs = zip(one, other, strict=False)
    return kinds[0] == kinds[1] and all(same(a.detach().array, b.detach().array) for a, b in pairs)
