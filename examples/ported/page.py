"""docs/ported.md: what was run, and what became of it."""

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


def write_page(results: list[Any], path: Path) -> None:
    """Write the page of all results."""
    counted = [r for r in results if not r.result.startswith("stops on PyTorch")]
    alone = sum(r.torch is None for r in counted)  # which say "runs" or where they stop
    numbers = {"same": sum(r.result == "same" for r in counted), "all": len(counted) - alone}
    text = f" {alone} more were run with specgrad alone." if alone else ""
    lines = [HEAD.format(torch="2.13", tolerance="0.2 %", alone=text, **numbers)]
    for r in results:
        beside = f"{r.torch.seconds:.1f}" if r.torch else ""
        result = r.result.replace("|", "\\|").replace("<", "&lt;")
        lines.append(f"| {r.name} | {r.version} | {r.what} | {result} | {r.specgrad.seconds:.1f} | {beside} |\n")
    path.write_text("".join(lines), encoding="utf-8")
