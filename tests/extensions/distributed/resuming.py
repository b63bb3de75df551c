"""A program that trains, writes a checkpoint and goes on; or goes on from one, on another number of ranks.

`python -m tests.extensions.distributed.resuming begin FOLDER`, then `... resume FOLDER`: each writes its losses to a
file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import specgrad as sg
from specgrad import distributed as dist
from specgrad.distributed import checkpoint
from specgrad.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from specgrad.distributed.fsdp import fully_shard
from tests.extensions.distributed.sharding import made, train

ROWS, BEFORE, AFTER = 6, 2, 2


def _mean(losses: list[float]) -> list[float]:
    if not dist.is_initialized():
        return losses
    every = sg.tensor(losses, dtype=sg.float64)
    dist.all_reduce(every, dist.ReduceOp.AVG)
    return every.tolist()


def _full(model: Any) -> list[Any]:
    return [
        one.full_tensor().tolist() if dist.is_initialized() else one.tolist() for one in model.state_dict().values()
    ]


def main(way: str, folder: Path) -> None:
    """Train on the part of each batch that is this rank's."""
    rank, size = (dist.get_rank(), dist.get_world_size()) if dist.is_initialized() else (0, 1)
    part = slice(rank * ROWS // size, (rank + 1) * ROWS // size)
    model: Any = made(0 if way == "begin" else 1)
    if dist.is_initialized():
        for block in model.blocks:
            fully_shard(block)
        fully_shard(model)
    optimizer = sg.optim.AdamW(model.parameters(), lr=0.01)
    if way == "begin":
        train(model, optimizer, range(BEFORE), part, ROWS)
    state, optimizer_state = get_state_dict(model, optimizer)
    every = {"model": state, "optimizer": optimizer_state, "step": BEFORE if way == "begin" else 0}
    if way == "begin":
        checkpoint.save(every, checkpoint_id=folder)
    else:
        checkpoint.load(every, checkpoint_id=folder)
        set_state_dict(model, optimizer, model_state_dict=every["model"], optim_state_dict=every["optimizer"])
    values = _full(model)
    steps = range(int(every["step"]), BEFORE + AFTER)  # type: ignore[call-overload]
    losses = _mean(train(model, optimizer, steps, part, ROWS))
    if rank == 0:
        found = {"values": values, "losses": losses, "steps": [*steps]}
        Path(folder.parent, f"{way}{size}.json").write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    if "--alone" not in sys.argv:
        dist.init_process_group("mpi")
    main(sys.argv[1], Path(sys.argv[2]))
