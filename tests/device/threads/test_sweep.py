"""Large computations go through memory to and fro: every second one backward, with the same results."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.device.threads.job import ALTERNATING_ELEMENTS, SECTION, SLICE, Job, slot_values

SIZES = (ALTERNATING_ELEMENTS - 1, ALTERNATING_ELEMENTS, ALTERNATING_ELEMENTS + 1, 5 * ALTERNATING_ELEMENTS + 77)
INDEX_TYPE = sg.arange(800) * 7 % 900  # more than are looked up at once
Call = Callable[[sg.Tensor, sg.Tensor], sg.Tensor]


def copied_apart(a: sg.Tensor) -> sg.Tensor:
    """Elements that are written to every second place."""
    result = sg.zeros(2 * a.numel())
    result[::2] = a
    return result


OPS: dict[str, Call] = {
    "element-wise": lambda a, b: a * b + 1.5,
    "a row": lambda a, b: a.reshape(-1, 1) * b[:9],
    "rows": lambda a, b: a[: a.numel() // 7 * 7].reshape(7, -1) + b[:7].reshape(7, 1),
    "sum": lambda a, b: a.sum(),
    "norm": lambda a, b: sg.linalg.vector_norm(a),
    "max": lambda a, b: a.max(),
    "sums of rows": lambda a, b: a[: a.numel() // 33 * 33].reshape(-1, 33).sum(1),
    "softmax": lambda a, b: sg.softmax(a[: a.numel() // 33 * 33].reshape(-1, 33), 1),
    "a copy": lambda a, b: a.clone(),
    "a copy of every second": lambda a, b: a[::2].clone(),
    "a copy of columns": lambda a, b: a[: a.numel() // 33 * 33].reshape(-1, 33)[:, 4:20].contiguous(),
    "a copy of few rows as columns": lambda a, b: a[: a.numel() // 3 * 3].reshape(3, -1).t().contiguous(),
    "joined": lambda a, b: sg.cat([a[: a.numel() // 5 * 5].reshape(-1, 5), b[: a.numel() // 5 * 5].reshape(-1, 5)], 1),
    "columns by number": lambda a, b: a[: a.numel() // 900 * 900].reshape(-1, 900)[:, INDEX_TYPE],
    "rows by number": lambda a, b: a[: a.numel() // 30 * 30].reshape(-1, 30)[-INDEX_TYPE],
    "elements of lines": lambda a, b: a.reshape(1, -1).gather(1, sg.arange(a.numel()).flip(0).reshape(1, -1)),
    "elements apart": lambda a, b: copied_apart(a),
    "one number": lambda a, b: a.new_full((a.numel(),), 2.5),
    "layer norm": lambda a, b: sg.nn.functional.layer_norm(a[: a.numel() // 33 * 33].reshape(-1, 33), (33,)),
    "padding": lambda a, b: sg.nn.functional.pad(a[: a.numel() // 64 * 64].reshape(1, -1, 64), (3, 2), "reflect"),
    "a matrix by a vector": lambda a, b: a[: a.numel() // 33 * 33].reshape(-1, 33) @ b[:33],
    "in place": lambda a, b: a.clone().add_(b, alpha=2.0),
    "gradients": lambda a, b: sg.autograd.grad((a.requires_grad_() * b).exp().sum(), a)[0],
}


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    """The number of threads is as before."""
    before = sg.get_num_threads()
    yield
    sg.set_num_threads(before)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", OPS)
def test_both_ways_give_the_same(name: str, size: int, count: int) -> None:
    """The bits of the first call are those of the second, which goes the other way, by any number of threads."""
    a, b = (sg.tensor(np.random.default_rng(k).standard_normal(size).astype(np.float32)) for k in range(2))
    sg.set_num_threads(1)
    requested = OPS[name](a.detach(), b).detach().numpy().tobytes()
    sg.set_num_threads(count)
    for _ in range(3):
        assert OPS[name](a.detach(), b).detach().numpy().tobytes() == requested


def test_every_element_is_computed_once() -> None:
    """Sections cover an array, whatever is left over at its end."""
    sg.set_num_threads(1)
    for size in (ALTERNATING_ELEMENTS, ALTERNATING_ELEMENTS + SECTION - 1, ALTERNATING_ELEMENTS + SLICE + 3):
        x = sg.arange(size, dtype=sg.float32)
        for _ in range(2):
            assert np.array_equal((x + 1).numpy(), np.arange(size, dtype=np.float32) + 1)


def test_every_second_goes_backward() -> None:
    """Large ones change the direction, others do not."""
    sg.set_num_threads(1)
    large, small = sg.ones(ALTERNATING_ELEMENTS), sg.ones(100)

    def ways(x: sg.Tensor) -> list[int]:
        found = []
        for _ in range(4):
            x + x
            found.append(int(slot_values[Job.word("sweep_direction")]))
        return found

    ways(large)
    assert ways(large) in ([0, 1, 0, 1], [1, 0, 1, 0])
    assert len(set(ways(small))) == 1
