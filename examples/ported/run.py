"""Runs public programs and libraries with specgrad in the place of torch, and beside PyTorch where it is installed.

python examples/ported/run.py                 all of programs.yaml, and writes docs/ported.md
python examples/ported/run.py einops timm     those whose name has one of these words, and their rows
TORCH_PYTHON=... python examples/ported/run.py   an interpreter that has PyTorch, for what both print

Packages come from PyPI into out/ported (--folder), so a network is needed the first time.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parent))

from environment import PROGRAMS, ROOT, Environment, torch_beside
from page import add_to_page, write_page

LIMIT = 120
TOLERANCE = 2e-3  # of what several steps of training in float32 print
NUMBER = re.compile(r"-?(\d+\.?\d*(e[-+]?\d+)?|inf|nan)")


@dataclass
class Run:
    """What became of one program with one library."""

    ended: str  # "" or the last line of the error
    seconds: float
    lines: list[str]


@dataclass
class Result:
    """What became of one program with both."""

    name: str
    version: str
    what: str
    result: str
    specgrad: Run
    torch: Run | None


def run(environment: Environment, library: str, program: dict[str, Any]) -> Run:
    """Run a program once."""
    command, variables = environment.command(library, [str(PROGRAMS / f"{program['program']}.py")])
    begun = time.perf_counter()
    try:
        done = subprocess.run(
            command,
            env=variables,
            cwd=environment.folder,
            capture_output=True,
            text=True,
            timeout=program.get("seconds", LIMIT),
        )
    except subprocess.TimeoutExpired:
        return Run("does not end", time.perf_counter() - begun, [])
    seconds = time.perf_counter() - begun
    ended = "" if done.returncode == 0 else _last_line(done.stderr)
    (environment.folder / f"{program['program'].replace('/', '-')}.{library}.log").write_text(done.stdout + done.stderr)
    return Run(ended, seconds, done.stdout.splitlines())


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line and not line.startswith(" ")]
    return lines[-1][:300] if lines else "no message"


def differing(ours: list[str], theirs: list[str]) -> str:
    """The first line that says something else, '' where there is none."""
    if len(ours) != len(theirs):
        return f"{len(ours)} lines, {len(theirs)} of PyTorch's"
    for a, b in zip(ours, theirs, strict=True):
        if not _same(a.split(), b.split()):
            return f"{a[:100]} / {b[:100]}"
    return ""


def _same(ours: list[str], theirs: list[str]) -> bool:
    if len(ours) != len(theirs):
        return False
    numbers = [abs(float(word)) for word in theirs if NUMBER.fullmatch(word)]
    scale = max([n for n in numbers if n < float("inf")], default=0.0)
    return all(_close(a, b, scale) for a, b in zip(ours, theirs, strict=True))


def _close(a: str, b: str, scale: float) -> bool:
    if a == b or not (NUMBER.fullmatch(a) and NUMBER.fullmatch(b)):
        return a == b
    return abs(float(a) - float(b)) <= TOLERANCE * max(abs(float(b)), 0.01 * scale)


def judged(environment: Environment, program: dict[str, Any]) -> Result:
    """Run a program with both and compare."""
    ours = run(environment, "specgrad", program)
    if ours.ended == "" and ours.seconds > 3:
        ours = run(environment, "specgrad", program)  # kernels have been compiled by now
    theirs = run(environment, "torch", program) if environment.has_torch else None
    packages = program["packages"]
    version = environment.version_of(packages[0]) if packages else ""
    if theirs is not None and theirs.ended:
        result = f"stops on PyTorch: {theirs.ended}"
    elif ours.ended:
        result = f"stops: {ours.ended}"
    else:
        difference = "" if theirs is None else differing(ours.lines, theirs.lines)
        result = f"differs: {difference}" if difference else "same" if theirs is not None else "runs"
    return Result(program["name"], version, program["what"], result, ours, theirs)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--folder", type=Path, default=ROOT / "out" / "ported")
    parser.add_argument("--no-install", action="store_true", help="what is to be run is there already")
    options = parser.parse_args()
    programs = yaml.safe_load((Path(__file__).parent / "programs.yaml").read_text())
    chosen = [p for p in programs if not options.words or any(word in p["name"] for word in options.words)]
    options.folder.parent.mkdir(parents=True, exist_ok=True)
    environment = Environment(options.folder.absolute(), torch_beside())
    if not options.no_install:
        environment.make()
    results = []
    for program in chosen:
        failed = "" if options.no_install or not program["packages"] else environment.install(program["packages"])
        if failed:
            print(program["name"], "cannot be installed:", failed.splitlines()[-1])
            continue
        results.append(judged(environment, program))
        found = results[-1]
        beside = f"{found.torch.seconds:.1f}" if found.torch else "-"
        print(f"{found.name:32} {found.specgrad.seconds:6.1f} {beside:>6}  {found.result}", flush=True)
    if not options.words:
        (options.folder / "results.json").write_text(json.dumps([asdict(result) for result in results], indent=1))
    (add_to_page if options.words else write_page)(results, ROOT / "docs" / "ported.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
