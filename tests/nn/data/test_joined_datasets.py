"""Datasets made of others, and samples drawn with given probabilities."""

from typing import Any

import numpy as np
import pytest


def counting(lib: Any, count: int) -> Any:
    """An iterable dataset of the first numbers."""

    class Counting(lib.utils.data.IterableDataset):  # type: ignore[misc]
        """Numbers from 0."""

        def __iter__(self) -> Any:
            return iter(range(count))

        def __len__(self) -> int:
            return count

    return Counting()


def test_one_after_the_other(lib: Any) -> None:
    """By index, from either end, and by +."""
    data = lib.utils.data
    concatenated = data.ConcatDataset(["ab", "", "cde"])
    assert len(concatenated) == 5 and concatenated.cumulative_sizes == [2, 2, 5]
    assert [concatenated[i] for i in range(5)] == list("abcde") and concatenated[-5] == "a"
    with pytest.raises(ValueError, match="should not exceed dataset length"):
        print(concatenated[-6])
    with pytest.raises(IndexError):
        print(concatenated[5])
    part = data.TensorDataset(lib.arange(3))
    both = part + part
    assert type(both) is data.ConcatDataset and both[4][0] == 1
    assert [batch.tolist() for batch in data.DataLoader(data.ConcatDataset([[1, 2], [3]]), 2)] == [[1, 2], [3]]
    for wrong, message in (([], "empty iterable"), ([counting(lib, 2)], "does not support IterableDataset")):
        with pytest.raises(AssertionError, match=message):
            data.ConcatDataset(wrong)


def test_a_chain(lib: Any) -> None:
    """Without indices, and by +."""
    data = lib.utils.data
    chained = counting(lib, 3) + counting(lib, 2)
    assert type(chained) is data.ChainDataset and list(chained) == [0, 1, 2, 0, 1] and len(chained) == 5
    with pytest.raises(AssertionError, match="only supports IterableDataset"):
        list(data.ChainDataset([[1]]))


def test_side_by_side(lib: Any) -> None:
    """Tuples, or dicts; batches come at once from datasets that can."""
    data = lib.utils.data
    assert data.StackDataset("ab", [1, 2])[1] == ("b", 2)
    named = data.StackDataset(arg_kind="ab", number=data.Subset([7, 8, 9], [2, 0]))
    assert named[0] == {"arg_kind": "a", "number": 9} and len(named) == 2
    assert named.__getitems__([1, 0]) == [{"arg_kind": "b", "number": 7}, {"arg_kind": "a", "number": 9}]
    for arguments, names, message in (
        ((), {}, "At least one dataset"),
        (([1],), {"a": [1]}, "but both types are given"),
        (([1], [1, 2]), {}, "Size mismatch between datasets"),
    ):
        with pytest.raises(ValueError, match=message):
            data.StackDataset(*arguments, **names)


def test_probabilities(lib: Any) -> None:
    """In proportion to the weights, or each once."""
    draw = lib.utils.data.WeightedRandomSampler
    sampler = draw([1.0, 3.0, 0.0], 2000, generator=lib.Generator().manual_seed(3))
    counts = np.bincount(list(sampler), minlength=3) / 2000
    np.testing.assert_allclose(counts, [0.25, 0.75, 0], atol=0.04)
    assert len(sampler) == 2000 and sampler.weights.dtype is lib.float64
    assert sorted(draw([1, 2, 3], 3, replacement=False)) == [0, 1, 2]
    for arguments in (([0.1], 0), ([0.1], 2, 1), ([[0.1]], 2)):
        with pytest.raises(ValueError, match="should be a"):
            draw(*arguments)
