"""Datasets, samplers, and making batches."""

import collections
from typing import Any

import numpy as np
import pytest

import specgrad as sg


def test_tensor_dataset(lib: Any) -> None:
    """Sample i is the tuple of the i-th entries."""
    data = lib.utils.data.TensorDataset(lib.arange(6).reshape(3, 2), lib.arange(3))
    assert len(data) == 3
    x, y = data[-1]
    assert x.tolist() == [4, 5] and y.item() == 2
    with pytest.raises(AssertionError, match="Size mismatch between tensors"):
        lib.utils.data.TensorDataset(lib.ones(2), lib.ones(3))


def test_collated_is_a_short_cut() -> None:
    """Batches of a TensorDataset made at once equal those made sample by sample; subclasses are not cut short."""
    data = sg.utils.data.TensorDataset(sg.randn(5, 2), sg.arange(5))
    part = sg.utils.data.Subset(data, [4, 0, 2])
    for source, indices in ((data, [3, 0]), (part, [2, 0])):
        slow = sg.utils.data.default_collate([source[i] for i in indices])
        assert all((a == b).all() for a, b in zip(source.collated(indices), slow, strict=True))

    class Doubled(sg.utils.data.TensorDataset):
        def __getitem__(self, index: Any) -> Any:
            return tuple(t * 2 for t in super().__getitem__(index))

    (batch,) = next(iter(sg.utils.data.DataLoader(Doubled(sg.ones(2)), batch_size=2)))
    assert batch.tolist() == [2.0, 2.0]


def test_subset_and_split(lib: Any) -> None:
    """A split covers every sample once; sizes may be fractions."""
    split = lib.utils.data.random_split
    parts = split(range(10), [3, 7], generator=lib.Generator().manual_seed(0))
    assert sorted([*parts[0], *parts[1]]) == list(range(10))
    assert [len(p) for p in parts] == [3, 7]
    again = split(range(10), [3, 7], generator=lib.Generator().manual_seed(0))
    assert list(parts[0]) == list(again[0])
    assert [len(p) for p in split(range(10), [0.75, 0.25])] == [8, 2]
    assert [len(p) for p in split(range(10), [1 / 3] * 3)] == [4, 3, 3]
    with pytest.warns(UserWarning, match="Length of split at index 3 is 0"):
        assert [len(p) for p in split(range(7), [0.3, 0.3, 0.3, 0.1])] == [3, 2, 2, 0]


def test_bad_splits(lib: Any) -> None:
    """Sizes must sum to the length, and fractions lie between 0 and 1."""
    with pytest.raises(ValueError, match="Sum of input lengths does not equal"):
        lib.utils.data.random_split(range(10), [3, 4])
    with pytest.raises(ValueError, match="Fraction at index 0 is not between 0 and 1"):
        lib.utils.data.random_split(range(10), [1.5, -0.5])


def test_samplers(lib: Any) -> None:
    """In order, in random order, with replacement, repeated, of a subset, in batches."""
    d = lib.utils.data
    assert list(d.SequentialSampler("abcd")) == [0, 1, 2, 3]
    assert sorted(d.RandomSampler("abcd")) == [0, 1, 2, 3]
    more = list(d.RandomSampler("abcd", num_samples=10))
    assert sorted(more[:4]) == sorted(more[4:8]) == [0, 1, 2, 3] and len(more) == 10
    sampled = d.RandomSampler("abcd", replacement=True, num_samples=40)
    assert len(list(sampled)) == len(sampled) == 40 and set(sampled) <= {0, 1, 2, 3}
    assert sorted(d.SubsetRandomSampler([7, 3, 5])) == [3, 5, 7]
    assert list(d.BatchSampler(range(5), 2, False)) == [[0, 1], [2, 3], [4]]
    assert list(d.BatchSampler(range(5), 2, True)) == [[0, 1], [2, 3]]
    assert len(d.BatchSampler(range(5), 2, False)) == 3 and len(d.BatchSampler(range(5), 2, True)) == 2


