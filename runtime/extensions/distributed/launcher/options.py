"""The command line of `python -m specgrad.distributed.run`: PyTorch's options, where there is a choice."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ....device.threads.workers import available_cpus

_MPI_KNOWS = "master-addr master-port local-addr node-rank rdzv-backend rdzv-endpoint rdzv-id rdzv-conf"
_NOTHING_TO_CHOOSE = {f"--{name}": "MPI knows where ranks are" for name in _MPI_KNOWS.split()}
_NOTHING_TO_CHOOSE["--node-rank"] = "all ranks are on this machine"
_NOTHING_TO_CHOOSE |= {"--role": "all ranks have one role", "--start-method": "ranks are programs of their own"}
_OUT, _ERR = 1, 2  # bits of what is redirected or teed
_RANGE = 2  # numbers in MIN:MAX


class Options(argparse.Namespace):
    min_nodes: int  # between how many ranks there may be: the first attempt has the most
    max_nodes: int
    module: bool
    no_python: bool
    program: str
    arguments: list[str]
    command: list[str]  # what each rank runs
    max_restarts: int
    monitor_interval: float  # seconds between looks at the ranks
    hang_timeout: float | None  # seconds without a collective after which a rank counts as hung; None: never
    log_dir: Path | None
    redirects: dict[int, int]  # which streams go to files: bits by rank, of all others at -1
    tee: dict[int, int]  # and to the terminal too
    local_ranks_filter: list[int] | None  # ranks; None for all


def _add(parser: argparse.ArgumentParser, name: str, **how: object) -> None:
    """An option under its name with hyphens and, as PyTorch has it, with underscores."""
    names = [name, name.replace("-", "_").replace("__", "--", 1)]
    parser.add_argument(*dict.fromkeys(names), **how)  # type: ignore[arg-type]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m specgrad.distributed.run", description="Start a program as several ranks with mpiexec."
    )
    count = "how many ranks: a number, auto or cpu for one a core, or MIN:MAX: MAX, and one fewer after each failure"
    parser.add_argument("-n", "--nproc-per-node", "--nproc_per_node", type=_counts, default=(1, 1), help=count)
    _add(parser, "--nnodes", default="1", choices=["1", "1:1"], help="machines: one")
    parser.add_argument("--standalone", action="store_true", help="always so")
    _add(parser, "--max-restarts", type=int, default=0, help="how often all ranks are started again where one fails")
    _add(parser, "--monitor-interval", type=float, default=0.1, help="seconds between looks at the ranks")
    _add(parser, "--hang-timeout", type=float, help="end ranks that begin no collective for so many seconds")
    _add(parser, "--log-dir", type=Path, help="folder for attempt_K/RANK/stdout.log and stderr.log")
    streams = "0 none, 1 stdout, 2 stderr, 3 both; or by ranks, 0:3,1:2"
    parser.add_argument("-r", "--redirects", type=_streams, default={}, help=f"to files: {streams}")
    parser.add_argument("-t", "--tee", type=_streams, default={}, help=f"to files and the terminal: {streams}")
    _add(parser, "--local-ranks-filter", type=_ranks, help="show these ranks alone: 0,1")
    for name, why in _NOTHING_TO_CHOOSE.items():
        _add(parser, name, help=f"not looked at: {why}")
    parser.add_argument("-m", "--module", action="store_true", help="the program is the name of a module")
    _add(parser, "--no-python", action="store_true", help="the program is started as it is, without Python")
    parser.add_argument("program", help="a Python file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="those of the program")
    return parser


def parsed(args: Sequence[str] | None) -> Options:
    parser = _parser()
    result = parser.parse_args(args, Options())
    for name, why in _NOTHING_TO_CHOOSE.items():
        if getattr(result, name[2:].replace("-", "_")) is not None:
            print(f"specgrad.distributed.run: {name} is not looked at: {why}", file=sys.stderr)
    if result.module and result.no_python:
        parser.error("-m and --no-python exclude each other")
    if result.log_dir is None and (any(result.redirects.values()) or any(result.tee.values())):
        parser.error("--redirects and --tee need --log-dir")
    if result.log_dir is not None and not result.redirects and not result.tee:
        result.tee = {-1: _OUT | _ERR}
    start = [] if result.no_python else [sys.executable, "-u", *(["-m"] if result.module else [])]
    result.min_nodes, result.max_nodes = result.nproc_per_node
    result.command = [*start, result.program, *result.arguments]
    return result


def _counts(text: str) -> tuple[int, int]:
    if text in ("auto", "cpu"):
        return available_cpus(), available_cpus()
    numbers = [int(part) for part in text.split(":")]
    if len(numbers) > _RANGE or not 1 <= numbers[0] <= numbers[-1]:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number of ranks, MIN:MAX, auto nor cpu")
    return numbers[0], numbers[-1]


def _streams(text: str) -> dict[int, int]:
    """Bits by rank, of all others at -1."""
    parts = [part.split(":") for part in text.split(",")]
    results = {int(part[0]) if len(part) > 1 else -1: int(part[-1]) for part in parts}
    if not all(0 <= bits <= _OUT | _ERR for bits in results.values()):
        raise argparse.ArgumentTypeError(f"{text!r}: 0 none, 1 stdout, 2 stderr, 3 both")
    return results


def _ranks(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]
