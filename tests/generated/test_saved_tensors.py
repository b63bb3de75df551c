"""Saved tensors of every op: gradients do not depend on hooks, and everything that a node shows can be read."""

from typing import Any

import pytest

import specgrad as sg
from specgrad.autograd.graph import saved_tensors_hooks
from specgrad.generated import nodes
from specgrad.runtime.errors import NotDifferentiableError

from .calls import BY_NAME, NAMES, Style, arguments, call, call_sources, gradients, tensors_of, weighted_sum

STYLE = Style(sg.float64, grad=True)
FLOATS = [name for name in NAMES if "float" in BY_NAME[name].dtypes]
SAVING = {node.op_name for node in vars(nodes).values() if isinstance(node, type) and hasattr(node, "_raw_saved_self")}


packed: list[int] = []  # a number for each call of the pack hook


def pack(tensor: Any) -> Any:
    """Every element twice, so that what is unpacked is not contiguous."""
    packed.append(1)
    return sg.stack([tensor, tensor], -1)


def unpack(doubled: Any) -> Any:
    """The tensor, in another layout than it had."""
    return doubled[..., 0]


def second_derivatives(name: str, text: str) -> list[Any]:
    """Gradients of a weighted sum of the gradients of a call."""
    given = arguments(name, text, STYLE)
    requested = [t for t in tensors_of(given) if t.requires_grad]
    total = weighted_sum(call(BY_NAME[name], given))
    if total is None or not requested:
        return []
    first = sg.autograd.grad(total, requested, allow_unused=True, create_graph=True)
    derivative = weighted_sum(tuple(g for g in first if g is not None))
    try:
        return [] if derivative is None else list(sg.autograd.grad(derivative, requested, allow_unused=True))
    except NotDifferentiableError:  # an entry that says once_differentiable
        return []


def same_bits(found: list[Any], expected: list[Any]) -> bool:
    """Whether two lists of gradients are equal, nan included."""
    pairs = list(zip(found, expected, strict=True))
    return all(a is b is None or a.numpy().tobytes() == b.numpy().tobytes() for a, b in pairs)


@pytest.mark.parametrize("name", FLOATS)
def test_hooks_change_no_gradient(name: str) -> None:
    """What hooks give back in another layout gives the same bits as what nodes keep themselves."""
    for text in call_sources(BY_NAME[name]):
        expected = gradients(name, text, STYLE, general=True)
        count = len(packed)
        with saved_tensors_hooks(pack, unpack):
            found = gradients(name, text, STYLE, general=True)
        assert same_bits(found, expected), text
    assert len(packed) > count or name not in SAVING, "no hook was called"


@pytest.mark.parametrize("name", FLOATS)
def test_hooks_change_no_second_derivative(name: str) -> None:
    """The same for the gradients of gradients: what is unpacked is at its place in the graph."""
    for text in call_sources(BY_NAME[name])[:3]:
        expected = second_derivatives(name, text)
        with saved_tensors_hooks(pack, unpack):
            found = second_derivatives(name, text)
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            assert a is b is None or sg.allclose(a, b, rtol=1e-12, atol=1e-12, equal_nan=True), text


def nodes_of(output: Any) -> list[Any]:
    """The nodes of an output's graph."""
    found = [] if output.grad_fn is None else [output.grad_fn]
    for node in found:
        found += [n for n, _ in node.next_functions if n is not None and n not in found]
    return found


@pytest.mark.parametrize("name", FLOATS)
def test_everything_saved_can_be_read(name: str) -> None:
    """Each `_saved_X` of each node is a tensor, a tuple, None or a plain value, and each `_raw_saved_X` a place."""
    for text in call_sources(BY_NAME[name]):
        for node in [n for output in call(BY_NAME[name], arguments(name, text, STYLE)) for n in nodes_of(output)]:
            shown = [attribute for attribute in dir(node) if attribute.startswith("_saved_")]
            values = {attribute: getattr(node, attribute) for attribute in shown}
            for attribute in [a for a in dir(node) if a.startswith("_raw_saved_")]:
                raw, value = getattr(node, attribute), values[attribute.removeprefix("_raw")]
                for index, tensor in zip(raw, value, strict=True) if isinstance(raw, tuple) else [(raw, value)]:
                    unpacked = index.unpack()
                    assert (unpacked is tensor is None) or unpacked.shape == tensor.shape, (text, attribute)
