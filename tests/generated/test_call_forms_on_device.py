"""Every entry on a device in the other ways to call it: in place, with `out=`, in forward mode, under vmap."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.autograd import forward_ad
from tests.device.cuda.comparison import REFUSED, UP_TO_PHASE, same
from tests.generated.calls import (
    BY_NAME,
    Style,
    arguments,
    call,
    call_sources,
    is_differentiable,
    run,
    tensors_of,
    weighted_sum,
)
from tests.places import simulated_device

EXAMPLES = 3  # of a batch


@pytest.fixture(autouse=True)
def device() -> Iterator[None]:
    with simulated_device():
        yield


def in_place(name: str, text: str, target_device: str) -> list[Any]:
    """What an op writes to its first tensor, and the gradients of a graph with this write in it."""
    given = arguments(name, text, Style(sg.float64, grad=True, device=target_device))
    leaves = [tensor for tensor in tensors_of(given) if tensor.requires_grad]
    into, function = given.pop("self").clone(), BY_NAME[name].inplace
    assert function is not None
    assert function(into, **given) is into
    if not is_differentiable(into) or not into.numel():
        return [into]
    return [into, *sg.autograd.grad(weighted_sum((into,)), leaves, allow_unused=True)]


def into_tensors(name: str, text: str, target_device: str) -> list[Any]:
    """Results in tensors that lie apart, and in tensors without elements, which grow."""
    found: list[Any] = []
    expected = run(name, text, Style(sg.float64))
    for make in (separate, without_elements):
        given = arguments(name, text, Style(sg.float64, device=target_device))
        reserved = [make(result, target_device) for result in expected]
        call(BY_NAME[name], given | {"out": reserved if len(BY_NAME[name].outputs) > 1 else reserved[0]})
        found += reserved
    return found


def separate(like: Any, target_device: str) -> Any:
    """A tensor of another's shape and dtype in reversed order of dimensions, with an element between any two."""
    made = sg.zeros((*reversed(like.shape), 2), dtype=like.dtype, device=target_device)
    return made[..., 0].permute(tuple(reversed(range(like.ndim))))


def without_elements(like: Any, target_device: str) -> Any:
    """A tensor of another's dtype that has no elements."""
    return sg.empty(0, dtype=like.dtype, device=target_device)


def forward_mode(name: str, text: str, target_device: str) -> list[Any]:
    """The tangents of the results."""
    given = arguments(name, text, Style(sg.float64, grad=True, device=target_device))
    with forward_ad.dual_level():
        outputs = call(BY_NAME[name], replaced(given, dual))
        return [forward_ad.unpack_dual(output).tangent for output in outputs]


def dual(tensor: Any) -> Any:
    """A tensor that could have a gradient with a tangent in its place."""
    if not tensor.requires_grad:
        return tensor
    tangent = sg.tensor(np.sin(np.arange(tensor.numel()) + 1.0).reshape(tensor.shape)).to(tensor)
    return forward_ad.make_dual(tensor.detach(), tangent)


def replaced(given: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """The arguments of a call with others in the place of its tensors, those of lists too."""

    def changed(value: Any) -> Any:
        if isinstance(value, list):
            return [changed(item) for item in value]
        return change(value) if isinstance(value, sg.Tensor) else value

    return {key: changed(value) for key, value in given.items()}


def batched(name: str, text: str, target_device: str) -> list[Any]:
    """The results for examples that have the same numbers in another order."""
    given = arguments(name, text, Style(sg.float64))
    stacks = [sg.stack([t.roll(shift) for shift in range(EXAMPLES)]).to(target_device) for t in tensors_of(given)]

    def function(*examples: Any) -> tuple[Any, ...]:
        left = iter(examples)
        return call(BY_NAME[name], replaced(given, lambda _: next(left)))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ops without a rule say so
        return list(sg.vmap(function, randomness="different")(*stacks)) if stacks else []


def takes_out(op: Any) -> bool:
    """Whether an op gives tensors, and can give them in the caller's."""
    return "out" in inspect.signature(op.function).parameters and "Tensor[]" not in op.schema.partition("->")[2]


WAYS: dict[str, tuple[Callable[[str, str, str], list[Any]], list[str]]] = {
    "in place": (in_place, [name for name, op in BY_NAME.items() if op.inplace]),
    "out": (into_tensors, [name for name, op in BY_NAME.items() if takes_out(op)]),
    "forward mode": (forward_mode, [name for name, op in BY_NAME.items() if "float" in op.dtypes]),
    "vmap": (batched, list(BY_NAME)),
}


@pytest.mark.parametrize(("way", "name"), [(way, name) for way, (_, names) in WAYS.items() for name in names])
def test_as_on_the_cpu(way: str, name: str) -> None:
    for text in call_sources(BY_NAME[name]):
        found, expected = (ends(WAYS[way][0], name, text, target_device) for target_device in ("cuda", "cpu"))
        if isinstance(expected, type) or isinstance(found, type):
            assert found is expected, f"{name}({text}) {way} ends with {found} instead of {expected}"
            continue
        for one, other in zip(found, expected, strict=True):
            assert same(one, other, 1e-9, name in UP_TO_PHASE), f"{name}({text}) {way}: {one} instead of {other}"
            assert one is None or one.is_cuda or "'cpu'" in text


def ends(way: Callable[[str, str, str], list[Any]], name: str, text: str, target_device: str) -> Any:
    """What a call gives with the same random numbers each time, or the class of its error."""
    sg.manual_seed(0)
    try:
        return way(name, text, target_device)
    except REFUSED as error:
        return type(error)
