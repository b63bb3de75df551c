"""Nodes that a class describes: what `record` keeps of arguments and results, and what it refuses."""

from __future__ import annotations

import linecache
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.dispatch.recorded_node import RecordedNode
from specgrad.runtime.errors import NotDifferentiableError


class Scaled(RecordedNode):
    """scaled(Tensor self, Tensor? weight, str mode): arguments may have the names that the function itself uses."""

    op_name = "scaled"
    arguments = ("self", "weight", "mode")
    inputs = ("self", "weight")
    keeps = {"kept_self": ("self", ("weight",)), "kept_result": ("output 0", ("self", "weight"))}
    values = {"_saved_mode": ("mode", ""), "_saved_weight_sym_sizes": ("weight", "_shape")}

    def apply(self, grad: Any) -> tuple[Any, ...]:
        return grad, grad


class Parts(RecordedNode):
    """parts(Tensor[] tensors, Tensor scale) -> (Tensor first, Tensor second): the second has no gradient."""

    op_name = "parts"
    output_count = 2
    differentiable = (0,)
    arguments = ("tensors", "scale")
    lists = ("tensors",)
    inputs = ("tensors",)
    keeps = {"kept_tensors": ("tensors", ("tensors",))}
    values = {"_saved_tensors_sizes": ("tensors", "shapes")}
    refuses = {"scale": "scales are constants"}


def test_a_node_keeps_what_gradients_read() -> None:
    """A tensor is kept where one of its readers requires grad, with its version; an output as an alias."""
    x, w = sg.ones(2, 3, requires_grad=True), sg.ones(3)
    w.add_(1)
    result = sg.zeros(2, 3)
    assert Scaled.record(result, x, w, "m") is result
    node = result.grad_fn
    assert type(node) is Scaled and node.edges == (x, None) and node.metas == (((2, 3), sg.float32), ((3,), sg.float32))
    assert (
        node.kept_self is None and node.kept_result is not result and node.kept_result.data_ptr() == result.data_ptr()
    )
    assert node._saved_mode == "m" and node._saved_weight_sym_sizes == (3,)
    other = Scaled.record(sg.zeros(2, 3), x.detach(), w.requires_grad_(), "m").grad_fn
    assert other.kept_self is not None and other.kept_self_version == 0 and other.edges[0] is None


def test_nothing_is_recorded_where_nothing_is_needed() -> None:
    """No input requires grad, grad mode is off, or the result has no floats; an input that is None has no edge."""
    x = sg.ones(2, requires_grad=True)
    assert Scaled.record(sg.zeros(2), x.detach(), None, "m").grad_fn is None
    assert Scaled.record(sg.zeros(2, dtype=sg.int64), x, None, "m").grad_fn is None
    with sg.no_grad():
        assert Scaled.record(sg.zeros(2), x, None, "m").grad_fn is None
    node = Scaled.record(sg.zeros(2), x, None, "m").grad_fn
    assert node.edges == (x, None) and node.metas[1] is None and node._saved_weight_sym_sizes is None


def test_lists_of_tensors_and_several_results() -> None:
    """Each tensor of a list is an input; results without a gradient have no node."""
    tensors = [sg.ones(2, requires_grad=True), sg.ones(3)]
    first, second = Parts.record((sg.zeros(2), sg.zeros(1)), tensors, sg.ones(1))
    node = first.grad_fn
    assert type(node) is Parts and second.grad_fn is None and not second.requires_grad
    assert node.edges == (tensors[0], None) and node._saved_tensors_sizes == ((2,), (3,))
    assert node.kept_tensors is tensors and node.kept_tensors_version == [0, 0]


def test_an_argument_without_a_gradient_is_refused() -> None:
    """With the reason; not where nothing is recorded."""
    scale = sg.ones(1, requires_grad=True)
    with pytest.raises(NotDifferentiableError, match=r"parts\(\): no gradient for 'scale': scales are constants"):
        Parts.record((sg.zeros(2), sg.zeros(1)), [sg.ones(2)], scale)
    with sg.no_grad():
        Parts.record((sg.zeros(2), sg.zeros(1)), [sg.ones(2)], scale)


def test_debuggers_find_the_text() -> None:
    Scaled.record(sg.zeros(2), sg.ones(2), None, "m")
    file = Scaled.record.__code__.co_filename
    assert file.endswith("<Scaled.record>") and "node = new(cls)" in "".join(linecache.getlines(file))
