"""Checks of checkpoints that all ranks write and read, for every rank."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import specgrad as sg
from specgrad import distributed as dist
from specgrad import nn
from specgrad.distributed import checkpoint
from specgrad.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    get_state_dict,
    set_state_dict,
)
from specgrad.distributed.fsdp import fully_shard
from specgrad.distributed.optim import ZeroRedundancyOptimizer
from tests.extensions.distributed.checks import check
from tests.extensions.distributed.sharding import loss_of, made, text, train


@contextmanager
def folder(rank: int) -> Iterator[Path]:
    """A folder that all ranks know."""
    notified = [tempfile.mkdtemp() if rank == 0 else ""]
    dist.broadcast_object_list(notified, 0)
    yield Path(notified[0])
    dist.barrier()
    if rank == 0:
        shutil.rmtree(notified[0])


def _trained(seed: int, steps: int) -> tuple[Any, Any]:
    """A sharded model and its optimizer, in a state that depends on the seed."""
    model = fully_shard(made(seed))
    optimizer = sg.optim.Adam(model.parameters(), lr=0.01 * (seed + 1))
    train(model, optimizer, range(steps))
    return model, optimizer


@check
def checkpoints_hold_each_part_once(rank: int, size: int) -> None:
    """Rows are written by who has them, and what all have by one; everything is read back, also apart in memory."""
    model = fully_shard(nn.Linear(64, 33, bias=False))
    mine = sg.full((3,), 7.0)
    state = {"model": model, "alike": sg.arange(4000), "more": [{"x": mine.to(sg.bfloat16)}, "text"], "step": 3}
    with folder(rank) as location:
        checkpoint.save(state, checkpoint_id=location)
        files = [path.stat().st_size for path in location.glob("*.distcp")]
        min_nodes = 33 * 64 * 4 + 4000 * 8
        assert len(files) == size and min_nodes <= sum(files) < min_nodes + 5000  # objects, and gaps between parts
        assert max(files) < 4000 * 8 + 5000
        entire = model.weight.full_tensor()
        other = fully_shard(nn.Linear(64, 33, bias=False))
        separate = sg.zeros(4000, 2, dtype=sg.int64)[:, 1]
        read: Any = {"model": other, "alike": separate, "more": [{"x": sg.zeros(3, dtype=sg.bfloat16)}, ""], "step": 0}
        checkpoint.load(read, checkpoint_id=location)
        assert sg.equal(other.weight.full_tensor(), entire) and separate.tolist() == [*range(4000)]
        assert read["more"][0]["x"].tolist() == [7.0] * 3 and read["more"][1] == "text" and read["step"] == 3
        wrong = {"alike": sg.zeros(3 if rank == size - 1 else 4000, dtype=sg.int64)}
        with pytest.raises(checkpoint.CheckpointException, match=rf"rank {size - 1}: .*Size mismatch .* for alike"):
            checkpoint.load(wrong, checkpoint_id=location)
        assert not wrong["alike"].any()  # nothing is written to when a rank has found a mistake
        unlike = {"alike": sg.zeros(2 + rank)}
        with pytest.raises(checkpoint.CheckpointException, match=r"alike: rank 0 has float32 \[2\]"):
            checkpoint.save(unlike, checkpoint_id=location)
        checkpoint.load({"alike": separate}, checkpoint_id=location)  # what was there before


@check
def states_by_names(rank: int, size: int) -> None:
    """A model and an optimizer go on from a checkpoint as those that wrote it, loaded into others that are new."""
    model, optimizer = _trained(0, 2)
    with folder(rank) as location:
        state, optimizer_state = get_state_dict(model, optimizer)
        checkpoint.save({"model": state, "optimizer": optimizer_state}, checkpoint_id=location)
        expected = train(model, optimizer, range(2, 4))
        model, optimizer = _trained(1, 0)
        state, optimizer_state = get_state_dict(model, optimizer)
        read = {"model": state, "optimizer": optimizer_state}
        checkpoint.load(read, checkpoint_id=location)
        keys = set_state_dict(model, optimizer, model_state_dict=read["model"], optim_state_dict=read["optimizer"])
        assert not keys.missing_keys and optimizer.param_groups[0]["lr"] == 0.01
        assert train(model, optimizer, range(2, 4)) == expected


@check
def full_states_of_the_first_rank(rank: int, size: int) -> None:
    """The first rank gets whole tensors, as one process has them, and gives them to models on all ranks."""
    alone = made()
    single = sg.optim.Adam(alone.parameters(), lr=0.01)
    train(alone, single, range(1))
    model, optimizer = _trained(0, 1)
    entire = StateDictOptions(full_state_dict=True, cpu_offload=True)
    state, optimizer_state = get_state_dict(model, optimizer, options=entire)
    if rank == 0:
        for name, value in alone.state_dict().items():
            sg.testing.assert_close(state[name], value, rtol=1e-12, atol=1e-14)
        for name, retained in get_optimizer_state_dict(alone, single)["state"].items():
            for entry, value in retained.items():
                sg.testing.assert_close(optimizer_state["state"][name][entry], value, rtol=1e-9, atol=1e-20)
    else:
        assert state == optimizer_state == {}
    expected = train(model, optimizer, range(1, 3))
    model, optimizer = _trained(1, 0)
    sent = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    set_state_dict(model, optimizer, model_state_dict=state, optim_state_dict=optimizer_state, options=sent)
    assert train(model, optimizer, range(1, 3)) == expected
    every = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))
    assert sg.equal(every["embedding.weight"], model.embedding.weight.detach().full_tensor())
    with pytest.raises(ValueError, match="full_state_dict must be True"):
        set_state_dict(
            model,
            optimizer,
            model_state_dict={},
            optim_state_dict={},
            options=StateDictOptions(broadcast_from_rank0=True),
        )


@check
def shared_out_states_in_checkpoints(rank: int, size: int) -> None:
    """Of a ZeroRedundancyOptimizer each rank writes what it has; another partition reads it."""
    model = made()
    optimizer = ZeroRedundancyOptimizer(model.parameters(), sg.optim.Adam, lr=0.01)
    train(model, optimizer, range(2))
    with folder(rank) as location:
        state = {"model": model, "optimizer": get_optimizer_state_dict(model, optimizer)}
        checkpoint.save(state, checkpoint_id=location)
        expected = train(model, optimizer, range(2, 4))
        again = made(1)
        alone = sg.optim.Adam(again.parameters(), lr=1.0)  # all on each rank
        read = {"model": again, "optimizer": get_optimizer_state_dict(again, alone)}
        checkpoint.load(read, checkpoint_id=location)
        set_state_dict(again, alone, model_state_dict=again.state_dict(), optim_state_dict=read["optimizer"])
        assert train(again, alone, range(2, 4)) == expected


@check
def every_part_has_its_place(rank: int, size: int) -> None:
    """A loss after loading is that of the model on one process, whatever rows ranks have."""
    model = fully_shard(made(2))
    with folder(rank) as location:
        checkpoint.save({"model": model}, checkpoint_id=location)
        alone = made(3)
        checkpoint.load({"model": alone}, checkpoint_id=location, no_dist=True)
    assert float(loss_of(alone, text(0, 4))) == float(loss_of(made(2), text(0, 4)))
