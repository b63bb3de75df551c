"""`python -m specgrad.distributed.plan`: constants of this machine, and steps on more ranks than it has."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....runtime.device.threads.workers import available_cpus
from ....runtime.extensions.distributed.launcher import mpiexec
from . import costs
from .costs import Machine, Network, Plan
from .measure import step_of


def format_network(network: Network) -> str:
    return (
        f"latency {1e6 * network.latency:.1f} us, bandwidth {network.bandwidth / 1e9:.2f} GB/s, "
        f"joining {network.joining / 1e9:.2f} GB/s"
    )


def format_machine(machine: Machine) -> str:
    lines = [f"{machine.cores} cores a machine; between its ranks: {format_network(machine.inside)}"]
    if machine.between != machine.inside:
        lines.append(f"between machines: {format_network(machine.between)}")
    lines.append(f"part of a collective's time that takes its core from a rank's computation: {machine.core_share:.0%}")
    return "\n".join(lines)


def format_collectives(result: Iterable[tuple[str, int, float, float]]) -> str:
    lines = [f"{'':12}{'bytes':>10}{'measured':>14}{'model':>14}{'':>8}"]
    for name, size, seconds, note in result:
        lines.append(f"{name:12}{size:10}{1e6 * seconds:11.1f} us{1e6 * note:11.1f} us{note / seconds - 1:+8.0%}")
    return "\n".join(lines)


def format_step(plan: Plan) -> str:
    step = plan.step
    parts = ", ".join(
        f"{name} {1e3 * seconds:.2f} ms"
        for name, seconds in (("forward", step.forward), ("backward", step.backward), ("update", step.update))
    )
    buckets = ", ".join(f"{size / 1e6:.2f} MB after {when:.0%}" for size, when in plan.buckets())
    lines = [
        f"one step in one process: {1e3 * step.seconds:.2f} ms ({parts})",
        f"gradients: {step.gradient_bytes / 1e6:.2f} MB; buckets, and how much of backward is over: {buckets}",
        f"{'layer':24}{'parameters, MB':>16}{'results, MB':>14}{'of forward':>12}",
    ]
    for layer in step.layers:
        size, output = layer.parameters / 1e6, layer.output / 1e6
        lines.append(f"{layer.name[:23]:24}{size:16.3f}{output:14.3f}{layer.share:12.0%}")
    return "\n".join(lines)


def format_plan(plan: Plan, counts: Sequence[int]) -> str:
    names = ("data", "sharded", "tensor")
    lines = [f"{'ranks':>6}" + "".join(f"{name + ', ms':>14}{'efficiency':>12}" for name in names)]
    one = plan.step.seconds
    for ranks in counts:
        tensor = plan.tensor_parallel(ranks)
        cells = [
            *(_cell(seconds, one / seconds) for seconds in (plan.data_parallel(ranks), plan.sharded(ranks))),
            f"{'-':>14}{'-':>12}" if tensor is None else _cell(tensor, one / (ranks * tensor)),
        ]
        lines.append(f"{ranks:6}" + "".join(cells))
    return "\n".join(lines)


def _cell(seconds: float, efficiency: float) -> str:
    return f"{1e3 * seconds:14.2f}{efficiency:12.1%}"


def format_assumptions(plan: Plan) -> str:
    machine = plan.machine
    beyond = "the network that was given" if machine.between != machine.inside else "a network like its memory"
    return "\n".join(
        [
            "assumed:",
            f"- a rank has a core; machines have {machine.cores}, and more ranks than that are on machines like this, "
            f"joined by {beyond}, over which all ranks send at once without hindering each other",
            f"- when all cores of a machine compute, computation takes {plan.crowd:.2f} times as long, as measured",
            "- collectives cost what the Hockney model says of the best algorithm of Thakur, Rabenseifner and Gropp "
            "(2005); all ranks come at the same time, and no rank is slower than others",
            f"- data: each rank has a batch of its own like the one measured; buckets of at most "
            f"{plan.bucket / _MEBIBYTE:g} MiB are reduced while backward goes on, {1 - machine.core_share:.0%} of it "
            "hidden",
            "- sharded: as data, with parameters gathered layer by layer for forward and for backward, one layer ahead",
            "- tensor: all ranks share the one batch, all computation is divided evenly, and nothing hides the two "
            "all_reduces for each two matrices; '-' where the first of two has fewer rows than there are ranks",
            "- efficiency: the time on one rank alone over that on p ranks, with p times the work for data and "
            "sharded; for tensor over p times that on p ranks",
        ]
    )


_MEBIBYTE = 2**20


_TRIAL = "specgrad.nn.parallel.planning.measure"
_MAX_MEASURED_RANKS = 16  # ranks that measure together
_PATIENCE = 300  # seconds
_COUNTS = [2**power for power in range(13)]


class Failed(Exception):
    """What the command is to say, and end."""


def started(kind: str, ranks: int, *path: str) -> dict[str, Any]:
    """What ranks have measured that were started for it; Failed where they ended with an error, or did not end."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "found.json")
        command = [mpiexec(), "-n", str(ranks), sys.executable, "-m", _TRIAL, kind, str(out), *path]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failed(f"plan: {ranks} ranks have not measured {kind} within {_PATIENCE} s") from None
        if done.returncode or not out.exists():
            raise Failed(f"plan: {ranks} ranks failed to measure {kind}:\n{done.stderr[-2000:]}")
        return json.loads(out.read_text(encoding="utf-8"))


