"""DataLoader with worker processes: order, random numbers, what is sent."""

import multiprocessing
import os
import time
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.utils.data import DataLoader, Dataset, TensorDataset, get_worker_info
from tests.patience import comes_true

from .examples import Numbers, Shares, forked, lists

pytestmark = pytest.mark.cpu("a forked process makes no tensors on a device")


@pytest.mark.parametrize("workers", [1, 3])
def test_order_is_preserved(workers: int) -> None:
    """Batches come in order, also when later ones are ready first."""

    def act(index: int) -> int:
        time.sleep(0.02 if index % 4 == 0 else 0)
        return index

    loader = forked(Numbers(20, act), batch_size=3, num_workers=workers)
    assert lists(loader) == lists(DataLoader(Numbers(20), batch_size=3))


@pytest.mark.parametrize("dataset", [TensorDataset(sg.arange(40).reshape(20, 2)), Numbers(20)])
def test_number_of_workers_does_not_change_the_order(dataset: Any) -> None:
    """With one seed, shuffled batches are the same with and without workers."""

    def batches(workers: int) -> list[Any]:
        sg.manual_seed(3)
        loader = DataLoader(dataset, batch_size=4, shuffle=True, num_workers=workers)
        return [[x.tolist() for x in b] if isinstance(b, list) else b.tolist() for _ in range(2) for b in loader]

    assert batches(0) == batches(2)


def test_iterable_in_turn() -> None:
    """Workers give their shares in turn; one that ends first is left out."""
    assert lists(DataLoader(Shares(7), batch_size=2, num_workers=2)) == [[0, 2], [1, 3], [4, 6], [5]]
    assert lists(DataLoader(Shares(1), batch_size=2, num_workers=3)) == [[0]]
    assert list(DataLoader(Shares(4), batch_size=None, num_workers=2)) == [0, 1, 2, 3]


class Threads(Dataset[int]):
    """How many threads an operation may use where an example is made, after one that is large enough for several."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> int:
        assert sg.ones(1 << 17).add_(index).sum().item() == (index + 1) << 17
        return sg.get_num_threads()


def test_each_worker_has_one_thread() -> None:
    """Also where the parent has threads at work; the parent keeps its own."""
    before = sg.get_num_threads()
    sg.set_num_threads(2)
    try:
        sg.ones(1 << 17).add_(1)
        found = [number for batch in DataLoader(Threads(), num_workers=2) for number in batch.tolist()]
        assert found == [1] * 4 and sg.get_num_threads() == 2
    finally:
        sg.set_num_threads(before)


def test_worker_info() -> None:
    """A worker knows its number, its seed and its copy of the dataset; outside there is nothing to know."""
    assert get_worker_info() is None
    data = Numbers(4)

    def act(index: int) -> Any:
        info: Any = get_worker_info()
        return [info.id, info.num_workers, info.dataset is data, os.getpid() != parent]

    parent = os.getpid()
    data.act = act
    found = [[x.item() for x in sample] for sample in forked(data, num_workers=2)]
    assert found == [[0, 2, True, True], [1, 2, True, True]] * 2


def test_workers_draw_different_repeatable_numbers() -> None:
    """Random numbers differ between workers and passes, and are fixed by the seed."""

    def act(index: int) -> Any:
        import random

        return [sg.rand(1).item(), random.random(), float(np.random.random())]

    def draw() -> list[Any]:
        sg.manual_seed(9)
        loader = forked(Numbers(2, act), num_workers=2)
        return [[x.item() for x in sample] for _ in range(2) for sample in loader]

    first = draw()
    assert first == draw()
    assert len({value for sample in first for value in sample}) == 12


def test_prefetching() -> None:
    """Workers make batches ahead while nobody asks, as many as were allowed and no more."""
    made = multiprocessing.Value("i", 0)

    def act(index: int) -> int:
        with made.get_lock():
            made.value += 1
        return index

    iterator = iter(forked(Numbers(50, act), num_workers=1, prefetch_factor=5))
    assert comes_true(lambda: made.value >= 5)
    time.sleep(0.05)  # one too many would come by then, mostly
    assert made.value == 5
    next(iterator)


def test_large_batches_and_small_views() -> None:
    """Batches larger than a pipe's buffer arrive whole; of a view only its own elements are sent."""
    loader = forked(Numbers(6, lambda index: sg.full((300_000,), float(index))), num_workers=2)
    assert [(batch == i).all().item() for i, batch in enumerate(loader)] == [True] * 6
    entire = sg.arange(1_000_000)
    (first, *_) = forked(Numbers(2, lambda index: entire[index : index + 2]), batch_size=None, num_workers=1)
    assert first.tolist() == [0, 1] and len(first._storage) == 2


def test_spawn() -> None:
    """Workers may be started afresh instead of forked."""
    loader = DataLoader(Numbers(3), num_workers=1, multiprocessing_context="spawn")
    assert lists(loader) == [[0], [1], [2]]
