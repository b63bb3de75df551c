"""300,000 bad calls: each works, or is an error of a class a PyTorch user expects that names what was called.

Of five calls one is a sample of the registry with an argument or two replaced, one any public function, class or method
of Tensor with arguments drawn from a box of oddities, two a call from a docstring's example with an argument or two
replaced, and one a method of what an example leaves. They are made by processes whose memory and time are limited, so
that a crash or a hang has the seed of its call. To repeat one:
`python -m tests.attack.calls.bad_call_process SEED N N+1`.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.attack.amount import SEED, amount
from tests.repository import ROOT

EVERY = "every"  # a seed of `bad_calls`
CHUNK = amount(400, 3_000)
CHUNKS = amount(4, 100)
SECONDS = 3600  # for a chunk: a machine that is busy is no hang


def made(seed: int | str, first: int, last: int, folder: Path) -> tuple[list[str], int]:
    """What is wrong with calls of one process, and how many it has made."""
    index = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "tests.attack.calls.bad_call_process", *map(str, (seed, first, last))]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": index},
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired as hung:
        text = (hung.stderr or b"").decode()
        return [f"seed {seed}: no answer: {text[-300:]}"], 0
    found = [json.loads(line)[1] for line in done.stdout.splitlines()]
    numbers = [int(line) for line in done.stderr.splitlines() if line.isdigit()]
    if done.returncode:
        last_call = numbers[-1] if numbers else "none"
        found.append(f"seed '{seed}/{last_call}': exit status {done.returncode}: {done.stderr[-3000:]}")
    return found, len(numbers)


def test_every_function(tmp_path: Path, figures: Callable[..., None]) -> None:
    """Each public function with endless lists, with unknown names, with nothing: a sample of them with `make test`."""
    size = amount(60, 3_000)  # more than there are: a number stands for the remainder
    found, calls = made(EVERY, SEED * size, (SEED + 1) * size, tmp_path)
    figures("hostile calls", functions=calls)
    assert found == []


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_bad_calls(chunk: int, tmp_path: Path, figures: Callable[..., None]) -> None:
    """Never a crash, never a hang, never a bare internal error."""
    found, calls = made(SEED, chunk * CHUNK, (chunk + 1) * CHUNK, tmp_path)
    figures("bad calls", calls=calls)
    assert found == []
    assert calls == CHUNK