def _machine(result: dict[str, Any], options: argparse.Namespace) -> Machine:
    inside = Network(*result["machine"]["inside"])
    made = Machine(result["machine"]["cores"], inside, inside, result["machine"]["core_share"])
    if options.machine:
        made = costs.read(options.machine)
    between = made.between._replace(
        latency=made.between.latency if options.latency is None else options.latency,
        bandwidth=made.between.bandwidth if options.bandwidth is None else options.bandwidth,
    )
    share = made.core_share if options.core_share is None else options.core_share
    return replace(made, between=between, core_share=share, cores=options.cores or made.cores)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m specgrad.distributed.plan",
        description="Measure this machine and a step of a model in one process, and print how long steps would take on "
        "up to 4,096 ranks.",
    )
    parser.add_argument("model", nargs="?", help="a program with model(), batch() and loss(model, batch)")
    parser.add_argument("--measure", action="store_true", help="measure the machine's constants, and print them")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the machine's constants")
    parser.add_argument("--machine", type=Path, metavar="FILE", help="constants of another machine, written by --save")
    parser.add_argument("--latency", type=float, help="between machines, in seconds")
    parser.add_argument("--bandwidth", type=float, help="between machines, in bytes a second for each rank")
    parser.add_argument("--cores", type=int, help="of a machine, each with a rank")
    parser.add_argument("--core-share", type=float, help="the part of collectives that takes the rank's core: 0 to 1")
    parser.add_argument("--bucket-mb", type=float, default=25, help="DistributedDataParallel's bucket_cap_mb")
    parser.add_argument("--ranks", type=int, nargs="+", default=_COUNTS, help="numbers of ranks to print")
    parser.add_argument(
        "--check", type=int, nargs="+", metavar="N", help="also run steps on N ranks here, and print what they take"
    )
    return parser


def _checked(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    if not options.model and not options.measure:
        parser.error("name a program with model(), batch() and loss(model, batch), or say --measure")
    if options.check and not options.model:
        parser.error("--check needs a model")
    for name in ("latency", "bandwidth", "cores", "bucket_mb"):
        value = getattr(options, name)
        if value is not None and value <= 0:
            parser.error(f"--{name.replace('_', '-')} must be greater than 0, not {value:g}")
    if options.core_share is not None and not 0 <= options.core_share <= 1:
        parser.error(f"--core-share must be from 0 to 1, not {options.core_share:g}")
    if min(options.ranks) < 1 or min(options.check or [1]) < 1:
        parser.error("numbers of ranks begin at 1")


def format_check(plan: Plan, counts: Sequence[int], path: str) -> str:
    cores = plan.machine.cores
    lost = started("waiting", 2 * cores)["seconds"] if max(counts) > cores else 0.0
    here = replace(plan, multi_node=False, waiting=lost)
    lines = [f"{'ranks here':>10}{'measured, ms':>14}{'plan, ms':>12}{'':>8}"]
    for ranks in counts:
        seconds, message = started("run", ranks, path)["seconds"], here.data_parallel(ranks)
        lines.append(f"{ranks:10}{1e3 * seconds:14.2f}{1e3 * message:12.2f}{message / seconds - 1:+8.0%}")
    if lost:
        lines.append(f"where ranks share cores, a step loses {1e3 * lost:.1f} ms in which they wait, as measured")
    return "\n".join(lines)


def _printed(options: argparse.Namespace) -> None:
    ranks = min(_MAX_MEASURED_RANKS, max(2, available_cpus()))
    result = started("step", ranks, options.model) if options.model else started("constants", ranks)
    made = _machine(result, options)
    if options.save:
        costs.write(options.save, made)
    print(format_machine(made))
    if options.measure:
        print(format_collectives(result["collectives"]))
    if not options.model:
        return
    plan = Plan(step_of(result["step"]), made, result["crowd"], int(options.bucket_mb * _MEBIBYTE))
    print(
        format_step(plan),
        "",
        format_plan(plan, options.ranks),
        "",
        format_assumptions(plan),
        sep="\n",
    )
    if options.check:
        local = replace(plan, machine=_machine(result, _parser().parse_args([options.model])))
        print("", format_check(local, options.check, options.model), sep="\n")


def main(args: Sequence[str] | None = None) -> int:
    """Print the constants of this machine, or a plan; 1 where something could not be measured."""
    parser = _parser()
    options = parser.parse_args(args)
    _checked(options, parser)
    try:
        _printed(options)
    except (Failed, RuntimeError, ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0
