"""The profiler: which events there are, inside what, in which thread; and that it leaves everything off behind it."""

import itertools
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.profiler import FunctionEvent, profile, record_function
from tests.extensions.profiler.programs import by_name, events_of

ENGINE = "autograd::engine::evaluate_function: "


def tree(events: Any) -> list[Any]:
    """The names of events, each with a list of those inside it."""

    def branch(event: FunctionEvent) -> Any:
        inside = [branch(child) for child in event.cpu_children]
        return (event.name, inside) if inside else event.name

    return [branch(event) for event in events if event.cpu_parent is None]


def test_ops_have_the_names_that_pytorch_shows() -> None:
    """`aten::` and the name in the spec without overload; in-place forms keep their underscore."""
    x = sg.ones(2, 3)
    y = x.clone()

    def program() -> None:
        y.mul_(2)
        (x * y + 1).sum(1)
        y[0] = 5

    program()  # the first write of a number has no plan yet, and copies it
    names = [event.name for event in events_of(program)]
    assert names == ["aten::mul_", "aten::mul", "aten::add", "aten::sum", "aten::select", "aten::fill_"]
    (add,) = by_name(events_of(lambda: x + x), "aten::add")
    assert (add.key, add.overload_name, add.count, add.scope) == ("aten::add", "Tensor", 1, 0)


def test_same_names_and_shapes_as_pytorch() -> None:
    """For single ops, forward and backward, PyTorch's events have the same names, counts and shapes of tensors."""
    torch = pytest.importorskip("torch")

    def seen(library: Any) -> set[tuple[str, str]]:
        x = library.ones(2, 3, requires_grad=True)
        with library.profiler.profile(
            activities=[library.profiler.ProfilerActivity.CPU], record_shapes=True, acc_events=True
        ) as prof:
            (x.sin() * x).exp().sum().backward()
        requested = {
            "aten::sin",
            "aten::exp",
            "aten::sum",
            "SinBackward0",
            "MulBackward0",
            "ExpBackward0",
            "SumBackward0",
        }
        return {(e.name, str([s for s in e.input_shapes if s])) for e in prof.events() if e.name in requested}

    assert seen(sg) == seen(torch)


def test_composites_contain_what_they_are_made_of() -> None:
    """A matrix product of batches contains the products and views that compute it, one level deep or more."""
    x = sg.ones(2, 6, 3, 4)
    (full,) = [event for event in events_of(lambda: x @ sg.ones(6, 4, 5)) if event.cpu_parent is None]
    assert full.name == "aten::matmul"
    assert "aten::bmm" in [child.name for child in full.cpu_children]
    assert all(child.cpu_parent is full for child in full.cpu_children)


def test_backward_ops_are_inside_their_node() -> None:
    """The engine's event of a node contains the node, whose kernel is no op of its own, and then the leaf's."""
    x = sg.ones(3, requires_grad=True)
    loss = (x * x).sum()
    events = events_of(lambda: loss.backward())
    outer = [name if isinstance(name, str) else name[0] for name in tree(events)]
    assert outer == [f"{ENGINE}SumBackward0", f"{ENGINE}MulBackward0"]
    (node,) = by_name(events, "MulBackward0")
    assert node.cpu_children == [] and node.scope == 1
    assert node.cpu_parent is not None
    after = [child.name for child in node.cpu_parent.cpu_children[1:]]
    assert after == [f"{ENGINE}torch::autograd::AccumulateGrad"] * 2
    assert {e.cpu_parent.name for e in by_name(events, "torch::autograd::AccumulateGrad") if e.cpu_parent} == set(after)


def test_gradients_are_those_without_a_profiler() -> None:
    """What is computed does not depend on being watched."""
    model = sg.nn.Sequential(sg.nn.Linear(4, 8), sg.nn.Tanh(), sg.nn.Linear(8, 1))
    x = sg.randn(5, 4)
    plain = sg.autograd.grad(model(x).square().mean(), list(model.parameters()))
    with profile(record_shapes=True, profile_memory=True, with_stack=True):
        watched = sg.autograd.grad(model(x).square().mean(), list(model.parameters()))
    for a, b in zip(plain, watched, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-7)


def test_sequence_numbers_link_ops_to_their_nodes() -> None:
    """An op's event has the number of the node that it recorded, and backward's event of that node has it too."""
    x = sg.ones(3, requires_grad=True)
    retained: list[Any] = []

    def program() -> None:
        retained.extend([x.sin(), x.detach() * 2])
        retained[0].sum().backward()

    events = events_of(program)
    (sin,) = by_name(events, "aten::sin")
    (node,) = by_name(events, "SinBackward0")
    assert sin.sequence_nr == node.sequence_nr == retained[0].grad_fn._sequence_nr()
    assert node.fwd_thread == sin.thread == 1
    assert [e.sequence_nr for e in by_name(events, "aten::mul")] == [-1]  # not recorded


