"""Efficiency of data parallelism: ``python -m benchmarks.distributed [--ranks N] [--rounds N] [WORKLOAD ...]``.

Each rank has a batch of the same size and one thread, so a step on N ranks should take as long as on one: efficiency
is the one time over the other. Beside it stands what the machine allows: as many processes at once that know nothing
of each other share caches and memory too. All processes are there all the time and sleep while others are timed; they
take turns in every round, each library beside the other. Of all steps of all rounds the best counts, for whatever the
machine does besides takes cores away, and beside it stands the median.
"""

import argparse
import importlib.util
import sys
import tempfile
from pathlib import Path
from statistics import median

from .process_groups import RankGroup, rank_groups
from .workloads import WORKLOADS

KINDS = ("one", "separate", "ranks")


Times = dict[tuple[str, str], list[float]]  # seconds of steps, by library and kind of team


def measured(workload: str, every: dict[tuple[str, str], RankGroup], rounds: int, steps: int) -> Times:
    """Seconds of the steps of each team; every second round goes through them backwards."""
    times: Times = {key: [] for key in every}
    for rank_group in every.values():
        rank_group.seconds(workload, 1)  # prepares it
    for number in range(rounds):
        for key in [*every][:: -1 if number % 2 else 1]:
            times[key] += every[key].seconds(workload, steps + 1)[1:]  # the first comes from sleep
    return times


def lines(workload: str, result: Times) -> list[str]:
    """The lines of a workload: milliseconds a step, and efficiencies, of each library."""
    printed = []
    for library in dict.fromkeys(library for library, _ in result):
        for name, chosen in (("best", min), ("median", median)):
            one, separate, ranks = (chosen(result[library, kind]) for kind in KINDS)
            times = "".join(f"{1e3 * seconds:12.1f}" for seconds in (one, separate, ranks))
            printed.append(f"{workload:18}{library:10}{name:8}{times}{one / separate:12.1%}{one / ranks:12.1%}")
    return printed


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.distributed", description=__doc__.splitlines()[0])
    parser.add_argument("workload", nargs="*", default=[*WORKLOADS], help=f"of {', '.join(WORKLOADS)}")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--steps", type=int, default=8, help="of each round")
    value = parser.parse_args()
    libraries = ["specgrad", *(["torch"] if importlib.util.find_spec("torch") else [])]
    columns = ("one, ms", f"{value.ranks} apart, ms", f"{value.ranks} ranks, ms", "ceiling", "efficiency")
    print(f"{'a step':36}" + "".join(f"{name:>12}" for name in columns), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        every = rank_groups(libraries, value.ranks, Path(folder))
        try:
            for workload in value.workload:
                print(*lines(workload, measured(workload, every, value.rounds, value.steps)), sep="\n", flush=True)
        finally:
            for rank_group in every.values():
                rank_group.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
