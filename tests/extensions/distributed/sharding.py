"""Checks of parameters and optimizer states that lie on all ranks, for every rank."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import distributed as dist
from specgrad import nn
from specgrad.distributed.fsdp import (
    FSDPModule,
    FullyShardedDataParallel,
    MixedPrecisionPolicy,
    ShardingStrategy,
    fully_shard,
)
from specgrad.distributed.fsdp.wrap import ModuleWrapPolicy
from specgrad.distributed.optim import ZeroRedundancyOptimizer
from specgrad.nn.utils import clip_grad_norm_, get_total_norm
from specgrad.utils.checkpoint import checkpoint
from tests.extensions.distributed.checks import check

SLOTS, WIDTH, ROWS = 11, 8, 2  # rows of each rank


class Block(nn.Module):
    """Attention and a network, of which no size is a multiple of 2 and 3 at once."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.attention = nn.MultiheadAttention(WIDTH, 2, bias=False, batch_first=True)
        self.network = nn.Sequential(nn.Linear(WIDTH, 25), nn.GELU(), nn.Linear(25, WIDTH))

    def forward(self, x: Any) -> Any:
        x = x + self.attention(*[self.norm(x)] * 3, need_weights=False)[0]
        return x + self.network(x)


class Model(nn.Module):
    """A small language model, whose first and last weights are one."""

    def __init__(self, again: bool = False) -> None:
        super().__init__()
        self.again = again
        self.embedding = nn.Embedding(SLOTS, WIDTH)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.scores = nn.Linear(WIDTH, SLOTS, bias=False)
        self.scores.weight = self.embedding.weight

    def forward(self, text: Any) -> Any:
        x = self.embedding(text)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.again else block(x)
        return self.scores(x)


def made(seed: int = 0, again: bool = False, dtype: Any = sg.float64) -> Model:
    """The model with numbers that depend on the seed alone."""
    model, generator = Model(again).to(dtype), sg.Generator().manual_seed(seed)
    with sg.no_grad():
        for one in model.parameters():
            one.copy_(sg.randn(one.shape, generator=generator, dtype=dtype) * 0.3)
    return model


def text(step: int, rows: int) -> Any:
    """The whole batch of a step."""
    return sg.randint(0, SLOTS, (rows, 6), generator=sg.Generator().manual_seed(step))


def loss_of(model: Any, batch: Any) -> Any:
    """The mean loss of the next words."""
    return nn.functional.cross_entropy(model(batch[:, :-1]).reshape(-1, SLOTS), batch[:, 1:].reshape(-1))


def train(model: Any, optimizer: Any, steps: range, part: slice = slice(None), rows: int = 6) -> list[float]:
    """Losses of some steps with a part of each batch."""
    found = []
    for step in steps:
        optimizer.zero_grad()
        loss = loss_of(model, text(step, rows)[part])
        loss.backward()
        optimizer.step()
        found.append(float(loss))
    return found


def _part(rank: int) -> slice:
    return slice(ROWS * rank, ROWS * (rank + 1))


def _mean(losses: list[float]) -> list[float]:
    every: Any = sg.tensor(losses, dtype=sg.float64)
    dist.all_reduce(every, dist.ReduceOp.AVG)
    return every.tolist()


def _sharded(model: Model, **options: Any) -> Model:
    for block in model.blocks:
        fully_shard(block, **options)
    return fully_shard(model, **options)


def _full(model: Any) -> list[Any]:
    return [one.detach().full_tensor() for one in model.parameters()]


@check
def sharded_training_is_that_of_one_process(rank: int, size: int) -> None:
    """Losses and parameters are those of one process with the whole batch, also with activations that are computed
    again; bits repeat, and do not depend on when parameters are given back."""
    alone = made()
    expected = train(alone, sg.optim.SGD(alone.parameters(), 0.1, momentum=0.9), range(3), rows=ROWS * size)
    ways: list[tuple[bool, Any]] = [(False, None), (False, None), (False, True), (False, False), (True, None)]
    runs = []
    for again, reshard in ways:
        model = _sharded(made(again=again), reshard_after_forward=reshard)
        optimizer = sg.optim.SGD(model.parameters(), 0.1, momentum=0.9)
        losses = _mean(train(model, optimizer, range(3), _part(rank), ROWS * size))
        np.testing.assert_allclose(losses, expected, rtol=1e-13)
        runs.append(_full(model))
        for found, requested in zip(runs[-1], alone.parameters(), strict=True):
            sg.testing.assert_close(found, requested.detach(), rtol=1e-11, atol=1e-14)
    assert all(sg.equal(*pair) for other in runs[1:4] for pair in zip(runs[0], other, strict=True))


