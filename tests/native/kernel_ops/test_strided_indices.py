"""Small tensors of indices whose elements lie apart: native code takes them, and gives what the general path gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from specgrad.generated.ops.loss import CROSS_ENTROPY_LOSS
from tests.generated.calls import watched

F = sg.nn.functional
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "cross_entropy": lambda x, i: F.cross_entropy(x, i[:, 0]),
    "cross_entropy of each": lambda x, i: F.cross_entropy(x, i[:, 1], reduction="none"),
    "cross_entropy of planes": lambda x, i: F.cross_entropy(x.unsqueeze(2).expand(-1, -1, 3), i[:, ::2]),
    "nll_loss": lambda x, i: F.nll_loss(x, i[:, 0]),
    "gather": lambda x, i: x.gather(1, i[:, ::2]),
    "index_select": lambda x, i: x.index_select(1, i[:, 0]),
    "embedding": lambda x, i: F.embedding(i[:, ::2], x),
}


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.bfloat16], ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_results_and_gradients_are_those_of_contiguous_indices(name: str, dtype: Any) -> None:
    """Bit by bit, in calls by native code and without it."""
    sg.manual_seed(0)
    x, i = sg.randn(8, 9).to(dtype), sg.randint(0, 8, (8, 5))
    small = i.clone()

    class Contiguous:
        def __getitem__(self, key: Any) -> Any:
            return small[key].contiguous()

    expected = outcome(name, x, Contiguous())
    for _ in range(3):
        assert outcome(name, x, i) == expected
    with watched(True):
        assert outcome(name, x, i)[0] == expected[0]


def outcome(name: str, x: Any, indices: Any) -> list[Any]:
    leaf = x.detach().requires_grad_()
    result = CALLS[name](leaf, indices)
    (gradient,) = sg.autograd.grad(result.sum(), leaf)
    return [each.detach().reshape(-1).view(sg.uint8).numpy().tobytes() for each in (result, gradient)]


def test_native_code_takes_them() -> None:
    """A target in a column is for `launch`, once it has been seen; a class that is none is still refused."""
    x, i = sg.randn(6, 4), sg.tensor([[0, 1], [1, 1], [2, 0], [3, 3], [0, 2], [2, 2]])
    F.cross_entropy(x, i[:, 0])
    assert CROSS_ENTROPY_LOSS.launch(x, i[:, 0], None, 1, -100, 0.0) is not None
    i[3, 0] = 4
    with pytest.raises(IndexError):
        F.cross_entropy(x, i[:, 0])
