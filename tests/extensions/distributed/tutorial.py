"""A program as tutorials of PyTorch have it: a linear model under DistributedDataParallel, one step, on all ranks.

`tutorial.py FOLDER launched` is a rank, with spawn, fork or fail it starts two.
"""

from __future__ import annotations

import sys
from pathlib import Path

import specgrad as torch
import specgrad.distributed as dist
import specgrad.multiprocessing as mp
from specgrad import nn
from specgrad.nn.parallel import DistributedDataParallel as DDP


def train(folder: Path) -> None:
    """Write the weight after a step of SGD on rows of this rank: rank r has row r + 1 of ones, and the target 1."""
    rank = dist.get_rank()
    model = nn.Linear(2, 1, bias=False)
    nn.init.constant_(model.weight, 0.5 * (rank + 1))  # DDP takes rank 0's
    ddp_model = DDP(model)
    optimizer = torch.optim.SGD(ddp_model.parameters(), lr=0.1)
    optimizer.zero_grad()
    nn.functional.mse_loss(ddp_model(torch.full((1, 2), rank + 1.0)), torch.ones(1, 1)).backward()
    optimizer.step()
    (folder / f"{rank} of {dist.get_world_size()}").write_text(repr(model.weight.tolist()), encoding="utf-8")
    dist.destroy_process_group()


def spawned(rank: int, world_size: int, folder: Path) -> None:
    """What mp.spawn calls, with one group after the other; the environment says where ranks meet."""
    for _ in range(2):
        dist.init_process_group("gloo", rank=rank, world_size=world_size)
        train(folder)


def forked(rank: int, world_size: int, folder: Path) -> None:
    """A process of the program's own; a file is where ranks meet."""
    dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=world_size)
    train(folder)


def failing(rank: int, world_size: int, folder: Path) -> None:
    """Rank 1 raises while rank 0 waits for it."""
    dist.init_process_group("gloo", rank=rank, world_size=world_size)
    if rank == 1:
        raise ValueError("the data are gone")
    dist.all_reduce(torch.ones(2))


def main(folder: Path, way: str) -> None:
    if way == "launched":
        dist.init_process_group("nccl")
        train(folder)
    elif way == "fork":
        processes = [mp.get_context("fork").Process(target=forked, args=(rank, 2, folder)) for rank in range(2)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        assert [process.exitcode for process in processes] == [0, 0]
    else:
        mp.spawn(spawned if way == "spawn" else failing, args=(2, folder), nprocs=2, join=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
