"""Plans as text: constants, layers, predicted efficiencies, and what was assumed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .costs import Network
from .machine import Machine
from .schedule import Plan


def format_network(network: Network) -> str:
    """Latency, bandwidth and rate of joining."""
    return (
        f"latency {1e6 * network.latency:.1f} us, bandwidth {network.bandwidth / 1e9:.2f} GB/s, "
        f"joining {network.joining / 1e9:.2f} GB/s"
    )


def format_machine(machine: Machine) -> str:
    """The constants of a machine."""
    lines = [f"{machine.cores} cores a machine; between its ranks: {format_network(machine.inside)}"]
    if machine.between != machine.inside:
        lines.append(f"between machines: {format_network(machine.between)}")
    lines.append(f"part of a collective's time that takes its core from a rank's computation: {machine.core_share:.0%}")
    return "\n".join(lines)


def format_collectives(result: Iterable[tuple[str, int, float, float]]) -> str:
    """A line for each collective and size: what it took, and what the model says."""
    lines = [f"{'':12}{'bytes':>10}{'measured':>14}{'model':>14}{'':>8}"]
    for name, size, seconds, note in result:
        lines.append(f"{name:12}{size:10}{1e6 * seconds:11.1f} us{1e6 * note:11.1f} us{note / seconds - 1:+8.0%}")
    return "\n".join(lines)


def format_step(plan: Plan) -> str:
    """The step on one rank, and its layers."""
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
    """A line for each number of ranks: milliseconds of a step, and efficiency."""
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
    """What a plan takes for granted."""
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