def test_random_order_is_repeatable(lib: Any) -> None:
    """A generator, or the seed of the default one, fixes the order, which differs from pass to pass."""
    sampler = lib.utils.data.RandomSampler(range(50), generator=lib.Generator().manual_seed(5))
    other = lib.utils.data.RandomSampler(range(50), generator=lib.Generator().manual_seed(5))
    first, second = list(sampler), list(sampler)
    assert first != second and [list(other), list(other)] == [first, second]
    lib.manual_seed(1)
    a = list(lib.utils.data.RandomSampler(range(50)))
    lib.manual_seed(1)
    assert list(lib.utils.data.RandomSampler(range(50))) == a


def test_bad_samplers(lib: Any) -> None:
    """Numbers must be positive ints, flags bools."""
    d = lib.utils.data
    with pytest.raises(ValueError, match="num_samples should be a positive integer value, but got num_samples=0"):
        d.RandomSampler([])
    with pytest.raises(TypeError, match="replacement should be a boolean value"):
        d.RandomSampler("ab", replacement=3)
    with pytest.raises(ValueError, match="batch_size should be a positive integer value, but got batch_size=True"):
        d.BatchSampler("ab", True, False)
    with pytest.raises(ValueError, match="drop_last should be a boolean value"):
        d.BatchSampler("ab", 1, 3)


Point = collections.namedtuple("Point", "x y")


def test_default_collate(lib: Any) -> None:
    """Tensors, arrays and numbers become tensors; structures keep their form, tuples become lists."""
    collate = lib.utils.data.default_collate
    assert collate([1, 2]).dtype == lib.int64 and collate([True, False]).dtype == lib.bool
    assert collate([1.0, 2.0]).dtype == lib.float64
    assert collate([np.float32(1), np.float32(2)]).dtype == lib.float32
    assert collate([lib.ones(2), lib.zeros(2)]).tolist() == [[1, 1], [0, 0]]
    assert collate([np.ones(2, np.int16)] * 3).dtype == lib.int16
    assert collate([np.array(3), np.array(4)]).tolist() == [3, 4]
    assert collate(["a", "b"]) == ["a", "b"] and collate([b"a"]) == [b"a"]
    assert collate([{"a": 1}, {"a": 2}])["a"].tolist() == [1, 2]
    assert isinstance(collate([collections.OrderedDict(a=1)]), collections.OrderedDict)
    assert [c.tolist() for c in collate([(1, 2.0), (3, 4.0)])] == [[1, 3], [2.0, 4.0]]
    point = collate([Point(1, 2), Point(3, 4)])
    assert isinstance(point, Point) and point.y.tolist() == [2, 4]
    assert [c.tolist() for c in collate([range(2), range(2)])] == [[0, 0], [1, 1]]


@pytest.mark.parametrize(
    ("batch", "error", "message"),
    [
        ([object()], TypeError, "batch must contain tensors, numpy arrays, numbers, dicts or lists; found <class 'obj"),
        ([None], TypeError, "found <class 'NoneType'>"),
        ([np.array(["a"])], TypeError, "found <U1"),
        ([[1], [1, 2]], RuntimeError, "each element in list of batch should be of equal size"),
        ([np.ones(2), np.ones(3)], RuntimeError, "equal size"),
        ([], IndexError, "list index out of range|the batch is empty"),
    ],
)
def test_collate_errors(lib: Any, batch: Any, error: type, message: str) -> None:
    """What makes no batch is named."""
    with pytest.raises(error, match=message):
        lib.utils.data.default_collate(batch)


def test_default_convert(lib: Any) -> None:
    """Arrays become tensors inside any structure; other values stay."""
    convert = lib.utils.data.default_convert
    assert convert(np.ones(2)).dtype == lib.float64 and convert(1) == 1 and convert("a") == "a"
    assert convert({"a": [np.ones(1)]})["a"][0].tolist() == [1.0]
    assert isinstance(convert(Point(np.ones(1), 2)).x, lib.Tensor)
