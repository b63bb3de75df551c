"""DataLoader in one process: what comes in which order, and which arguments fit together."""

from collections.abc import Iterator
from typing import Any

import pytest


def _lists(loader: Any) -> list[Any]:
    return [batch.tolist() if hasattr(batch, "tolist") else batch for batch in loader]


def _counting(lib: Any, length: int | None = None) -> Any:
    class Counting(lib.utils.data.IterableDataset):  # type: ignore[name-defined, misc]
        def __iter__(self) -> Iterator[int]:
            return iter(range(5))

    class Sized(Counting):
        def __len__(self) -> int:
            return length or 0

    return Counting() if length is None else Sized()


def test_batches(lib: Any) -> None:
    """Batches in order, the last one smaller or left out."""
    load = lib.utils.data.DataLoader
    assert _lists(load(range(5), batch_size=2)) == [[0, 1], [2, 3], [4]]
    assert _lists(load(range(5), batch_size=2, drop_last=True)) == [[0, 1], [2, 3]]
    assert _lists(load(range(3))) == [[0], [1], [2]]
    assert [len(load(range(5), batch_size=2, drop_last=d)) for d in (False, True)] == [3, 2]


def test_single_samples(lib: Any) -> None:
    """With batch_size None each sample comes alone and converted."""
    loader = lib.utils.data.DataLoader([1, "a"], batch_size=None)
    assert _lists(loader) == [1, "a"] and len(loader) == 2


def test_shuffle(lib: Any) -> None:
    """Each pass has a new order, fixed by the generator; every sample comes once."""
    load = lib.utils.data.DataLoader
    loader = load(range(40), batch_size=8, shuffle=True, generator=lib.Generator().manual_seed(1))
    again = load(range(40), batch_size=8, shuffle=True, generator=lib.Generator().manual_seed(1))
    first, second = _lists(loader), _lists(loader)
    assert first != second and sorted(sum(first, [])) == list(range(40))
    assert [_lists(again), _lists(again)] == [first, second]


def test_samplers(lib: Any) -> None:
    """An order, or whole batches, of one's own."""
    load = lib.utils.data.DataLoader
    assert _lists(load(range(10), sampler=[3, 1, 2], batch_size=2)) == [[3, 1], [2]]
    assert _lists(load(range(10), batch_sampler=[[5], [1, 2]])) == [[5], [1, 2]]


def test_collate_fn_and_getitems(lib: Any) -> None:
    """collate_fn makes the batch of a list of samples, which __getitems__ may give at once."""

    class FullInliner(lib.utils.data.Dataset):  # type: ignore[name-defined, misc]
        def __getitems__(self, indices: list[int]) -> list[int]:
            return [10 * i for i in indices]

        def __len__(self) -> int:
            return 4

    assert list(lib.utils.data.DataLoader(FullInliner(), batch_size=3, collate_fn=sum)) == [30, 30]


def test_iterable(lib: Any) -> None:
    """Iterable datasets come in the order they give."""
    load = lib.utils.data.DataLoader
    assert _lists(load(_counting(lib), batch_size=2)) == [[0, 1], [2, 3], [4]]
    assert _lists(load(_counting(lib), batch_size=2, drop_last=True)) == [[0, 1], [2, 3]]
    assert _lists(load(_counting(lib), batch_size=None)) == [0, 1, 2, 3, 4]
    assert len(load(_counting(lib, 5), batch_size=2)) == 3
    assert len(load(_counting(lib, 5), batch_size=2, drop_last=True)) == 2
    with pytest.raises(TypeError, match="has no len"):
        len(load(_counting(lib)))


def test_iterator(lib: Any) -> None:
    """An iterator knows its length and can be asked batch by batch."""
    iterator = iter(lib.utils.data.DataLoader(range(3)))
    assert iter(iterator) is iterator and len(iterator) == 3 and next(iterator).tolist() == [0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_workers": -1}, "num_workers option should be non-negative"),
        ({"timeout": -1}, "timeout option should be non-negative"),
        ({"prefetch_factor": 2}, "prefetch_factor option could only be specified in multiprocessing"),
        ({"persistent_workers": True}, "persistent_workers option needs num_workers > 0"),
        ({"shuffle": True, "sampler": [1]}, "sampler option is mutually exclusive with shuffle"),
        ({"batch_sampler": [[1]], "batch_size": 3}, "batch_sampler option is mutually exclusive with"),
        ({"batch_sampler": [[1]], "drop_last": True}, "batch_sampler option is mutually exclusive with"),
        ({"batch_size": None, "drop_last": True}, "batch_size=None option disables auto-batching"),
        ({"batch_size": 0}, "batch_size should be a positive integer value, but got batch_size=0"),
        ({"multiprocessing_context": "fork"}, "multiprocessing_context can only be used with multi-process loading"),
        ({"num_workers": 1, "multiprocessing_context": "x"}, "should specify a valid start method in"),
    ],
)
def test_arguments_that_do_not_fit(lib: Any, options: dict[str, Any], message: str) -> None:
    """Contradictions are found when the loader is made."""
    with pytest.raises(ValueError, match=message):
        lib.utils.data.DataLoader(range(4), **options)


@pytest.mark.parametrize("option", [{"shuffle": True}, {"sampler": [1]}, {"batch_sampler": [[1]]}])
def test_iterable_takes_no_order(lib: Any, option: dict[str, Any]) -> None:
    """An iterable dataset has its own order."""
    with pytest.raises(ValueError, match=f"expected unspecified {next(iter(option))} option"):
        lib.utils.data.DataLoader(_counting(lib), **option)


def test_fixed_attributes(lib: Any) -> None:
    """What the order depends on cannot be changed afterwards."""
    loader = lib.utils.data.DataLoader(range(4))
    for name in ("batch_size", "dataset", "sampler", "drop_last", "batch_sampler", "persistent_workers"):
        with pytest.raises(ValueError, match=f"{name} attribute should not be set after DataLoader is initialized"):
            setattr(loader, name, 3)
    loader.num_workers = 0


def test_errors_pass_through(lib: Any) -> None:
    """Without workers an exception of the dataset is the loader's."""

    class Broken(lib.utils.data.Dataset):  # type: ignore[name-defined, misc]
        def __len__(self) -> int:
            return 2

        def __getitem__(self, index: int) -> int:
            raise KeyError(index)

    with pytest.raises(KeyError, match="0"):
        next(iter(lib.utils.data.DataLoader(Broken())))


def test_a_loader_whose_dataset_makes_batches(lib: Any) -> None:
    """A subclass may say that batches are not made of samples, and what gives the indices: that is how it loads."""

    class Rows(lib.utils.data.Dataset):  # type: ignore[misc, name-defined]
        def __len__(self) -> int:
            return 5

        def __getitem__(self, index: Any) -> Any:
            return lib.arange(5)[lib.tensor(index)]

    class Batches(lib.utils.data.DataLoader):  # type: ignore[misc, name-defined]
        _auto_collation = False

        @property
        def _index_sampler(self) -> Any:
            return [[4, 3], [0]]

    loader = Batches(Rows(), batch_size=2, collate_fn=lambda rows: rows)
    assert [rows.tolist() for rows in loader] == [[4, 3], [0]] and len(loader) == 2
