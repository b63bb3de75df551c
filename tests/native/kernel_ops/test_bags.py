"""Bags of rows that begin at offsets, by one loop: against sums in float64, of any lengths, also of wrong offsets."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.nn.functional import embedding_bag

OPS: Any = sys.modules["specgrad.generated.ops.embedding"]
rng = np.random.default_rng(0)
OFFSETS = {"some": [0, 3, 3, 9], "one": [0], "empty ones": [0, 0, 0, 20, 20], "none": []}


def by_hand(table: Any, indices: Any, offsets: list[int], mode: str, padding: int | None, last: bool) -> Any:
    """Bag by bag in float64."""
    ends = offsets if last else [*offsets, len(indices)] if offsets else []
    bags = [indices[begin:end] for begin, end in zip(ends, ends[1:], strict=False)]
    retained = [bag[bag != padding] if padding is not None else bag for bag in bags]
    sums = [table[bag].sum(0) / (max(len(bag), 1) if mode == "mean" else 1) for bag in retained]
    return np.stack(sums) if sums else np.zeros((0, table.shape[1]))


@pytest.mark.parametrize("offsets", OFFSETS.values(), ids=OFFSETS)
@pytest.mark.parametrize("mode", ["sum", "mean"])
@pytest.mark.parametrize("padding", [None, 2])
@pytest.mark.parametrize(("dtype", "tolerance"), [(sg.float32, 1e-5), (sg.float64, 1e-14)])
def test_values_and_gradients(
    offsets: list[int], mode: str, padding: int | None, dtype: sg.dtype, tolerance: float
) -> None:
    """Of all widths of vectors, twice, as native code runs plans from the second call on; transposed by a product."""
    for width in (1, 3, 16, 37, 130):
        table, named = rng.normal(size=(7, width)), rng.integers(0, 7, 20)
        weight = sg.tensor(table).to(dtype).requires_grad_()
        for last in (False, bool(offsets)):
            given = [*offsets[:-1], 20] if last and len(offsets) > 1 else offsets
            expected = by_hand(table, named, given, mode, padding, last)
            above = rng.normal(size=expected.shape)
            unit = np.eye(7)
            transposed = by_hand(unit, named, given, mode, padding, last).T @ above
            for kind in (sg.int64, sg.int64, sg.int32):
                positions = sg.tensor(named).to(kind), weight, sg.tensor(given, dtype=kind)
                found = embedding_bag(*positions, mode=mode, padding_idx=padding, include_last_offset=last)
                (gradient,) = sg.autograd.grad((found * sg.tensor(above).to(dtype)).sum(), weight)
                np.testing.assert_allclose(found.detach().numpy(), expected, rtol=0, atol=20 * tolerance)
                np.testing.assert_allclose(gradient.numpy(), transposed, rtol=0, atol=20 * tolerance)
    assert any(plan is not None for plan in OPS.BAG_TOTALS.cached.values())


def test_padding_may_hold_anything() -> None:
    """A row that is left out may be infinite or nan; one that is named twice counts twice."""
    table = sg.tensor([[1.0], [float("nan")], [2.0]])
    found = embedding_bag(sg.tensor([0, 1, 2, 2, 1]), table, sg.tensor([0, 4]), mode="sum", padding_idx=1)
    assert found.tolist() == [[5.0], [0.0]]


def test_threads_give_the_same_bits() -> None:
    """However many share the bags, and the rows of the gradient."""
    table = sg.tensor(rng.normal(size=(999, 33)).astype(np.float32), requires_grad=True)
    named, starts = sg.tensor(rng.integers(0, 999, 40000)), sg.arange(0, 40000, 19)
    before, found = sg.get_num_threads(), []
    try:
        for threads in (1, 2, 3):
            sg.set_num_threads(threads)
            sums = embedding_bag(named, table, starts, mode="mean")
            found.append((sums.detach().numpy(), sg.autograd.grad(sums.square().sum(), table)[0].numpy()))
    finally:
        sg.set_num_threads(before)
    for sums, gradient in found[1:]:
        assert np.array_equal(sums, found[0][0]) and np.array_equal(gradient, found[0][1])


WRONG = {
    "an index behind the table": ([0, 7], [0], IndexError, "got 0 to 7"),
    "a negative index": ([0, -1], [0], IndexError, "got -1 to 0"),
    "a start behind 0": ([0, 1], [1], RuntimeError, "offsets\\[0\\] has to be 0"),
    "a start behind the end": ([0, 1], [0, 3], RuntimeError, "can not be greater than input's length"),
    "starts that decrease": ([0, 1, 2], [0, 2, 1], RuntimeError, "do not decrease"),
}


@pytest.mark.parametrize(("named", "starts", "error", "message"), WRONG.values(), ids=WRONG)
def test_wrong_numbers(named: list[int], starts: list[int], error: type[Exception], message: str) -> None:
    """The same errors as for other modes, again and again."""
    table = sg.ones(7, 3)
    for mode in ("sum", "mean", "sum", "mean"):
        with pytest.raises(error, match=message):
            embedding_bag(sg.tensor(named), table, sg.tensor(starts), mode=mode)
