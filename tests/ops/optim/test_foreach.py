"""`_foreach_` functions: what the op of the name gives for each tensor of a list."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg


def pair(lib: Any) -> list[Any]:
    """Two tensors of different shapes."""
    return [lib.tensor([1.0, 2.0]), lib.tensor([3.0])]


CALLS = {
    "_foreach_add": ((1,), {}, [[2.0, 3.0], [4.0]]),
    "_foreach_mul": (([2.0, 3.0],), {}, [[2.0, 4.0], [9.0]]),
    "_foreach_pow": ((2,), {}, [[1.0, 4.0], [9.0]]),
    "_foreach_sqrt": ((), {}, [[1.0, 2**0.5], [3**0.5]]),
    "_foreach_norm": ((1,), {}, [3.0, 3.0]),
    "_foreach_powsum": ((2,), {}, [5.0, 9.0]),
    "_foreach_max": ((), {}, [2.0, 3.0]),
    "_foreach_clamp_max": ((1.5,), {}, [[1.0, 1.5], [1.5]]),
}


@pytest.mark.parametrize("name", CALLS)
def test_results(lib: Any, name: str) -> None:
    """Numbers serve all tensors, lists of numbers one each."""
    args, kwargs, expected = CALLS[name]
    found = getattr(lib, name)(pair(lib), *args, **kwargs)
    assert isinstance(found, tuple)
    for mine, value in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine.numpy(), np.array(value, np.float32), rtol=1e-6)


def test_lists_beside_the_first(lib: Any) -> None:
    """Other lists of tensors go along; a vector behind them has a number for each call."""
    found = lib._foreach_addcmul(pair(lib), pair(lib), pair(lib), 2)
    assert [x.tolist() for x in found] == [[3.0, 10.0], [21.0]]
    found = lib._foreach_addcdiv(pair(lib), pair(lib), pair(lib), lib.tensor([2.0, 3.0]))
    assert [x.tolist() for x in found] == [[3.0, 4.0], [6.0]]
    found = lib._foreach_sub(pair(lib), pair(lib), alpha=2)
    assert [x.tolist() for x in found] == [[-1.0, -2.0], [-3.0]]
    assert [x.tolist() for x in lib._foreach_pow(2.0, pair(lib))] == [[2.0, 4.0], [8.0]]


def test_in_place(lib: Any) -> None:
    """The tensors of the list are written to, and gradients pass as through the op."""
    tensors = pair(lib)
    lib._foreach_lerp_(tensors, [lib.zeros(2), lib.zeros(1)], 0.5)
    lib._foreach_mul_(tensors, 4)
    assert [x.tolist() for x in tensors] == [[2.0, 4.0], [6.0]]
    lib._foreach_zero_(tensors)
    assert [x.tolist() for x in tensors] == [[0.0, 0.0], [0.0]]
    lib._foreach_copy_(tensors, pair(lib))
    assert tensors[0].tolist() == [1.0, 2.0]
    lib._foreach_maximum_(tensors, [lib.full((2,), 1.5), lib.full((1,), 4.0)])
    assert [x.tolist() for x in tensors] == [[1.5, 2.0], [4.0]]
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    lib._foreach_mul([x], 3)[0].sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_errors(lib: Any) -> None:
    """Lists have one length, and an unknown op is an unknown name."""
    with pytest.raises(RuntimeError, match="at least one tensor"):
        lib._foreach_add([], 1)
    with pytest.raises(RuntimeError, match="same number of tensors, got 2 and 1"):
        lib._foreach_add(pair(lib), pair(lib)[:1])
    with pytest.raises(RuntimeError, match="same number of elements as scalar list"):
        lib._foreach_add(pair(lib), [1.0])
    with pytest.raises(TypeError):
        lib._foreach_add(3, 2)
    assert not hasattr(lib, "_foreach_nonsense")
    assert sg._foreach_add is sg._foreach_add


def test_groups_of_optimizers(lib: Any) -> None:
    """Lists that go along are cut by the device and dtype of the first."""
    group = __import__(f"{lib.__name__}.utils._foreach_utils", fromlist=["_"])._group_tensors_by_device_and_dtype
    first, second = (
        [lib.ones(1), lib.ones(1).double(), lib.ones(2)],
        [lib.zeros(1), lib.zeros(1).double(), lib.zeros(2)],
    )
    found = group([first, second], with_indices=True)
    assert {dtype: positions for (_, dtype), (_, positions) in found.items()} == {lib.float32: [0, 2], lib.float64: [1]}
    lists = next(lists for (_, dtype), (lists, _) in found.items() if dtype is lib.float32)
    assert [[x.shape[0] for x in one] for one in lists] == [[1, 2], [1, 2]]
