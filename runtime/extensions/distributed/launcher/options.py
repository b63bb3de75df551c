"""The command lines of `torchrun` and `python -m specgrad.distributed.launch`: PyTorch's options."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from ....device.device import cuda_device_count
from ....device.threads.workers import available_cpus

_WITHOUT_EFFECT = ("local-addr", "rdzv-backend", "rdzv-conf", "start-method", "event-log-handler", "signals-to-handle")
_MULTI_NODE = (
    "the ranks of one machine are started; on several, start each rank with RANK, WORLD_SIZE, MASTER_ADDR and "
    "MASTER_PORT in its environment, or all by mpiexec -hosts"
)
LOCAL_RANK = "${local_rank}"  # in arguments: the number of the rank on its machine
_OUT, _ERR = 1, 2  # bits of what is redirected or teed
_RANGE = 2  # numbers in MIN:MAX


class Options(argparse.Namespace):
    min_nodes: int  # between how many ranks there may be: the first attempt has the most
    max_nodes: int
    nproc_per_node: tuple[int, int]
    module: bool
    no_python: bool
    use_env: bool  # of launch
    master_addr: str
    master_port: int | None  # 0: any that is free
    rdzv_endpoint: str
    standalone: bool
    rdzv_id: str
    role: str
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


def _parser(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=name, description="Start a program as several ranks with mpiexec.")
    count = "how many ranks: a number, auto, gpu or cpu for one a device or core, or MIN:MAX: one fewer after a failure"
    parser.add_argument("-n", "--nproc-per-node", "--nproc_per_node", type=_counts, default=(1, 1), help=count)
    _add(parser, "--nnodes", type=_one_machine, default=1, help="machines: one")
    _add(parser, "--node-rank", type=int, default=0, choices=[0], help="of this machine")
    _add(parser, "--master-addr", default="", help="MASTER_ADDR of ranks; 127.0.0.1 when left out")
    _add(parser, "--master-port", type=int, help="MASTER_PORT of ranks, 0 for any that is free; 29500 when left out")
    _add(parser, "--rdzv-endpoint", default="", help="both, as HOST:PORT")
    parser.add_argument("--standalone", action="store_true", help="any free port is MASTER_PORT")
    _add(parser, "--rdzv-id", default="none", help="TORCHELASTIC_RUN_ID of ranks")
    _add(parser, "--role", default="default", help="ROLE_NAME of ranks")
    _add(parser, "--max-restarts", type=int, default=0, help="how often all ranks are started again where one fails")
    _add(parser, "--monitor-interval", type=float, default=0.1, help="seconds between looks at the ranks")
    _add(parser, "--hang-timeout", type=float, help="end ranks that begin no collective for so many seconds")
    _add(parser, "--log-dir", type=Path, help="folder for attempt_K/RANK/stdout.log and stderr.log")
    streams = "0 none, 1 stdout, 2 stderr, 3 both; or by ranks, 0:3,1:2"
    parser.add_argument("-r", "--redirects", type=_streams, default={}, help=f"to files: {streams}")
    parser.add_argument("-t", "--tee", type=_streams, default={}, help=f"to files and the terminal: {streams}")
    _add(parser, "--local-ranks-filter", type=_ranks, help="show these ranks alone: 0,1")
    for option in _WITHOUT_EFFECT:
        _add(parser, f"--{option}", help="without effect")
    parser.add_argument("-m", "--module", action="store_true", help="the program is the name of a module")
    _add(parser, "--no-python", action="store_true", help="the program is started as it is, without Python")
    _add(parser, "--run-path", action="store_true", help="without effect: the program is a Python file")
    return parser


def parsed(args: Sequence[str] | None, launch: bool = False) -> Options:
    """The options of `torchrun`, or with `launch` those of `launch`, whose programs get `--local-rank=N`."""
    parser = _parser("python -m specgrad.distributed.launch" if launch else "torchrun")
    if launch:
        _add(parser, "--use-env", action="store_true", help="give the program no --local-rank=N, only LOCAL_RANK")
    parser.add_argument("program", help="a Python file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="those of the program")
    result = parser.parse_args(args, Options())
    if result.module and result.no_python:
        parser.error("-m and --no-python exclude each other")
    if result.log_dir is None and (any(result.redirects.values()) or any(result.tee.values())):
        parser.error("--redirects and --tee need --log-dir")
    if result.log_dir is not None and not result.redirects and not result.tee:
        result.tee = {-1: _OUT | _ERR}
    _set_master(result)
    start = [] if result.no_python else [sys.executable, "-u", *(["-m"] if result.module else [])]
    first = [f"--local-rank={LOCAL_RANK}"] if launch and not result.use_env else []
    result.min_nodes, result.max_nodes = result.nproc_per_node
    result.command = [*start, result.program, *first, *result.arguments]
    return result


def _set_master(result: Options) -> None:
    """MASTER_ADDR and MASTER_PORT: as options, or in the environment."""
    endpoint = urlsplit(f"//{result.rdzv_endpoint}")
    result.master_addr = result.master_addr or endpoint.hostname or os.environ.get("MASTER_ADDR", "127.0.0.1")
    if result.master_port is None:
        known = 0 if result.standalone else int(os.environ.get("MASTER_PORT", "29500"))
        result.master_port = known if endpoint.port is None else endpoint.port


def _one_machine(text: str) -> int:
    if text not in ("1", "1:1"):
        raise argparse.ArgumentTypeError(f"{text}: {_MULTI_NODE}")
    return 1


def _counts(text: str) -> tuple[int, int]:
    devices = cuda_device_count() if text in ("auto", "gpu") else 0
    if text in ("auto", "cpu"):
        return (devices or available_cpus(),) * 2
    parts = [str(devices)] if text == "gpu" else text.split(":")
    numbers = [int(part) if part.isdigit() else 0 for part in parts]
    if len(numbers) > _RANGE or not 1 <= numbers[0] <= numbers[-1]:
        what = "a number of ranks, MIN:MAX, auto, cpu, or gpu where there are CUDA devices"
        raise argparse.ArgumentTypeError(f"expected {what}, got {text!r}")
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
