"""A training that one rank breaks: what `specgrad.distributed.run` starts in `test_faults.py`.

faulty_training.py FOLDER FAULT: FAULT is JSON. Every step is written to FOLDER/checkpoint.pt; the first rank writes
FOLDER/done.json when all steps are done. A fault comes in the first attempt only.
"""

from __future__ import annotations

import datetime
import json
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import specgrad as sg
from specgrad import distributed as dist
from specgrad.nn.parallel import DistributedDataParallel

TIMEOUT = 3.0  # seconds, where a rank does not come to a collective; elsewhere a busy machine has more
STEPS = 6
BATCH = 12  # of all ranks: 1, 2, 3 and 4 of them share it evenly
PAUSE = 0.01  # seconds of a step besides, so that faults of other threads hit one
ATTEMPT = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
OWN = int(os.environ.get("RANK", os.environ.get("PMI_RANK", "0")))  # by specgrad.distributed.run, or by mpiexec alone
COUNT = int(os.environ.get("WORLD_SIZE", os.environ.get("PMI_SIZE", "1")))
_PATIENCE = 60.0  # seconds for all ranks to begin
_ROOM = 2**26  # bytes that a rank still gets before it has run out of memory
_PIECE = 2**22


def network() -> sg.nn.Module:
    """A small network in float64, the same in all attempts."""
    sg.manual_seed(0)
    return sg.nn.Sequential(sg.nn.Linear(8, 16), sg.nn.Tanh(), sg.nn.Linear(16, 1)).double()


def batch(step: int) -> tuple[Any, Any]:
    """Inputs and targets of a step, of all ranks."""
    random = sg.Generator().manual_seed(step)
    x = sg.randn(BATCH, 8, dtype=sg.float64, generator=random)
    return x, x.sum(1, keepdim=True).sin()


class Fault:
    """How and when a rank breaks the training.

    Args:
        said: its way, rank, step and moment; for those of another thread the delay.
        folder: where it is noted, just before.
    """

    def __init__(self, message: dict[str, Any], folder: Path) -> None:
        self.way, self.here = message.get("way"), message.get("rank") == OWN and int(ATTEMPT) == 0
        self.step, self.moment, self.delay = message.get("step"), message.get("moment"), message.get("delay", 0.0)
        self.folder = folder

    def at(self, step: int, moment: str) -> None:
        """Come, if this is the rank, step and moment."""
        if not self.here or step != self.step or moment != self.moment:
            return
        if self.delay:
            threading.Timer(self.delay, self.come).start()
        else:
            self.come()

    def come(self) -> None:
        """Break."""
        (self.folder / "fault.json").write_text(json.dumps(time.time()), encoding="utf-8")
        ways: dict[str, Callable[[], object]] = {
            "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
            "stop": lambda: os.kill(os.getpid(), signal.SIGSTOP),
            "raise": _raise,
            "memory": _run_out_of_memory,
            "exit": lambda: os._exit(7),
        }
        ways[self.way or ""]()


def _raise() -> None:
    raise ValueError("the data are gone")


def _run_out_of_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + _ROOM
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    pieces = []
    while True:
        pieces.append(bytearray(_PIECE))


class _Breaking(sg.autograd.Function):
    """The identity, whose backward pass is a moment for faults."""

    @staticmethod
    def forward(ctx: Any, x: Any, come: Callable[[], None]) -> Any:
        ctx.come = come
        return x.clone()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        ctx.come()
        return grad, None


def train(folder: Path, fault: Fault) -> list[float]:
    """Train from the last checkpoint on; the losses of all steps, of the whole batch."""
    rank, size = dist.get_rank(), dist.get_world_size()
    model, losses = network(), []
    optimizer = sg.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    path = folder / "checkpoint.pt"
    if path.exists():
        state = sg.load(path)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        losses = state["losses"]
    parallel = DistributedDataParallel(model)
    for step in range(len(losses), STEPS):
        fault.at(step, "begin")
        time.sleep(PAUSE)
        x, y = (full[rank::size] for full in batch(step))
        optimizer.zero_grad()
        output = _Breaking.apply(parallel(x), lambda step=step: fault.at(step, "backward"))
        loss = ((output - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        total = loss.detach() / size
        fault.at(step, "all_reduce")
        dist.all_reduce(total)
        losses.append(total.item())
        fault.at(step, "save")
        if rank == 0:
            sg.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "losses": losses}, path)
        fault.at(step, "barrier")
        dist.barrier()
        if step == STEPS // 2:
            dist.new_group()
            dist.all_gather_object([None] * size, {"rank": rank})
    return losses


def _meet(folder: Path) -> None:
    """Let all ranks begin: on a busy machine that takes one seconds longer than another, which is no fault."""
    end = time.monotonic() + _PATIENCE
    while len([*folder.glob(f"began-{ATTEMPT}-*.json")]) < COUNT and time.monotonic() < end:
        time.sleep(0.01)


def main(folder: Path, fault: Fault) -> None:
    began = folder / f"began-{ATTEMPT}-{OWN}.json"
    began.write_text(json.dumps([time.time(), os.getpid()]), encoding="utf-8")
    fault.at(0, "start")
    _meet(folder)
    seconds = TIMEOUT if fault.way in ("stop", "memory") and int(ATTEMPT) == 0 else _PATIENCE
    dist.init_process_group("mpi", timeout=datetime.timedelta(seconds=seconds))
    losses = train(folder, fault)
    fault.at(STEPS, "end")
    if dist.get_rank() == 0:
        found = {"losses": losses, "ranks": dist.get_world_size()}
        (folder / "done.json").write_text(json.dumps(found), encoding="utf-8")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Fault(json.loads(sys.argv[2]), Path(sys.argv[1])))
