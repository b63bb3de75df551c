"""Plans whose calls move, compare or count elements serve bools and int64 as they serve floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.ops import reduction, shape

Call = Callable[[Any], Any]

CALLS: dict[str, tuple[Any, Call, Call]] = {
    "roll": (shape.ROLL, lambda x: x.roll((1, -2), (0, 2)), lambda a: np.roll(a, (1, -2), (0, 2))),
    "roll of all": (shape.ROLL, lambda x: x.roll(5), lambda a: np.roll(a, 5)),
    "flip": (shape.FLIP, lambda x: x.flip((0, 2)), lambda a: np.flip(a, (0, 2))),
    "tril": (shape.TRIL, lambda x: x.tril(1), lambda a: np.tril(a, 1)),
    "triu": (shape.TRIU, lambda x: x.triu(-1), lambda a: np.triu(a, -1)),
    "cat": (shape.CAT, lambda x: sg.cat([x, x, x], 1), lambda a: np.concatenate([a, a, a], 1)),
    "stack": (shape.STACK, lambda x: sg.stack([x, x], 2), lambda a: np.stack([a, a], 2)),
    "max": (reduction.MAX_DIM, lambda x: x.max(1).values, lambda a: a.max(1)),
    "argmax": (reduction.ARGMAX, lambda x: x.argmax(2), lambda a: a.argmax(2)),
    "argmin of all": (reduction.ARGMIN, lambda x: x.argmin(), lambda a: a.argmin()),
    "any": (reduction.ANY_DIMS, lambda x: x.any(1), lambda a: a.any(1)),
    "any of all": (reduction.ANY_DEFAULT, lambda x: x.any(), lambda a: a.any()),
    "all": (reduction.ALL_DIMS, lambda x: x.all(dim=2), lambda a: a.all(2)),
    "all of all": (reduction.ALL_DEFAULT, lambda x: x.all(), lambda a: a.all()),
    "amax": (reduction.AMAX, lambda x: x.amax((0, 1)), lambda a: a.max((0, 1))),
    "min of all": (reduction.MIN_DEFAULT, lambda x: x.min(), lambda a: a.min()),
}
SUMS: dict[str, tuple[Any, Call, Call]] = {
    "sum": (reduction.SUM_DIM_INTLIST, lambda x: x.sum([0, 1]), lambda a: a.sum((0, 1))),
    "sum along rows": (reduction.SUM_DIM_INTLIST, lambda x: x.sum(2), lambda a: a.sum(2)),
    "sum of all": (reduction.SUM_DEFAULT, lambda x: x.sum(), lambda a: a.sum()),
}
DTYPES = {"bool": "cached_bool", "int64": "cached_integer", "float32": "cached", "float16": "cached_float16"}


def array_of(name: str) -> np.ndarray:
    """Elements of which some are equal, and whole numbers that no float64 tells from their neighbours."""
    numbers = np.random.default_rng(0).integers(-3, 4, (3, 5, 4))
    return numbers + 2**60 if name == "int64" else (numbers > 1 if name == "bool" else numbers.astype(name))


@pytest.mark.parametrize("call", [*CALLS, *SUMS])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_plan_gives_what_numpy_gives(call: str, dtype: str) -> None:
    op, ours, theirs = (CALLS | SUMS)[call]
    array = array_of(dtype)
    tensor, expected = sg.tensor(array), theirs(array)
    found = getattr(op, DTYPES[dtype])
    found.clear()
    for _ in range(2):
        result = ours(tensor)
        assert np.array_equal(result.numpy(), expected)
        assert result.dtype is sg.tensor(np.asarray(expected)).dtype
    assert any(plan is not None for plan in found.values())


@pytest.mark.parametrize("dims", [[0], [1, 2], (0, 2)])
def test_dimensions_may_stand_in_a_list(dims: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list is looked up as the tuple of its items, as it is at the time of the call."""
    x = sg.tensor(np.random.default_rng(1).standard_normal((3, 4, 5)))
    given = type(dims)(dims)
    x.mean(given)
    answers: list[Any] = []
    launch = reduction.MEAN_DIM.launch
    monkeypatch.setattr(reduction.MEAN_DIM, "launch", lambda *a: answers.append(launch(*a)) or answers[-1])
    assert np.allclose(x.mean(given).numpy(), x.numpy().mean(tuple(dims)))
    assert any(answer is not None for answer in answers)  # another one is the general path's, where both are compared
    if isinstance(given, list):
        given[0] = -3
        assert np.allclose(x.mean(given).numpy(), x.numpy().mean((0, *dims[1:])))


OPERATORS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "lt": np.less, "eq": np.equal, "remainder": np.mod}
LAYOUTS = [((16, 1), (1, 16)), ((3, 1, 5), (5,)), ((4, 5), (4, 1)), ((), (7, 1)), ((2, 600), (2, 1)), ((1,), (1,))]


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("shapes", LAYOUTS)
def test_int64_that_broadcast(name: str, shapes: tuple[Any, Any]) -> None:
    """Numbers that no float64 tells from their neighbours; native code has rows from the second call on."""
    rng = np.random.default_rng(1)
    a, b = (rng.integers(1, 9, shape) + 2**60 for shape in shapes)
    for x, y in ((a, b), (b, a)):
        for _ in range(3):
            result = getattr(sg, name)(sg.tensor(x), sg.tensor(y))
            assert np.array_equal(result.numpy(), OPERATORS[name](x, y))


def test_int64_that_broadcast_with_a_number() -> None:
    """One that is no float64 is for the general path."""
    x, y = np.arange(3)[:, None], np.arange(4)
    for alpha in (3, 2**60 + 1):
        for _ in range(3):
            assert np.array_equal(sg.add(sg.tensor(x), sg.tensor(y), alpha=alpha).numpy(), x + alpha * y)