def test_views_outside_the_graph_have_no_node() -> None:
    """A view that requires grad only because its base does was not recorded."""
    x = sg.ones(3, requires_grad=True)
    with sg.no_grad():
        (view,) = events_of(lambda: x.view(-1))
    assert view.sequence_nr == -1


def test_backward_inside_backward() -> None:
    """A re-entrant pass is inside the node that started it, and that node's event ends after it."""

    class Twice(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.detach() * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            with sg.enable_grad():
                y = sg.ones(2, requires_grad=True)
                y.exp().sum().backward()
            return grad * 2

    x = sg.ones(2, requires_grad=True)
    events = events_of(lambda: Twice.apply(x).sum().backward())
    (outer,) = by_name(events, "TwiceBackward")
    inside = [child.name for child in outer.cpu_children]
    assert inside == ["aten::exp", "aten::sum", f"{ENGINE}SumBackward0", f"{ENGINE}ExpBackward0", "aten::mul"]


def test_a_write_to_a_view_is_linked() -> None:
    """Backward runs CopySlices; its event has the number of the op that wrote."""
    x = sg.ones(3, requires_grad=True)

    def program() -> None:
        y = x * 1
        y[0].mul_(2)
        y.sum().backward()

    events = events_of(program)
    (write,) = by_name(events, "aten::mul_")
    assert [e.sequence_nr for e in by_name(events, "CopySlices")] == [write.sequence_nr]


def test_custom_functions_are_events() -> None:
    """A Function's call has its name and contains the ops of forward; backward contains those of backward."""

    class Cube(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.inner = "an attribute of the user's"
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return grad * 3 * x**2

    x = sg.ones(2, requires_grad=True)
    events = events_of(lambda: Cube.apply(x).sum().backward(), record_shapes=True)
    assert tree(events)[0] == ("Cube", ["aten::pow"])
    (cube,), (node,) = by_name(events, "Cube"), by_name(events, "CubeBackward")
    assert cube.input_shapes == [[2]]
    assert cube.sequence_nr == node.sequence_nr >= 0
    assert [child.name for child in node.cpu_children] == ["aten::mul", "aten::pow", "aten::mul"]


def test_shapes_are_those_of_the_arguments() -> None:
    """A list per tensor argument, an empty one for others, lists of lists for lists of tensors."""
    x, y = sg.ones(2, 3), sg.ones(4, 3)
    events = events_of(lambda: (sg.cat([x, y]), x * 2, sg.where(x > 0, x, x[0])), record_shapes=True)
    assert by_name(events, "aten::cat")[0].input_shapes == [[[2, 3], [4, 3]], []]
    assert by_name(events, "aten::mul")[0].input_shapes == [[2, 3], []]
    assert by_name(events, "aten::mul")[0].concrete_inputs == ["", "2"]
    assert by_name(events, "aten::where")[0].input_shapes == [[2, 3], [2, 3], [3]]
    assert by_name(events_of(lambda: x * 2), "aten::mul")[0].input_shapes == []


def test_times_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock that ticks once a reading, totals and own times are what counting the readings gives."""
    ticks = itertools.count(0, 1000)
    monkeypatch.setattr("specgrad.runtime.extensions.profiler.session.time.perf_counter_ns", lambda: next(ticks))
    x = sg.ones(2)

    def program() -> None:
        with record_function("outer"):  # begins at 1 (the session took 0), ends at 6
            x.sin()  # 2 to 3
            x.cos()  # 4 to 5

    events = events_of(program)
    assert [(e.time_range.start, e.time_range.end) for e in events] == [(1, 6), (2, 3), (4, 5)]
    assert [(e.cpu_time_total, e.self_cpu_time_total) for e in events] == [(5, 3), (1, 1), (1, 1)]
    assert events.self_cpu_time_total == 5
    assert events[0].time_range.elapsed_us() == events[0].cpu_time == 5
    assert (events[0].cpu_time_str, events[0].self_cpu_time_total_str) == ("5.000us", "3.000us")


def test_events_lie_inside_their_parents() -> None:
    """In real time too, and own times are never negative."""
    model = sg.nn.Linear(3, 1)
    events = events_of(lambda: model(sg.ones(2, 3)).sum().backward())
    for event in events:
        assert event.self_cpu_time_total >= -1e-6
        parent = event.cpu_parent
        if parent is not None:
            assert parent.time_range.start <= event.time_range.start <= event.time_range.end <= parent.time_range.end
    top = sum(event.cpu_time_total for event in events if event.cpu_parent is None)
    assert events.self_cpu_time_total == pytest.approx(top)
