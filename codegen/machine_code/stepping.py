"""Steps of all optimizers with all sets of their options, from which it is recorded what they launch."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, combinations
from typing import Any

import numpy as np

import specgrad as sg

STEP_ERRORS = (RuntimeError, NotImplementedError, ValueError, TypeError)
MOMENTUM = {"momentum": 0.9}
TIMES = 2  # the first step of some is another one


def steps(kinds: Sequence[np.dtype]) -> None:
    """Let each optimizer step with parameters of some dtypes, and change gradients as programs do between steps."""
    for kind in kinds:
        between(parameter(kind))
        for make in optimizers():
            for options in options_of(make):
                run_step(make, parameter(kind), options)


def optimizers() -> Iterator[Any]:
    for name in sg.nn.optim.__all__:
        value = getattr(sg.optim, name)
        if inspect.isclass(value) and value is not sg.optim.Optimizer:
            yield value


def options_of(make: Any) -> Iterator[dict[str, Any]]:
    """All sets of those that are yes or no, with a momentum and a step size that lies on the device among them."""
    arg = inspect.signature(make).parameters
    flags: list[dict[str, Any]] = [{name: True} for name, p in arg.items() if p.default is False or name == "fused"]
    flags += [MOMENTUM] if set(MOMENTUM) <= arg.keys() else []
    flags += [{"lr": None}] if "lr" in arg else []
    for chosen in chain.from_iterable(combinations(flags, count) for count in range(len(flags) + 1)):
        yield {name: value for each in chosen for name, value in each.items()}


def parameter(kind: np.dtype, device: str = "cuda") -> Any:
    result = sg.ones(3, device=device, dtype=getattr(sg, kind.name)).requires_grad_()
    result.grad = sg.ones_like(result).detach()
    return result


def run_step(make: Any, param: Any, options: dict[str, Any], device: str = "cuda") -> None:
    """Let an optimizer step, if it takes these options."""
    if "lr" in options:
        options = options | {"lr": sg.tensor(0.1, device=device)}
    with suppress(*STEP_ERRORS):
        optimizer = make([param], **options)
        for _ in range(TIMES):
            optimizer.step()


def between(param: Any) -> None:
    """Clip by norm and by value, and fill with zeros."""
    for order in (2.0, float("inf")):
        sg.nn.utils.clip_grad_norm_([param], 1.0, norm_type=order)
    sg.nn.utils.clip_grad_value_([param], 0.5)
    sg.optim.SGD([param], lr=0.1).zero_grad(set_to_none=False)
