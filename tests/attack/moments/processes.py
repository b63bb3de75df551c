"""Programs in processes of their own: who does not end in time hangs, and who is ended by a signal has crashed."""

from __future__ import annotations

import random
import subprocess
import sys

from tests.attack.amount import SEED

LIMIT = 180  # seconds: some two are enough where nothing else runs


def samples(attack: str, chunk: int) -> random.Random:
    """Numbers that depend on the seed, the attack and which part of it this is."""
    return random.Random(f"{SEED} {attack} {chunk}")


def ended(program: str, expected: tuple[int, ...] = (0,)) -> str:
    """What a program printed; it ends in time, with one of these codes, and without an error of the interpreter's."""
    try:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-X", "faulthandler", "-c", program],
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
    except subprocess.TimeoutExpired as error:
        raise AssertionError(f"seed {SEED}: no end after {LIMIT} s\n{error.stderr!r}\nof\n{program}") from None
    message = f"seed {SEED}: code {done.returncode}, expected {expected}\n{done.stdout}\n{done.stderr}\nof\n{program}"
    assert done.returncode in expected, message
    assert "Fatal Python error" not in done.stderr, message
    return done.stdout
