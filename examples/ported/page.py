"""docs/ported.md: what was run, and what became of it, in two parts that are written by a script each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

HEAD = """# Programs written for PyTorch, run as they are

Public packages from PyPI, none of them changed, run by `python -m specgrad.as_torch` (or `specgrad.as_torch()`), which
makes `import torch` and every module below it mean specgrad. `examples/ported/run.py` installs them and writes this
page; the programs are in `examples/ported/programs/`. They print losses, outputs and gradients, which are *same* where
they agree with what PyTorch {torch} prints, to {tolerance}. Seconds are those of the whole process, imports included,
with one thread, kernels compiled before.

{same} of the {all} that run on PyTorch run and print the same.{alone}

| package | version | what was run | result | seconds | PyTorch's |
|---|---|---|---|---|---|
"""

SUITES = "\n## Their own test-suites\n"  # where the second part begins

SUITES_HEAD = """
Tests that come with packages, in their source archives on PyPI, run unchanged: first on PyTorch, and then those that
pass there with specgrad in the place of torch, by `python -m specgrad.as_torch -m pytest`.
`examples/ported/suites/run.py` does so; `suites.yaml` beside it says what is run of each package, what is left out, and
why. What PyTorch passes in {limit} seconds counts, or in those that `suites.yaml` gives it; a test that is skipped, or
that does not end in its time, has not passed. *By the draws* are tests that fail with specgrad, and on PyTorch too
where it draws specgrad's random numbers (`same_draws.py`): what they assert holds for the numbers that PyTorch draws.
Seconds are those of all that was run, kernels included that were compiled meanwhile, on two cores that other work
shared.

Of {all} tests that pass on PyTorch, {same} pass: {percent}. {draws} of the others are by the draws.

| package | version | what was run | pass on PyTorch | of these with specgrad | | by the draws | seconds | PyTorch's |
|---|---|---|---|---|---|---|---|---|
"""


def write_page(results: list[Any], path: Path) -> None:
    """Write the page of all results."""
    _write_rows({r.name: _row(r) for r in results}, path)


def add_to_page(results: list[Any], path: Path) -> None:
    """Write the rows of some results in the place of theirs, or behind all others; the others stay."""
    rows = [line for line in _parts(path)[0].splitlines(keepends=True) if line.startswith("| ")]
    before = {line.split(" | ")[0].removeprefix("| "): line for line in rows[1:]}
    _write_rows({**before, **{r.name: _row(r) for r in results}}, path)


def _row(r: Any) -> str:
    beside = f"{r.torch.seconds:.1f}" if r.torch else ""
    result = r.result.replace("|", "\\|").replace("<", "&lt;")
    return f"| {r.name} | {r.version} | {r.what} | {result} | {r.specgrad.seconds:.1f} | {beside} |\n"


def _write_rows(rows: dict[str, str], path: Path) -> None:
    results = [line.split(" | ")[3:] for line in rows.values()]
    counted = [(result, beside) for result, _, beside in results if not result.startswith("stops on PyTorch")]
    alone = sum(beside.strip(" |\n") == "" for _, beside in counted)  # which say "runs" or where they stop
    numbers = {"same": sum(result == "same" for result, _ in counted), "all": len(counted) - alone}
    text = f" {alone} more were run with specgrad alone." if alone else ""
    head = HEAD.format(torch="2.13", tolerance="0.2 %", alone=text, **numbers)
    path.write_text(head + "".join(rows.values()) + _parts(path)[1], encoding="utf-8")


def write_suites(results: list[Any], limit: int, path: Path) -> None:
    """Write the part of the page on test-suites, each of which PyTorch has run for at most so many seconds."""
    numbers = [sum(getattr(r, name) for r in results) for name in ("of_torch", "same", "by_draws")]
    share = percent(numbers[1], numbers[0])
    lines = [SUITES, SUITES_HEAD.format(limit=limit, all=numbers[0], same=numbers[1], draws=numbers[2], percent=share)]
    for r in results:
        counts = f"{r.of_torch} | {r.same} | {percent(r.same, r.of_torch)} | {r.by_draws or ''}"
        lines.append(f"| {r.name} | {r.version} | {r.part} | {counts} | {r.seconds:.0f} | {r.torch_seconds:.0f} |\n")
    path.write_text(_parts(path)[0] + "".join(lines), encoding="utf-8")


def percent(part: int, batch_first: int) -> str:
    """How many of a hundred, rounded down, so that 100 means all."""
    return f"{int(1000 * part / batch_first) / 10:g} %" if batch_first else ""


def _parts(path: Path) -> tuple[str, str]:
    """What the page says of programs, and of test-suites."""
    before, heading, after = path.read_text(encoding="utf-8").partition(SUITES) if path.exists() else ("", "", "")
    return before, heading + after
