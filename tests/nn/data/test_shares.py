"""Shares of samples for processes, batches by a table, and data pipes."""

import importlib
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.utils.data import IterDataPipe, MapDataPipe, functional_datapipe
from specgrad.utils.data.datapipes.iter import Concater, IterableWrapper

pytestmark = pytest.mark.cpu("samples are loaded on the CPU")


@pytest.mark.parametrize(("size", "processes"), [(5, 2), (10, 3), (2, 5), (6, 3), (1, 1)])
@pytest.mark.parametrize("drop_last", [False, True])
def test_shares(lib: Any, size: int, processes: int, drop_last: bool) -> None:
    """Shares are equally long; together they have all samples, unless some are left out for that."""
    kind = importlib.import_module(f"{lib.__name__}.utils.data.distributed").DistributedSampler
    for shuffle in (False, True):
        samplers = [
            kind(range(size), processes, rank, shuffle=shuffle, drop_last=drop_last) for rank in range(processes)
        ]
        shares = [list(sampler) for sampler in samplers]
        assert {len(share) for share in shares} == {len(samplers[0])}
        sampled = [index for share in shares for index in share]
        if drop_last:
            assert len(set(sampled)) == len(sampled) == size // processes * processes
        else:
            assert set(sampled) == set(range(size)) and len(sampled) == -(-size // processes) * processes
        if not shuffle and not drop_last:
            assert [share[0] for share in shares] == [rank % size for rank in range(processes)]


def test_epochs() -> None:
    """The order depends on seed and epoch, and on nothing else."""
    sampler = sg.utils.data.DistributedSampler(range(100), 2, 0, seed=3)
    first = list(sampler)
    sg.rand(3)
    assert list(sampler) == first
    sampler.set_epoch(1)
    assert list(sampler) != first
    assert list(sg.utils.data.DistributedSampler(range(100), 2, 0, seed=2))[:50] != first
    sampler.seed, sampler.epoch = 2, 1
    assert list(sampler) == first


def test_wrong_shares(lib: Any) -> None:
    """A number that there is not, or one that nobody knows."""
    kind = importlib.import_module(f"{lib.__name__}.utils.data.distributed").DistributedSampler
    for rank in (-1, 2):
        with pytest.raises(ValueError, match="Invalid rank"):
            kind(range(4), 2, rank)
    with pytest.raises((RuntimeError, ValueError)):
        kind(range(4))


def test_batches_by_a_table(lib: Any) -> None:
    """A function for a class makes its batches, also in containers."""
    module = importlib.import_module(f"{lib.__name__}.utils.data._utils.collate")

    class Own:
        def __init__(self, value: int) -> None:
            self.value = value

    table = {Own: lambda batch, *, collate_fn_map=None: [own.value for own in batch], **module.default_collate_fn_map}
    found = module.collate([{"own": Own(1), "x": (1.0, "a")}, {"own": Own(2), "x": (2.0, "b")}], collate_fn_map=table)
    assert found["own"] == [1, 2] and found["x"][0].tolist() == [1.0, 2.0] and list(found["x"][1]) == ["a", "b"]
    arrays = module.collate([np.ones(2), np.zeros(2)], collate_fn_map=module.default_collate_fn_map)
    assert arrays.tolist() == [[1, 1], [0, 0]]
    with pytest.raises(TypeError, match="batch must contain"):
        module.collate([Own(1)], collate_fn_map={})
    with pytest.raises(RuntimeError, match="equal size"):
        module.collate([[1], [1, 2]], collate_fn_map=table)


def test_what_trainers_ask_of_loaders(lib: Any) -> None:
    """Loaders say how their samples are found; classes of iterators have PyTorch's names."""
    module = importlib.import_module(f"{lib.__name__}.utils.data.dataloader")
    loader = lib.utils.data.DataLoader(range(4), batch_size=2, pin_memory_device="")
    assert loader._dataset_kind == module._DatasetKind.Map and loader._auto_collation and loader.pin_memory_device == ""
    assert list(loader._index_sampler) == [[0, 1], [2, 3]]
    assert isinstance(iter(loader), module._SingleProcessDataLoaderIter)
    assert issubclass(module._MultiProcessingDataLoaderIter, module._BaseDataLoaderIter)


def test_pipes() -> None:
    """Steps are methods; a pipe is a dataset."""
    pipe = IterableWrapper(range(7)).map(lambda n: n * n).filter(lambda n: n % 2 == 0)
    assert list(pipe.batch(2)) == [[0, 4], [16, 36]] and list(pipe.batch(3, drop_last=True)) == [[0, 4, 16]]
    assert list(pipe.batch(2).unbatch()) == [0, 4, 16, 36] and list(pipe.zip(pipe.map(str)))[1] == (4, "4")
    assert list(Concater(pipe, [1])) == [0, 4, 16, 36, 1] and sorted(pipe.shuffle(buffer_size=2)) == [0, 4, 16, 36]
    assert [batch.tolist() for batch in sg.utils.data.DataLoader(pipe, batch_size=2)] == [[0, 4], [16, 36]]
    assert [batch.tolist() for batch in pipe.batch(4).collate()] == [[0, 4, 16, 36]]
    assert len(IterableWrapper(range(7)).batch(2)) == 4
    with pytest.raises(ValueError, match="Boolean output is required"):
        list(IterableWrapper(range(7)).filter(lambda n: n % 2))
    with pytest.raises(AttributeError, match="no attribute"):
        pipe.no_such_step()


def test_steps_of_ones_own() -> None:
    """A class of pipes becomes a method, once."""

    @functional_datapipe("negated_in_tests")
    class Negated(IterDataPipe[Any]):
        def __init__(self, source: Any) -> None:
            self.source = source

        def __iter__(self) -> Any:
            return (-item for item in self.source)

    assert list(IterableWrapper([1, 2]).negated_in_tests()) == [-1, -2]
    with pytest.raises(Exception, match="already taken"):
        functional_datapipe("negated_in_tests")(Negated)
    with pytest.raises(TypeError, match="can only decorate"):
        functional_datapipe("other")(dict)
    assert issubclass(MapDataPipe, sg.utils.data.Dataset)


def test_pipes_by_file() -> None:
    """PyTorch's files of data pipes have the classes by their long names."""
    from specgrad.utils.data.datapipes import iter as pipes
    from specgrad.utils.data.datapipes.iter import callable, combinatorics, combining, grouping, selecting

    assert combinatorics.ShufflerIterDataPipe is pipes.Shuffler and callable.MapperIterDataPipe is pipes.Mapper
    assert combining.ZipperIterDataPipe is pipes.Zipper and grouping.BatcherIterDataPipe is pipes.Batcher
    assert selecting.FilterIterDataPipe is pipes.Filter