@check
def a_rank_has_its_rows_alone(rank: int, size: int) -> None:
    """Parameters, gradients and states of a rank have as many bytes as its rows; graphs keep no whole parameters."""
    model = fully_shard(nn.Sequential(*[fully_shard(nn.Linear(60, 60, bias=False)) for _ in range(4)]))
    optimizer = sg.optim.Adam(model.parameters())
    layer = 60 * 60 * 4  # bytes
    y = model(sg.ones(2, 60))
    groups = [module._fsdp_state.group for module in model]
    assert all(group.memory.unsharded is None for group in groups)
    retained = [one() for group in groups[1:] for known in group.memory._handed for one in known]
    assert any(one is not None for one in retained)  # in the graph, and without memory
    assert all(one is None or one.untyped_storage().nbytes() == 0 for one in retained)
    y.sum().backward()
    optimizer.step()
    for one in model.parameters():
        state = optimizer.state[one]
        tensors = [one, one.grad, state["exp_avg"], state["exp_avg_sq"]]
        assert sum(t.untyped_storage().nbytes() for t in tensors) == 4 * layer // size
        assert one.grad.shape == one.shape == (60 // size, 60)
    with pytest.raises(RuntimeError, match="lie on this rank|on this rank and the others"):
        sg.save(model.state_dict(), "never written")


@check
def gradients_without_sync_add_up(rank: int, size: int) -> None:
    """Backward without synchronization adds whole gradients up here; the next one with it joins all."""
    alone, model = made(), _sharded(made())
    batch = text(0, 2 * size)
    assert isinstance(model, FSDPModule)
    model.set_requires_gradient_sync(False)
    loss_of(model, batch[2 * rank : 2 * rank + 1]).backward()
    assert all(one.grad is None for one in model.parameters())
    model.set_requires_gradient_sync(True)
    loss_of(model, batch[2 * rank + 1 : 2 * rank + 2]).backward()
    (loss_of(alone, batch) * 2).backward()
    for found, requested in zip(model.parameters(), alone.parameters(), strict=True):
        sg.testing.assert_close(found.grad.full_tensor(), requested.grad, rtol=1e-11, atol=1e-14)


class _Branches(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.always, self.first, self.never = (nn.Linear(3, 3) for _ in range(3))

    def forward(self, x: Any, rank: int) -> Any:
        x = self.always(x)
        return self.first(x) if rank == 0 else x


@check
def sharded_parameters_without_a_part(rank: int, size: int) -> None:
    """A parameter that one rank alone uses has the average; one that nobody uses has no gradient."""
    model = fully_shard(_Branches())
    model(sg.ones(1, 3), rank).sum().backward()
    assert model.first.bias.grad.full_tensor().tolist() == pytest.approx([1 / size] * 3)
    assert model.never.weight.grad is None and model.always.weight.grad is not None


@check
def norms_are_those_of_all_rows(rank: int, size: int) -> None:
    """Norms of gradients, and what clipping makes of them, are those of one process, also with whole parameters."""
    alone, model = made(), made()
    for block in model.blocks:
        fully_shard(block)  # and leave the words whole
    batch = text(0, ROWS)
    for one in (alone, model):
        loss_of(one, batch).backward()
    vector = np.concatenate([one.grad.numpy().reshape(-1) for one in alone.parameters()])
    for order, expected in ((2, np.linalg.norm(vector)), (1, abs(vector).sum()), (math.inf, abs(vector).max())):
        found = get_total_norm([one.grad for one in model.parameters()], order)
        assert float(found) == pytest.approx(expected, rel=1e-12)
    total = clip_grad_norm_(model.parameters(), 0.01)
    assert float(total) == pytest.approx(np.linalg.norm(vector), rel=1e-12)
    for found, requested in zip(model.parameters(), alone.parameters(), strict=True):
        gradient = found.grad.full_tensor() if hasattr(found.grad, "full_tensor") else found.grad
        sg.testing.assert_close(gradient, requested.grad * (0.01 / (float(total) + 1e-6)), rtol=1e-11, atol=1e-15)


@check
def dtypes_of_sharded_modules(rank: int, size: int) -> None:
    """Parameters are used in one dtype, gradients joined in another, and optimizers see the parameters' own."""
    policy = MixedPrecisionPolicy(sg.bfloat16, sg.float32, sg.float32)
    model = fully_shard(nn.Linear(2, 3, bias=False), mp_policy=policy)
    with sg.no_grad():
        model.weight.fill_(1.0 + 2.0**-10)  # which bfloat16 rounds to 1
    y = model(sg.full((1, 2), 1.0 + rank))
    assert y.dtype is sg.float32 and y.tolist() == [[2.0 + 2 * rank] * 3]
    y.sum().backward()
    assert model.weight.dtype is model.weight.grad.dtype is sg.float32
    assert model.weight.grad.full_tensor().tolist() == [[(1 + size) / 2] * 2] * 3


@check
def whole_parameters_on_demand(rank: int, size: int) -> None:
    """Modules have whole parameters between unshard and reshard; optimizers and states always see rows."""
    model = fully_shard(nn.Linear(3, 4))
    unsharded = model.weight.full_tensor()
    handle = model.unshard(async_op=True)
    assert handle is not None
    handle.wait()
    assert sg.equal(model.weight.detach(), unsharded)
    model.reshard()
    local = model.weight.to_local()
    assert sg.equal(local, unsharded.chunk(size)[rank] if rank < len(unsharded.chunk(size)) else unsharded[:0])
    model(sg.ones(1, 3))  # whole parameters stay with the outermost module, until backward
    assert model.weight.shape == (4, 3) and [*model.parameters()][0].shape == local.shape
    assert model.state_dict()["weight"].shape == local.shape


@check
def the_older_class(rank: int, size: int) -> None:
    """FullyShardedDataParallel trains as one process, has its names and whole tensors, and loads them."""
    alone = made()
    expected = train(alone, sg.optim.SGD(alone.parameters(), 0.1), range(3), rows=ROWS * size)
    for strategy in (ShardingStrategy.FULL_SHARD, ShardingStrategy.SHARD_GRAD_OP):
        model = FullyShardedDataParallel(
            made(rank), sharding_strategy=strategy, auto_wrap_policy=ModuleWrapPolicy({Block}), sync_module_states=True
        )
        assert isinstance(model.blocks[0], FSDPModule)
        optimizer = sg.optim.SGD(model.parameters(), 0.1)
        np.testing.assert_allclose(
            _mean(train(model, optimizer, range(3), _part(rank), ROWS * size)), expected, rtol=1e-13
        )
        state = model.state_dict()
        for name, value in alone.state_dict().items():
            sg.testing.assert_close(state[name], value, rtol=1e-11, atol=1e-14)
        other = FullyShardedDataParallel(made(7))
        other.load_state_dict(state)
        assert all(sg.equal(value, state[name]) for name, value in other.state_dict().items())
        with FullyShardedDataParallel.summon_full_params(model), sg.no_grad():
            model.embedding.weight[3].fill_(5.0)
        assert model.state_dict()["embedding.weight"][3].tolist() == [5.0] * WIDTH
    with pytest.raises(NotImplementedError, match="NO_SHARD is not there"):
        FullyShardedDataParallel(made(), sharding_strategy=ShardingStrategy.NO_SHARD)


@check
def what_cannot_be_sharded(rank: int, size: int) -> None:
    """Mistakes that each rank sees by itself, and models that differ between ranks."""
    layer = fully_shard(nn.Linear(2, 2))
    with pytest.raises(AssertionError, match="has already been applied"):
        fully_shard(layer)
    with pytest.raises(ValueError, match="do not implement forward"):
        fully_shard(nn.ModuleList([nn.Linear(2, 2)]))
    scalar = nn.Module()
    scalar.factor = nn.Parameter(sg.tensor(1.0))
    with pytest.raises(ValueError, match="doesn't support scalar parameters. Change factor"):
        fully_shard(scalar)
    group = dist.new_group()
    with pytest.raises(dist.DistBackendError, match="fully_shard with 2 parameters of checksum"):
        fully_shard(nn.Linear(2 + rank, 1), mesh=group)


@check
def optimizer_states_on_one_rank_each(rank: int, size: int) -> None:
    """Parameters are bit by bit those of one process's optimizer; states are shared out, brought together, loaded."""
    for views in (False, True):
        alone, shared = made(), made()
        one = sg.optim.AdamW([*alone.blocks.parameters()], lr=0.01)
        other = ZeroRedundancyOptimizer(
            [*shared.blocks.parameters()], sg.optim.AdamW, lr=0.01, parameters_as_bucket_view=views
        )
        one.add_param_group({"params": [alone.embedding.weight], "lr": 0.1})
        other.add_param_group({"params": [shared.embedding.weight], "lr": 0.1})
        schedules = [sg.optim.lr_scheduler.StepLR(each, 2) for each in (one, other)]
        for steps in (range(2), range(2, 4)):
            assert train(alone, one, steps) == train(shared, other, steps)
            assert all(sg.equal(*pair) for pair in zip(alone.parameters(), shared.parameters(), strict=True))
            for schedule in schedules:
                schedule.step()
        _check_states(one, other, rank, size)
        one_again = sg.optim.AdamW([{"params": [*alone.blocks.parameters()]}, {"params": [alone.embedding.weight]}])
        one_again.load_state_dict(one.state_dict())
        other.load_state_dict(one.state_dict())
        assert train(alone, one_again, range(4, 6)) == train(shared, other, range(4, 6))
    with pytest.raises(NotImplementedError, match="overlap_with_ddp"):
        ZeroRedundancyOptimizer(alone.parameters(), sg.optim.SGD, lr=0.1, overlap_with_ddp=True)


def _check_states(one: Any, other: Any, rank: int, size: int) -> None:
    """The states of all ranks together are those of one process; each has about its share."""
    own = sum(parameter.numel() for parameter in other.optim.state)
    every = sum(parameter.numel() for parameter in one.state)
    largest = max(parameter.numel() for parameter in one.state)
    assert own <= every / size + largest
    with pytest.raises(RuntimeError, match=rf"call `consolidate_state_dict\(to={rank}\)`"):
        other.state_dict()
    other.consolidate_state_dict(to=size - 1)
    if rank == size - 1:
        found, expected = other.state_dict(), one.state_dict()
        assert found["param_groups"] == expected["param_groups"]
        for number, state in expected["state"].items():
            assert all(sg.equal(state[name], found["state"][number][name]) for name in state)
