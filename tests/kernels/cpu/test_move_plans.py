"""Plans of ops that move elements: found from what the op does to the places of the elements, in any layout."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from specgrad.runtime.kernels.cpu.move_plans import each_moved, moved, runs_moved, runs_of
from specgrad.runtime.kernels.cpu.plan import Layout, Plan, layout_of, run

Array = np.ndarray
NUMBERS = np.random.default_rng(0).standard_normal((6, 7, 8)).astype(np.float32)
LAYOUTS = [NUMBERS, NUMBERS.T, NUMBERS[:, ::2], NUMBERS[1:4, :, 3], NUMBERS[:1, :1, :1], NUMBERS[2, 3, 4:5]]
MOVES: dict[str, Callable[[Array], Array]] = {
    "as it is": lambda a: a,
    "backwards": lambda a: a[..., ::-1],
    "all backwards": np.flip,
    "turned": lambda a: np.roll(a, 3),
    "repeated": lambda a: np.repeat(a, 3, -1),
    "each row twice": lambda a: np.repeat(a, 2, 0),
    "transposed": np.transpose,
    "framed": lambda a: np.pad(a, 2),
    "every third": lambda a: a.ravel()[::3],
    "spread": lambda a: np.kron(a, np.array([1] + [0] * 6)),
}


@pytest.mark.parametrize("name", MOVES)
@pytest.mark.parametrize("number", range(len(LAYOUTS)))
def test_results_are_where_the_op_leaves_them(name: str, number: int) -> None:
    array, move = LAYOUTS[number], MOVES[name]

    def find(x: Layout) -> Plan | None:
        return moved(x, move)

    assert np.array_equal(run(find, array)[0], move(array))


def test_what_nothing_comes_to_gets_the_value() -> None:
    found = run(lambda x: moved(x, lambda a: np.pad(a, ((0, 0), (1, 2))), 2.5), NUMBERS[0])[0]
    assert np.array_equal(found, np.pad(NUMBERS[0], ((0, 0), (1, 2)), constant_values=2.5))


def test_neighbours_are_moved_together() -> None:
    long, separate = np.zeros((20, 50), np.float32), NUMBERS[0]
    assert moved(layout_of(long), lambda a: np.pad(a, 1))[0].kernel.__name__.startswith(runs_moved.__name__[:10])  # type: ignore[index]
    assert moved(layout_of(separate), np.transpose)[0].kernel.__name__.startswith(each_moved.__name__[:10])  # type: ignore[index]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ([0, 1, 2, 5, 6], [[0, 1, 3], [5, 1, 2]]),
        ([4, 3, 2, -1, -1], [[4, -1, 3], [-1, 0, 2]]),
        ([-1, 0, 1], [[-1, 1, 1], [0, 1, 2]]),
        ([7, 7, 7], [[7, 0, 3]]),
        ([3], [[3, 1, 1]]),
    ],
)
def test_runs(table: list[int], expected: list[list[int]]) -> None:
    assert runs_of(np.array(table)).tolist() == expected


def test_there_is_no_plan_for_many() -> None:
    assert moved(Layout((1 << 17,), None), np.flip) is None
    assert moved(Layout((200, 200), None), np.transpose) is None
