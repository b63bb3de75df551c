"""What ranks measure for a plan: `python -m specgrad.nn.parallel.planning.measure KIND OUT [MODEL]` under mpiexec.

The kinds: "constants" of the machine; "waiting", what steps lose where ranks share its cores; "step", the constants and
a step of a model, alone and on all ranks at once without any communication; "run", steps of the model in
DistributedDataParallel.
"""

import json
import runpy
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from math import log2
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ....runtime.device.threads.parallel_for import set_num_threads
from ....runtime.device.threads.workers import available_cpus
from ....runtime.extensions.distributed import all_to_all, collectives
from ....runtime.extensions.distributed.groups.process_group import ProcessGroup
from ....runtime.extensions.distributed.groups.reduce_op import ReduceOp
from ....runtime.extensions.distributed.world import destroy_process_group, get_default_group, init_process_group
from ....runtime.extensions.serialization.atomic_file import replacing
from ....runtime.ops.creation import from_numpy
from ..distributed import DistributedDataParallel
from . import costs, layers
from .costs import Machine, Network
from .layers import Gradient, Layer, Step, Training

_SIZES = (8, 2**16, 2**19, 2**21, 2**23)  # bytes
_SECONDS = 0.06  # for each size
_BLOCKS = 12
_SIDE = 256  # of the product that stands for computation


def best(call: Callable[[], object], calls: int, blocks: int = _BLOCKS) -> float:
    """Seconds of a call: of blocks of calls the best, so that what the machine does besides falls out."""
    matches = []
    for _ in range(blocks):
        begin = perf_counter()
        for _ in range(calls):
            call()
        matches.append((perf_counter() - begin) / calls)
    return min(matches)


