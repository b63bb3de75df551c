"""Masked tensors: what numpy.ma gives, gradients of what counts alone, and PyTorch's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.masked import MaskedTensor, as_masked_tensor, is_masked_tensor, masked_tensor

pytestmark = pytest.mark.cpu("what masked tensors call is tested on both places")
DATA = np.array([[-2.0, -1.0, 0.5], [1.0, 2.0, 3.0], [4.0, 1.0, -3.0]])
MASK = np.array([[True, False, True], [False, False, True], [True, True, False]])
OTHERS = np.ma.array(DATA, mask=~MASK)


def made(**options: Any) -> MaskedTensor:
    return masked_tensor(sg.tensor(DATA), sg.tensor(MASK), **options)


CALLS: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
    (lambda x: x + x, lambda a: a + a),
    (lambda x: 1 / (2 * x + 7) ** 2, lambda a: 1 / (2 * a + 7) ** 2),
    (lambda x: x * sg.tensor(DATA), lambda a: a * DATA),
    (lambda x: sg.where(x > 0, x, -x), abs),
    (lambda x: x.exp().clamp(max=5), lambda a: np.ma.minimum(np.ma.exp(a), 5)),
    (lambda x: x.sum(), lambda a: a.sum()),
    (lambda x: x.sum(1), lambda a: a.sum(1)),
    (lambda x: x.mean(0, keepdim=True), lambda a: a.mean(0, keepdims=True)),
    (lambda x: x.prod(1), lambda a: a.prod(1)),
    (lambda x: x.amax(1), lambda a: a.max(1)),
    (lambda x: x.amin(dim=0), lambda a: a.min(0)),
    (lambda x: x.var(0, correction=0), lambda a: a.var(0)),
    (lambda x: x.argmax(1), lambda a: a.argmax(1)),
    (lambda x: (x > 0).all(1), lambda a: (a > 0).all(1)),
    (lambda x: (x > 3).any(), lambda a: (a > 3).any()),
    (lambda x: x.softmax(1).sum(1), lambda a: np.ma.array(np.ones(3))),
    (lambda x: x.t(), lambda a: a.T),
    (lambda x: x.view(9)[3:], lambda a: a.reshape(9)[3:]),
    (lambda x: sg.cat([x, x * 2], 1), lambda a: np.ma.concatenate([a, a * 2], 1)),
    (lambda x: x.unsqueeze(0).expand(2, 3, 3).sum(0), lambda a: a * 2),
    (lambda x: x.to(sg.float32).double().clone().detach().contiguous(), lambda a: a),
    (lambda x: x.split(2)[0], lambda a: a[:2]),
    (lambda x: x.select(1, 0), lambda a: a[:, 0]),
    (lambda x: x[:, 1:] - 1, lambda a: a[:, 1:] - 1),
    (lambda x: x.T, lambda a: a.T),
]


@pytest.mark.parametrize(("call", "right"), CALLS)
def test_what_counts_is_computed(call: Callable[[Any], Any], right: Callable[[Any], Any]) -> None:
    """Values and masks as NumPy has them."""
    found, requested = call(made()), np.ma.asarray(right(OTHERS))
    assert isinstance(found, MaskedTensor)
    mask = ~np.ma.getmaskarray(requested)
    np.testing.assert_array_equal(found.get_mask().numpy(), mask)
    np.testing.assert_allclose(found.to_tensor(0).numpy(), requested.filled(0), atol=1e-7)


def test_gradients_of_what_counts() -> None:
    """A leaf has a masked gradient; a tensor below has zeros elsewhere, also where the slope is nan."""
    x = made(requires_grad=True)
    (x * x).sum().backward()
    assert x.is_leaf and x.requires_grad
    np.testing.assert_allclose(x.grad.to_tensor(0).numpy(), np.where(MASK, 2 * DATA, 0))
    y = sg.tensor(DATA, requires_grad=True)
    as_masked_tensor(y, y > 0).sqrt().sum().to_tensor(0).backward()
    expected = np.where(DATA > 0, 0.5 / np.sqrt(np.where(DATA > 0, DATA, 1)), 0)
    np.testing.assert_allclose(y.grad.numpy(), expected)


def test_what_they_are() -> None:
    """Data, mask, shape, and how they are printed; written to in place."""
    x = MaskedTensor(sg.tensor(DATA), sg.tensor(MASK))
    assert is_masked_tensor(x) and not is_masked_tensor(x.get_data()) and isinstance(x, sg.Tensor)
    assert x.shape == (3, 3) and x.dtype is sg.float64 and x.dim() == 2 and len(x) == 3 and x.size(1) == 3
    assert (
        repr(x[1]) == "MaskedTensor(\n  [      --,       --,   3.0000]\n)"
        and repr(x.sum()) == "MaskedTensor(  6.5000, True)"
    )
    assert "--" in repr(x) and float(x.sum()) == 6.5
    assert x.add_(1) is x and x.to_tensor(0)[0].tolist() == [-1.0, 0.0, 1.5]
    assert sg.ones_like(x).sum().item() == 5


def test_what_is_refused() -> None:
    """PyTorch's errors; what has no rule says so."""
    x = made()
    data, mask = sg.tensor(DATA), sg.tensor(MASK)
    wrong: list[tuple[type[Exception], str, Callable[[], Any]]] = [
        (ValueError, "Input masks must match", lambda: x + masked_tensor(data, ~mask)),
        (TypeError, "mask must have dtype bool", lambda: masked_tensor(data, data)),
        (TypeError, "data must be a Tensor", lambda: masked_tensor(x, mask)),
        (ValueError, r"data.dim\(\) must equal", lambda: as_masked_tensor(data, mask[0])),
        (ValueError, r"data.size\(\) must equal", lambda: as_masked_tensor(data, mask[:2])),
        (NotImplementedError, "no rule", lambda: x @ x),
        (NotImplementedError, "numpy", lambda: x.numpy()),
    ]
    for error, says, call in wrong:
        with pytest.raises(error, match=says):
            call()
