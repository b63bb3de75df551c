"""Ends of the interpreter in the middle of work: whoever computes then, a daemon or a finaliser, nobody waits."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from tests.attack.amount import amount

from .processes import ended, samples

CHUNKS, EACH = amount(1, 10), amount(6, 20)

WORKS = {  # by compiled code, by Python, by BLAS, of a first call, of a backward pass
    "large": "lambda: float((a * 2 + a).sum()) == float((a * 3).sum()) or fail()",
    "sorted": "lambda: a.sort(1).values[0, 0] <= a[0, 0] or fail()",
    "cast": "lambda: a.to(sg.float64).to(sg.int32).sum() == 0 or fail()",
    "product": "lambda: (a @ a)[0, 0]",
    "first": "lambda: [f(sg.rand(40, 40)) for f in (sg.erfinv, sg.lgamma, sg.digamma, sg.i0, sg.cosh, sg.sinc)]",
    "backward": "lambda: (b * b).softmax(1).sum().backward()",
    "reduced": "lambda: a.amax(0).logsumexp(0)",
    "resized": "lambda: (sg.set_num_threads(1), a * 2, sg.set_num_threads(3), a * 2)",
}
START = """
import atexit, sys, threading, time, weakref, signal, os, gc
signal.signal(signal.SIGINT, signal.default_int_handler)  # who starts this in the background has it ignored
{before}
import specgrad as sg
sg.set_num_threads({threads})
a, b = sg.rand(700, 700), sg.rand(300, 300, requires_grad=True)
def fail(): os._exit(99)
WORK = {work}
class Late:
    def __init__(self, *works): self.works = works
    def __del__(self):
        for work in self.works: work()
class Owner: pass
def forever(work):
    while True: work()
"""
BEFORE = ["", "atexit.register(lambda: WORK['{0}']())"]
AROUND = [
    "late = Late(WORK['{0}'], WORK['{1}'])",
    "late = Late(WORK['{0}']); late.itself = late",
    "sys.late = Late(WORK['{0}'])",
    "sg.late = Late(WORK['{0}'])",
    "import json; json.late = [Late(WORK['{0}'])]; json.late.append(json.late)",
    "owner = Owner(); weakref.finalize(owner, WORK['{0}'])",
    "atexit.register(WORK['{0}'])",
    "threading.Thread(target=forever, args=(WORK['{0}'],), daemon=True).start()",
    "threading.Thread(target=forever, args=(WORK['{0}'],), daemon=True).start()",
    "threading.Thread(target=WORK['{0}']).start()",
    "WORK['{0}']()",
    "t = threading.Thread(target=WORK['{0}']); atexit.register(lambda: (t.start(), t.join()))",
]
INTERRUPTED = -2  # 1 where code has run after the interrupt, as atexit functions do
ENDS = {
    "pass": 0,
    "sys.exit(3)": 3,
    "1 / 0": 1,
    "os.kill(os.getpid(), signal.SIGINT); time.sleep(9)": INTERRUPTED,
    "gc.disable()": 0,
}


def program(draw: random.Random) -> tuple[str, int]:
    """A program that ends while something computes, and the code it ends with."""

    def filled(text: str) -> str:
        return text.format(draw.choice(sorted(WORKS)), draw.choice(sorted(WORKS)))

    work = "{" + ", ".join(f"{name!r}: {text}" for name, text in WORKS.items()) + "}"
    start = START.format(before=filled(draw.choice(BEFORE)), threads=draw.choice([2, 3, 5]), work=work)
    around = [filled(text) for text in draw.sample(AROUND, draw.randint(2, 4))]
    end, code = draw.choice(sorted(ENDS.items()))
    pause = f"time.sleep({draw.choice([0, 0, 0.01, 0.1, 0.5]) * draw.random()})"
    return "\n".join([start, *around, pause, end]), code


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_process_ends_whatever_computes(chunk: int, figures: Callable[..., None]) -> None:
    """In time and with the code that the program says, whoever computes at that moment or is about to."""
    draw = samples("exits", chunk)
    for _ in range(EACH):
        text, code = program(draw)
        ended(text, (code, 1) if code == INTERRUPTED else (code,))
        figures("exits", ended=1)
