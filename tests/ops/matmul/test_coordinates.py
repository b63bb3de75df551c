"""Products with matrices that are given by coordinates, of any order of rows: against sums in NumPy."""

import numpy as np
import pytest

import specgrad as sg
from specgrad.nn import functional as F
from specgrad.runtime.namespace import op

ROWS, DEPTH, NUMBERS = 37, 50, 900


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
@pytest.mark.parametrize("width", [1, 7, 16, 64, 131, 400])
@pytest.mark.parametrize("in_order", [True, False])
def test_product(dtype: type, width: int, in_order: bool) -> None:
    """Rows in runs of all lengths, and each by itself; some rows have nothing."""
    rng = np.random.default_rng(width)
    row, column = rng.integers(0, ROWS - 5, NUMBERS), rng.integers(0, DEPTH, NUMBERS)
    if in_order:
        row.sort()
    x, b = rng.standard_normal(NUMBERS), rng.standard_normal((DEPTH, width))
    if dtype is np.complex64:
        x, b = x + 1j * rng.standard_normal(NUMBERS), b * (1 - 2j)
    x, b = x.astype(dtype), b.astype(dtype)
    wide = np.result_type(dtype, np.float64)
    requested = np.zeros((ROWS, width), wide)
    np.add.at(requested, row, x.astype(wide)[:, None] * b[column])
    found = op.coordinate_mm(*map(sg.tensor, (x, row, column)), ROWS, sg.tensor(b)).numpy()
    assert found.dtype == dtype
    np.testing.assert_allclose(found, requested, rtol=0, atol=1e-12 if dtype is np.float64 else 2e-5)


def test_threads_give_the_same_bits() -> None:
    """Threads share columns, so each element is summed in the order of the numbers."""
    rng, threads = np.random.default_rng(0), sg.get_num_threads()
    row, column = (sg.tensor(rng.integers(0, 500, 40_000)) for _ in range(2))
    x, b = (sg.tensor(rng.standard_normal(shape).astype(np.float32)) for shape in ((40_000,), (500, 100)))
    try:
        found = []
        for count in (1, 2, 3):
            sg.set_num_threads(count)
            found.append(op.coordinate_mm(x, row, column, 500, b).numpy().tobytes())
    finally:
        sg.set_num_threads(threads)
    assert len(set(found)) == 1


def test_nothing_is_read_that_is_not_named() -> None:
    """A nan in a row that no number names, and zeros in rows that nothing is added to."""
    b = sg.tensor([[1.0, 2.0], [float("nan")] * 2])
    found = op.coordinate_mm(sg.ones(2), sg.tensor([2, 2]), sg.tensor([0, 0]), 3, b)
    assert found.tolist() == [[0, 0], [0, 0], [2, 4]]


@pytest.mark.parametrize(("row", "column"), [(3, 0), (-1, 0), (0, 2), (0, -1)])
def test_refused(row: int, column: int) -> None:
    """What lies outside of either matrix, with its name."""
    for width in (2, 64):
        with pytest.raises(IndexError, match=r"coordinate_mm\(\): index out of range: expected (row|column) in"):
            op.coordinate_mm(sg.ones(1), sg.tensor([row]), sg.tensor([column]), 3, sg.ones(2, width))


@pytest.mark.parametrize("mode", ["sum", "mean"])
@pytest.mark.parametrize("dtype", [sg.float32, sg.bfloat16])
def test_bags(mode: str, dtype: sg.dtype) -> None:
    """Rows of indices, and bags of all sizes, some of them empty; with 16-bit floats as well."""
    rng = np.random.default_rng(1)
    table = sg.tensor(rng.standard_normal((300, 48)), dtype=dtype)
    index = rng.integers(0, 300, (40, 9))
    offsets = np.sort(np.append(rng.integers(0, 360, 39), 0))
    rows = table.double().numpy()[index]
    found = F.embedding_bag(sg.tensor(index), table, mode=mode).double().numpy()
    tolerance = 1e-5 if dtype is sg.float32 else 0.1
    np.testing.assert_allclose(found, getattr(rows, mode)(1), rtol=0, atol=tolerance)
    found = F.embedding_bag(sg.tensor(index.ravel()), table, sg.tensor(offsets), mode=mode).double().numpy()
    parts = np.split(rows.reshape(-1, 48), offsets[1:])
    requested = np.stack([part.sum(0) / (max(len(part), 1) if mode == "mean" else 1) for part in parts])
    np.testing.assert_allclose(found, requested, rtol=0, atol=tolerance if dtype is sg.float32 else 1)