def _numbers(size: int) -> Any:
    return from_numpy(np.zeros(max(1, size // 4), np.float32))


def _collective(group: ProcessGroup, call: Callable[[], object], about: float) -> float:
    """Seconds of a collective, which takes about so long: in each block those of the rank that was last."""
    calls, result = max(2, int(_SECONDS / _BLOCKS / about)), []
    for _ in range(_BLOCKS):
        collectives.barrier(group)
        result.append(best(call, calls, 1))
    every = from_numpy(np.array(result))
    collectives.all_reduce(every, ReduceOp.MAX, group)
    return float(every.min())


def reductions(group: ProcessGroup) -> list[tuple[int, float]]:
    matches = []
    for size in _SIZES:
        call = partial(collectives.all_reduce, _numbers(size), group=group)
        matches.append((size, _collective(group, call, _about(size))))
    return matches


def _about(size: int) -> float:
    return 2e-5 + size / 4e9


def joining() -> float:
    some, others = np.ones(2**20, np.float32), np.ones(2**20, np.float32)
    return some.nbytes / best(lambda: np.add(some, others, out=some), 5)


def fitted(result: Sequence[tuple[int, float]], ranks: int, join: float) -> Network:
    """The latency and bandwidth with which the model comes nearest to what all_reduces took, by relative error.

    The first is a short one, which is doubled recursively, and the others are halved. `join` is in bytes a second.
    """
    steps = log2(ranks)
    part = (ranks - 1) / ranks
    rows = [(steps if not number else 2 * steps, 2 * part * size) for number, (size, _) in enumerate(result)]
    rest = np.array(
        [seconds - (part * size / join if number else 0.0) for number, (size, seconds) in enumerate(result)]
    )
    weights = 1 / np.array([seconds for _, seconds in result])
    latency, per_byte = np.linalg.lstsq(np.array(rows) * weights[:, None], rest * weights, rcond=None)[0]
    return Network(max(float(latency), 1e-9), 1 / max(float(per_byte), 1e-13), join)


def _computation(group: ProcessGroup, products: int) -> Callable[[], None]:
    a = np.ones((_SIDE, _SIDE), np.float32)
    product = np.empty_like(a)

    def compute() -> None:
        for _ in range(products):
            np.matmul(a, a, out=product)
            group.advance()

    return compute


def waiting(group: ProcessGroup, cores: int) -> float:
    """Seconds that a step loses where more ranks than cores compute and then wait for each other: until who has
    something to compute gets the core of one that waits, and who has what it waited for gets one."""
    compute, value = _computation(group, 160), _numbers(8)

    def step() -> None:
        compute()
        collectives.all_reduce(value, group=group)

    collectives.barrier(group)
    alone = best(compute, 1) if group.rank() == 0 else 0.0
    return max(0.0, _collective(group, step, 0.04) - group.size() / cores * last(group, alone))


def last(group: ProcessGroup, seconds: float) -> float:
    result = from_numpy(np.array([seconds]))
    collectives.all_reduce(result, ReduceOp.MAX, group)
    return float(result[0])


def core_share(group: ProcessGroup) -> float:
    """The part of an all_reduce's time by which it makes a computation longer that goes on meanwhile."""
    compute = _computation(group, 32)
    value = _numbers(2**22)

    def both() -> None:
        work = collectives.all_reduce(value, group=group, async_op=True)
        compute()
        assert work is not None
        work.wait()

    alone = _collective(group, lambda: collectives.all_reduce(value, group=group), _about(2**22))
    computing, overlapped = (_collective(group, call, 0.01) for call in (compute, both))
    return min(1.0, max(0.0, (overlapped - computing) / alone))


def measured(group: ProcessGroup) -> tuple[Machine, list[tuple[str, int, float, float]]]:
    """The constants, and for collectives: bytes, seconds that they took, and seconds that the model says."""
    result = reductions(group)
    network = fitted(result, group.size(), joining())
    machine = Machine(available_cpus(), network, network, core_share(group))
    size = group.size()
    lines = [("all_reduce", count, seconds, costs.all_reduce(size, count, network)) for count, seconds in result]
    for count in _SIZES[1:]:
        value, every = _numbers(count // size), _numbers(count // size * size)
        calls: dict[str, Callable[[], object]] = {
            "all_gather": partial(all_to_all.all_gather_into_tensor, every, value, group),
            "broadcast": partial(collectives.broadcast, every, group=group, group_src=0),
        }
        for name, call in calls.items():
            seconds = _collective(group, call, _about(count))
            lines.append((name, count, seconds, getattr(costs, name)(size, count, network)))
    return machine, lines


_NAMES = ("model", "batch", "loss")
_RUN_BLOCKS = 10


def load(path: str) -> Training:
    """The training that a program describes: its `model()`, `batch()` and `loss(model, batch)`."""
    result = runpy.run_path(path, run_name="plan")
    missing = [name for name in _NAMES if not callable(result.get(name))]
    if missing:
        raise ValueError(
            f"plan: {path} has no function {', '.join(missing)}: it is to define model(), batch(), and "
            "loss(model, batch)"
        )
    return Training(result["model"](), result["batch"](), result["loss"])


def constants(group: ProcessGroup) -> dict[str, Any]:
    machine, collectives_seen = measured(group)
    return {"machine": asdict(machine), "collectives": collectives_seen}


def waiting_constants(group: ProcessGroup) -> dict[str, Any]:
    return {"seconds": waiting(group, available_cpus())}


def step(group: ProcessGroup, path: str) -> dict[str, Any]:
    training = load(path)
    layers.repeated(training, 0.0)  # kernels are compiled
    collectives.barrier(group)
    alone = layers.measured(training) if group.rank() == 0 else None
    collectives.barrier(group)
    overlapped = last(group, sum(layers.best_block(layers.repeated(training))))
    result = constants(group)
    if alone is None:
        return {}
    return {**result, "step": asdict(alone), "crowd": max(1.0, overlapped / alone.seconds)}


def step_of(result: dict[str, Any]) -> Step:
    gradients = [Gradient(**one) for one in result.pop("gradients")]
    return Step(gradients=gradients, layers=[Layer(**one) for one in result.pop("layers")], **result)


def run(group: ProcessGroup, path: str) -> dict[str, Any]:
    training = load(path)
    parallel = Training(DistributedDataParallel(training.model, process_group=group), training.batch, training.loss)
    layers.repeated(parallel, 0.0)
    collectives.barrier(group)
    return {"seconds": last(group, best(parallel.step, layers.BLOCK, _RUN_BLOCKS))}


def main(kind: str, out: str, *path: str) -> None:
    set_num_threads(1)
    init_process_group("mpi")
    group = get_default_group()
    result = {"constants": constants, "waiting": waiting_constants, "step": step, "run": run}[kind](group, *path)  # type: ignore[operator]
    if group.rank() == 0:
        with replacing(str(Path(out))) as file:
            file.write(json.dumps(result).encode())
    collectives.barrier(group)
    destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
