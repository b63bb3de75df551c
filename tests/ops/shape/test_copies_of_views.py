"""Copies of views lie in rows, as PyTorch's do, whatever the tensor's layout is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg

CALLS: dict[str, tuple[Any, ...]] = {
    "alias": (),
    "as_strided": ((2, 2), (1, 2)),
    "detach": (),
    "diagonal": (1,),
    "expand": ((5, 2, 4, 3),),
    "narrow": (0, 0, 2),
    "permute": ((1, 0, 2),),
    "select": (1, 1),
    "slice": (1, 0, 3),
    "split": (1,),
    "squeeze": (),
    "transpose": (0, 1),
    "unbind": (),
    "unfold": (1, 2, 1),
    "unsqueeze": (0,),
}


@pytest.mark.parametrize("name", CALLS)
def test_in_rows(name: str) -> None:
    x = sg.tensor(np.random.default_rng(0).standard_normal((4, 3, 2))).permute(2, 0, 1)
    views = {"alias": x.view_as, "slice": lambda dim, start, end: x.narrow(dim, start, end - start)}
    view = views.get(name) or getattr(x, name)
    wanted = view(x) if name == "alias" else view(*CALLS[name])
    for _ in range(2):
        found = getattr(sg, f"{name}_copy")(x, *CALLS[name])
        pairs = zip(found, wanted, strict=True) if isinstance(found, tuple) else [(found, wanted)]
        for copy, piece in pairs:
            assert copy.is_contiguous() and copy._storage is not x._storage
            np.testing.assert_array_equal(copy.numpy(), piece.numpy())
