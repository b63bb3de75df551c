"""What ranks measure for a plan: `python -m specgrad.nn.parallel.planning.trial KIND OUT [MODEL]` under mpiexec.

The kinds: "constants" of the machine; "waiting", what steps lose where ranks share its cores; "step", the constants and
a step of a model, alone and on all ranks at once without any communication; "run", steps of the model in
DistributedDataParallel.
"""

from __future__ import annotations

import json
import runpy
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ....runtime.distributed import collectives
from ....runtime.distributed.groups.process_group import ProcessGroup
from ....runtime.distributed.world import destroy_process_group, get_default_group, init_process_group
from ....runtime.pool.thread_count import available_cpus
from ....runtime.pool.threads import set_num_threads
from ....runtime.saving.whole_file import replacing
from ..distributed import DistributedDataParallel
from . import layers, measuring
from .layers import Gradient, Layer, Step, Training

_NAMES = ("model", "batch", "loss")
_RUN_BLOCKS = 10


def load(path: str) -> Training:
    """The training that a program describes: its `model()`, `batch()` and `loss(model, batch)`.

    Raises:
        ValueError: it has not all of them.
    """
    result = runpy.run_path(path, run_name="plan")
    missing = [name for name in _NAMES if not callable(result.get(name))]
    if missing:
        raise ValueError(
            f"plan: {path} has no function {', '.join(missing)}: it is to define model(), batch(), and "
            "loss(model, batch)"
        )
    return Training(result["model"](), result["batch"](), result["loss"])


def constants(group: ProcessGroup) -> dict[str, Any]:
    """The machine's, and how well the model fits."""
    machine, collectives_seen = measuring.measured(group)
    return {"machine": asdict(machine), "collectives": collectives_seen}


def waiting_constants(group: ProcessGroup) -> dict[str, Any]:
    """What a step loses where ranks share cores."""
    return {"seconds": measuring.waiting(group, available_cpus())}


def step(group: ProcessGroup, path: str) -> dict[str, Any]:
    """The constants, a step of the first rank alone, and how much longer it takes when all ranks compute."""
    training = load(path)
    layers.repeated(training, 0.0)  # kernels are compiled
    collectives.barrier(group)
    alone = layers.measured(training) if group.rank() == 0 else None
    collectives.barrier(group)
    overlapped = measuring.last(group, sum(layers.best_block(layers.repeated(training))))
    result = constants(group)
    if alone is None:
        return {}
    return {**result, "step": asdict(alone), "crowd": max(1.0, overlapped / alone.seconds)}


def step_of(result: dict[str, Any]) -> Step:
    """A step out of a file of JSON."""
    gradients = [Gradient(**one) for one in result.pop("gradients")]
    return Step(gradients=gradients, layers=[Layer(**one) for one in result.pop("layers")], **result)


def run(group: ProcessGroup, path: str) -> dict[str, Any]:
    """Seconds of a step with the averages of all ranks' gradients."""
    training = load(path)
    parallel = Training(DistributedDataParallel(training.model, process_group=group), training.batch, training.loss)
    layers.repeated(parallel, 0.0)
    collectives.barrier(group)
    return {"seconds": measuring.last(group, measuring.best(parallel.step, layers.BLOCK, _RUN_BLOCKS))}


def main(kind: str, out: str, *path: str) -> None:
    """Measure, and write what was found."""
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
