"""Writing in place where several elements share a place: ops that replace elements may, all others refuse."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

MASK = [[True, False, False], [False, False, True]]
ROWS: dict[str, tuple[Callable[[Any], Any], list[float]]] = {  # what (1, 2, 3) becomes, expanded to two rows
    "fill_": (lambda x: x.fill_(7), [7, 7, 7]),
    "zero_": (lambda x: x.zero_(), [0, 0, 0]),
    "masked_fill_": (lambda x: x.masked_fill_(sg.tensor(MASK), 7), [7, 2, 7]),
    "masked_fill_ by a tensor": (lambda x: x.masked_fill_(sg.tensor(MASK), sg.tensor(7.0)), [7, 2, 7]),
    "index_fill_": (lambda x: x.index_fill_(1, sg.tensor([0]), 7), [7, 2, 3]),
    "index_put_": (lambda x: x.index_put_((sg.tensor([0]), sg.tensor([1])), sg.tensor(7, dtype=x.dtype)), [1, 7, 3]),
    "mask as key": (lambda x: x.__setitem__(sg.tensor(MASK), 7), [7, 2, 7]),
    "list as key": (lambda x: x.__setitem__(([1], [2]), 7), [1, 2, 7]),
    "triu_": (lambda x: x.triu_(), [0, 2, 3]),
    "tril_": (lambda x: x.tril_(), [1, 0, 0]),
}
DTYPES = [sg.float64, sg.float32, sg.float16, sg.bfloat16, sg.int64, sg.int32, sg.complex128]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", ROWS)
def test_what_is_written_counts(name: str, dtype: Any) -> None:
    """An element that is written through one of its places has the new value, whatever the others keep."""
    write, expected = ROWS[name]
    base = sg.tensor([1, 2, 3]).to(dtype)
    x = base.expand(2, 3)
    write(x)
    assert base.tolist() == expected
    assert x.tolist() == [expected, expected]
    assert base._version == x._version == 1


def test_special_values_stay() -> None:
    """An element that is nan keeps that, and one that becomes nan, or -0 in the place of 0, does so."""
    base = sg.tensor([np.nan, 0.0, 1.0])
    base.expand(2, 3).masked_fill_(sg.tensor(MASK), -0.0)
    assert np.signbit(base.numpy()[[0, 2]]).all() and not np.signbit(base.numpy()[1])
    base = sg.tensor([np.nan, 0.0, 1.0])
    base.expand(2, 3).masked_fill_(sg.tensor([[False, True, False], [False, False, False]]), np.nan)
    assert np.isnan(base.numpy()).tolist() == [True, True, False]


REFUSED: dict[str, Callable[[Any], Any]] = {
    "add_": lambda x: x.add_(1),
    "copy_": lambda x: x.copy_(sg.ones(2, 3)),
    "copy_ of one": lambda x: x.copy_(sg.ones(())),
    "fill_ by a tensor": lambda x: x.fill_(sg.tensor(2.0)),
    "masked_scatter_": lambda x: x.masked_scatter_(sg.tensor(MASK), sg.ones(6)),
    "index_put_ that adds": lambda x: x.index_put_((sg.tensor([0]),), sg.ones(3), accumulate=True),
    "index_add_": lambda x: x.index_add_(0, sg.tensor([0]), sg.ones(1, 3)),
    "index_copy_": lambda x: x.index_copy_(0, sg.tensor([0]), sg.ones(1, 3)),
    "scatter_": lambda x: x.scatter_(0, sg.tensor([[0]]), 2.0),
    "clamp_": lambda x: x.clamp_(0, 1),
    "eq_": lambda x: x.eq_(1),
    "cumsum_": lambda x: x.cumsum_(0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_others_refuse(name: str) -> None:
    """An op whose new values depend on old ones, or differ from place to place, is an error and writes nothing."""
    base = sg.tensor([1.0, 2.0, 3.0])
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        REFUSED[name](base.expand(2, 3))
    assert base.tolist() == [1.0, 2.0, 3.0] and base._version == 0


@pytest.mark.parametrize("name", ROWS)
def test_gradients_pass_where_nothing_was_written(name: str) -> None:
    """The gradient of what was kept is that of all its places; of what was replaced it is zero."""
    write, expected = ROWS[name]
    a = sg.tensor([1.0, 2.0, 3.0], dtype=sg.float64, requires_grad=True)
    base = a * 1
    x = base.expand(2, 3)
    write(x)
    weights = sg.tensor([10.0, 20.0, 30.0], dtype=sg.float64)
    if name in ("index_fill_", "index_put_", "mask as key", "list as key", "masked_fill_ by a tensor"):
        try:
            (base * weights).sum().backward()
        except RuntimeError as error:  # values that have gradients, or a composite
            assert "more than one element" in str(error)
            return
    else:
        (base * weights).sum().backward()
    retained = np.array(expected) == [1.0, 2.0, 3.0]
    assert a.grad.tolist() == np.where(retained, [10.0, 20.0, 30.0], 0.0).tolist()


def test_gradients_of_what_was_written_are_refused() -> None:
    """A value that several places took has no gradient: an error in backward, as in PyTorch."""
    a, value = sg.ones(3, requires_grad=True), sg.tensor(2.0, requires_grad=True)
    base = a * 1
    base.expand(2, 3).masked_fill_(sg.tensor(MASK), value)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        base.sum().backward()
    assert a.grad is None and value.grad is None
