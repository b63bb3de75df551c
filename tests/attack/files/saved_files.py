"""Files of several kinds that the attacks damage: what was saved, and its bytes."""

from __future__ import annotations

import io
from collections import Counter, OrderedDict
from typing import Any

import numpy as np

import specgrad as sg


def _network() -> sg.nn.Module:
    return sg.nn.Sequential(sg.nn.Linear(3, 4), sg.nn.BatchNorm1d(4), sg.nn.Linear(4, 1))


def _trained(name: str, **options: Any) -> Any:
    model = _network()
    optimizer = getattr(sg.optim, name)(model.parameters(), **options)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = model(sg.arange(15.0).reshape(5, 3)).pow(2).mean()
        loss.backward()
        return loss

    for _ in range(2):
        optimizer.step(closure)
    return {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 2}


def _containers() -> Any:
    base = sg.arange(24.0)
    return {
        "plain": [None, True, -3, 2**80, 1.5, float("inf"), 1 - 2j, "text \u00fc", b"bytes", bytearray(b"x")],
        "nested": ({1, 2}, frozenset([3]), {(1, "b"): OrderedDict(b=1, a=[2]), None: Counter("aab")}),
        "kinds": [sg.float16, sg.device("cpu"), sg.Size([2, 3])],
        "views": [base, base[3:9], base.reshape(4, 6).T, base[:0], base[5], base.view(sg.int32)],
        "dtypes": [sg.ones(3, dtype=d) for d in (sg.bool, sg.bfloat16, sg.int8, sg.complex64, sg.float64)],
        "arrays": [np.arange(6).reshape(2, 3), np.float32(1.5), np.zeros((0, 4))],
        "parameter": sg.nn.Parameter(sg.ones(2, 2)),
    }


def kinds() -> dict[str, Any]:
    """What the attacks save, by name."""
    return {
        "state dict": _network().state_dict(),
        "adam": _trained("Adam", amsgrad=True),
        "lbfgs": _trained("LBFGS", history_size=3),
        "containers": _containers(),
        "empty": {},
    }


class _Pipe:
    """A file that does not know its position."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def write(self, data: Any) -> int:
        self.parts.append(bytes(data))
        return len(self.parts[-1])


def saved(value: Any) -> bytes:
    """The file as it is on a disk."""
    file = io.BytesIO()
    sg.save(value, file)
    return file.getvalue()


def saved_to_pipe(value: Any) -> bytes:
    """The file with sizes after the members, where they cannot be written before."""
    pipe = _Pipe()
    sg.save(value, pipe)  # type: ignore[arg-type]
    return b"".join(pipe.parts)


def described(value: Any) -> str:
    """All of a value as text, so that two loaded values can be compared."""
    if isinstance(value, (sg.Tensor, np.ndarray)):
        more = [value.stride(), value.requires_grad] if isinstance(value, sg.Tensor) else []
        return f"{type(value).__name__}({value.dtype}, {tuple(value.shape)}, {value.tolist()}, {more})"
    if isinstance(value, dict):
        return f"{type(value).__name__}({[(described(k), described(v)) for k, v in value.items()]})"
    if isinstance(value, (set, frozenset)):
        return f"{type(value).__name__}({sorted(map(described, value))})"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}({[described(item) for item in value]})"
    return f"{type(value).__name__}({value!r})"
