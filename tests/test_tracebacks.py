"""Errors leave public functions with frames of the program alone, whatever is between the program and what failed."""

import json
import linecache
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime import tracebacks
from tests.repository import ROOT


def _frames(call: Callable[[], Any]) -> list[str]:
    """The functions of the frames from `call` on, each with its file where that is not this one."""
    with pytest.raises(Exception) as caught:
        call()
    entries = traceback.extract_tb(caught.value.__traceback__)[1:]
    return [entry.name if entry.filename == __file__ else f"{entry.filename}:{entry.name}" for entry in entries]


def _wrong(x: Any) -> Any:
    return x.view(99)


def _decode(x: Any) -> Any:
    return json.loads("{")


class _Wrong(sg.nn.Module):
    def forward(self, x: Any) -> Any:
        return x.view(99)


class _Squared(sg.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad.view(99)


class _Data(sg.utils.data.Dataset[Any]):
    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> Any:
        return sg.ones(2).view(99)


def _x() -> Any:
    return sg.ones(2, 3)


def _leaf() -> Any:
    return sg.ones(3, requires_grad=True)


def _hooked() -> None:
    x = _leaf()
    x.register_hook(_wrong)
    x.sum().backward()


def _step() -> Any:
    return sg.optim.SGD([_leaf()], lr=0.1).step(lambda: _wrong(_x()))


INSIDE: dict[str, Callable[[], Any]] = {
    "op": lambda: sg.matmul(_x(), _x()),
    "method": lambda: _x().view(7),
    "operator": lambda: _x() @ _x(),
    "overloads": lambda: _x().sum(dims=0),
    "in place": lambda: _x().add_(sg.ones(5)),
    "composite": lambda: sg.cdist(_x(), sg.ones(2, 5)),
    "unknown keyword": lambda: sg.nn.Conv2d(1, 8, kernel=3),
    "index": lambda: _x()[5],
    "item": lambda: _x().item(),
    "bool": lambda: bool(_x()),
    "creation": lambda: sg.zeros(-1),
    "backward": lambda: _x().backward(),
    "functional": lambda: sg.nn.functional.layer_norm(_x(), (4,)),
    "loss": lambda: sg.nn.functional.mse_loss(_x(), sg.ones(7)),
    "layer": lambda: sg.nn.Sequential(sg.nn.Linear(2, 2))(_x()),
    "class": lambda: sg.distributions.Normal(0.0, -1.0),
    "guarded": lambda: sg.nn.init.zeros_("a"),  # type: ignore[arg-type]
    "unforeseen": lambda: sg.optim.SGD([_leaf()]).load_state_dict({}),
}

THROUGH: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "module": (lambda: sg.nn.Sequential(_Wrong())(_x()), ["forward"]),
    "hook": (_hooked, ["_hooked", "_wrong"]),
    "function": (lambda: _Squared.apply(_leaf()).sum().backward(), ["backward"]),
    "vmap": (lambda: sg.vmap(_wrong)(_x()), ["_wrong"]),
    "jacobian": (lambda: sg.autograd.functional.jacobian(_wrong, _x()), ["_wrong"]),
    "closure": (_step, ["_step", "<lambda>", "_wrong"]),
    "decorated": (lambda: sg.no_grad()(_wrong)(_x()), ["_wrong"]),
    "data": (lambda: next(iter(sg.utils.data.DataLoader(_Data()))), ["__getitem__"]),
}


@pytest.mark.parametrize("name", INSIDE)
def test_no_frame_of_the_package(name: str) -> None:
    """The innermost frame is the program's call."""
    assert _frames(INSIDE[name]) == ["<lambda>"]


@pytest.mark.parametrize("name", THROUGH)
def test_frames_of_the_program_stay(name: str) -> None:
    """Callbacks, hooks, modules and functions of the program are there, also inside a call of the package."""
    call, expected = THROUGH[name]
    assert _frames(call)[-len(expected) :] == expected
    assert not [frame for frame in _frames(call) if "specgrad" in frame]


def test_what_a_callback_calls_stays() -> None:
    """Code of the standard library is the program's where the program has called it."""
    frames = _frames(lambda: sg.vmap(_decode)(_x()))
    start = frames.index("_decode")
    assert frames[start + 1].endswith("__init__.py:loads")


def test_the_cause_stays() -> None:
    """`raise ... from` of the program, and of the package for an error that nobody foresaw, whose frames are kept."""
    with pytest.raises(RuntimeError) as caught:
        sg.optim.SGD([_leaf()]).load_state_dict({})
    cause = caught.value.__cause__
    assert isinstance(cause, KeyError)
    assert any("specgrad" in frame.filename for frame in traceback.extract_tb(cause.__traceback__))


def test_all_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the package are there on demand."""
    monkeypatch.setattr(tracebacks, "full", True)
    assert any("specgrad" in frame for frame in _frames(lambda: _x().view(7)))


def test_the_variable() -> None:
    """`SPECGRAD_TRACEBACK=full`, in a process of its own."""
    program = "import specgrad as sg\nsg.ones(2).view(7)"
    lines = {}
    for value in ("", "full"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "SPECGRAD_TRACEBACK": value, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        lines[value] = [line for line in done.stderr.splitlines() if line.startswith("  File ")]
    assert len(lines[""]) == 1
    assert len(lines["full"]) > 2


def test_in_a_notebook() -> None:
    """A cell has no file; what formats its errors reads the traceback of the exception, as here."""
    cell = "<ipython-input-1>"
    source = "x.view(7)\n"
    linecache.cache[cell] = (len(source), None, [source], cell)
    try:
        exec(compile(source, cell, "exec"), {"x": _x()})
    except RuntimeError as error:
        assert [entry.filename for entry in traceback.extract_tb(error.__traceback__)] == [__file__, cell]
    else:
        raise AssertionError("no error")


def test_an_error_inside_is_explained_with_all_frames() -> None:
    """A public function that the package calls leaves the frames to the one that the program called."""
    with pytest.raises(TypeError, match=r"^clip_grad_norm_\(\): argument 'parameters' must be"):
        sg.nn.utils.clip_grad_norm_(None, 1.0)
