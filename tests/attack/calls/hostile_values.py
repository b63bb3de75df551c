"""A box of oddities: values of any type, among them objects that raise, and objects that lie."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

import specgrad as sg

HUGE = [-(2**31) - 1, 2**40, 2**62, 2**63, -(2**63), 10**30]  # none that memory might just hold
SHAPES = [(), (0,), (1,), (3,), (4,), (2, 3), (3, 4), (3, 3), (0, 3), (2, 0), (2, 3, 4), (1, 2, 4, 4)]
DTYPES = [sg.float32] * 4 + [
    *(sg.float64, sg.float16, sg.bfloat16, sg.int64, sg.int32, sg.int16, sg.int8, sg.uint8, sg.bool),
    *(sg.complex64, sg.complex128),
]


DEPTH = 5000


class HostileError(Exception):
    """What hostile objects raise: it must reach the caller as it is, or as the cause of what says where."""


def _refuse(*_: Any, **__: Any) -> Any:
    raise HostileError("raised by an argument")


ASKED = (
    "len",
    "iter",
    "bool",
    "index",
    "int",
    "float",
    "complex",
    "eq",
    "array",
    "getitem",
    "contains",
    "call",
    "hash",
)
LIES = {"len": -1, "iter": 5, "bool": 3, "index": "a", "int": 1.5, "float": "a", "complex": 1, "array": 7, "hash": "a"}


def raising(rng: random.Random) -> Any:
    """An object that raises when it is asked something."""
    names = rng.sample(ASKED, rng.choice([1, 2, len(ASKED)]))
    return type("Raising", (), {f"__{name}__": _refuse for name in names})()


def contiguous(rng: random.Random) -> Any:
    """An object that answers with values of the wrong kind."""
    names = rng.sample(sorted(LIES), rng.choice([1, 2, len(LIES)]))
    return type("Lying", (), {f"__{name}__": _answering(LIES[name]) for name in names})()


def _answering(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


def tensors(rng: random.Random) -> list[Any]:
    """Tensors of many shapes, dtypes, layouts and places in graphs."""
    shape, kind = rng.choice(SHAPES), rng.choice(DTYPES)
    values = np.random.default_rng(rng.randrange(100)).integers(-9, 9, shape)
    plain = sg.tensor(values).to(kind)
    odd = sg.full(shape, rng.choice([sg.nan, sg.inf, -sg.inf, 1e30]))
    recorded = sg.zeros(shape, requires_grad=True)
    inner = [plain.transpose(0, -1), plain.expand(2, *shape), plain.flip(0) if shape else plain, plain[..., None]]
    return [plain, plain, rng.choice(inner), odd, recorded, recorded * 2, sg.tensor(values), special(rng, shape)]


def special(rng: random.Random, shape: tuple[int, ...]) -> Any:
    """A parameter, a buffer, a tensor whose graph is gone, one inside inference mode."""
    which = rng.randrange(4)
    if which == 0:
        return sg.nn.Parameter(sg.ones(shape))
    if which == 1:
        return sg.nn.Buffer(sg.ones(shape))
    if which == 2:
        spent = sg.ones(shape, requires_grad=True).exp()
        spent.sum().backward()
        return spent
    with sg.inference_mode():
        return sg.ones(shape) * 2


def tensor(rng: random.Random) -> Any:
    """One tensor."""
    return rng.choice(tensors(rng))


def arrays(rng: random.Random) -> Any:
    """A NumPy value, many of dtypes that a tensor does not have."""
    return rng.choice(
        [np.ones(3), np.float32(2), np.int64(7), np.array("a"), np.zeros((2, 3), np.uint16), np.array([None, 1])]
        + [np.zeros(2, "datetime64[s]"), np.zeros(2, [("a", "i4")]), np.zeros(3, ml_dtypes.int4), np.ma.masked]
        + [np.zeros((2, 2), ">f4"), np.longdouble(1), np.bool_(True), np.zeros((1,) * 20), np.zeros((0, 2))]
    )


def oddity(rng: random.Random) -> Any:
    """An argument of any type."""
    number = rng.choice([0, 1, -1, 2, 3, 5, -7, 0.5, -1.5, float("nan"), float("inf"), 1j, True, *HUGE])
    items = [rng.choice([0, 1, 2, -1, 7, 0.5, None, "a", 2**40]) for _ in range(rng.randrange(4))]
    return rng.choice(
        [
            number,
            rng.choice([0, 1, -1, 2, 3]),
            items,
            tuple(items),
            [tensor(rng) for _ in range(rng.randrange(4))],
            None,
            rng.choice(["a", "", "mean", "cuda", "float32", "sum", "cpu"]),
            rng.choice([sg.float32, sg.int64, sg.bool, sg.complex64, int, float]),
            rng.choice(
                [object(), {}, {"a": 1}, slice(1, None), ..., b"a", print, len, set(), range(3), iter([1]), type]
            ),
            rng.choice(
                [lambda *_: None, lambda x: x, sg.nn.Linear(2, 2), sg.Size([2]), sg.Generator(), {"params": []}]
            ),
            arrays(rng),
            rng.choice([raising, contiguous])(rng),
            *(tensor(rng) for _ in range(9)),
        ]
    )


def endless() -> list[Any]:
    """Lists, tuples and dicts that hold themselves, or others to a depth that recursion does not reach."""
    itself: list[Any] = []
    itself.append(itself)
    pair: tuple[Any, ...] = (itself, itself)
    named: dict[str, Any] = {}
    named["a"] = named
    deep: list[Any] = []
    for _ in range(DEPTH):
        deep = [deep]
    return [itself, pair, named, deep, (deep,), {"a": deep}]


def brief(value: Any) -> str:
    """An argument in few words."""
    if isinstance(value, sg.Tensor):
        return f"<{value.dtype.name} {list(value.shape)}{' grad' if value.requires_grad else ''}>"
    if isinstance(value, (list, tuple, dict)) and _is_endless(value):
        return f"<endless {type(value).__name__}>"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(brief, value))}]"
    try:
        return repr(value)[:80]
    except Exception:
        return f"<{type(value).__name__}>"


def _is_endless(value: Any) -> bool:
    try:
        return "..." in repr(value)
    except RecursionError:
        return True
