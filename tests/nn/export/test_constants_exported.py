"""Tensors that a module makes otherwise than by calls, beside sizes that vary."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.export import Dim, export

pytestmark = pytest.mark.cpu("a graph is recorded the same way everywhere")


class SavedTensor(sg.nn.Module):
    """A tensor that is there before."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = [sg.tensor([1.0, 2.0])]

    def forward(self, x: Any) -> Any:
        return (x * self.weights[0]).sum()


class OfNumPy(sg.nn.Module):
    """A table of NumPy's, as long as the input."""

    def forward(self, x: Any) -> Any:
        return x + TABLES[x.shape[0]]


TABLES = {size: sg.from_numpy(np.arange(float(size))).float() for size in range(20)}


def test_constants_are_the_same_at_all_sizes() -> None:
    """One that is stays one; one that is chosen by a size is refused."""
    module = export(SavedTensor(), (sg.ones(3, 2),), dynamic_shapes=({0: Dim("n")},)).module()
    assert module(sg.ones(5, 2)) == 15
    assert sg.equal(export(OfNumPy(), (sg.ones(3),)).module()(sg.zeros(3)), TABLES[3])
    with pytest.raises(RuntimeError, match="otherwise than by calls"):
        export(OfNumPy(), (sg.ones(3),), dynamic_shapes=({0: Dim("n")},))
