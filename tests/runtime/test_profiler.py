"""The profiler: which events there are, inside what, in which thread; and that it leaves everything off behind it."""

import itertools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.profiler import EventList, FunctionEvent, profile, record_function
from specgrad.runtime.autograd.grad_mode import watch

ENGINE = "autograd::engine::evaluate_function: "


def tree(events: Any) -> list[Any]:
    """The names of events, each with a list of those inside it."""

    def branch(event: FunctionEvent) -> Any:
        inside = [branch(child) for child in event.cpu_children]
        return (event.name, inside) if inside else event.name

    return [branch(event) for event in events if event.cpu_parent is None]


def by_name(events: EventList, name: str) -> list[FunctionEvent]:
    return [event for event in events if event.name == name]


def profiled(program: Callable[[], Any], **options: Any) -> EventList:
    """The events of a program."""
    with profile(**options) as prof:
        program()
    return prof.events()


@pytest.fixture(autouse=True)
def nothing_watches_afterwards() -> Any:
    yield
    assert not watch.active
    assert watch.lifts == watch.notes == watch.passes == ()


def test_ops_have_the_names_that_pytorch_shows() -> None:
    """`aten::` and the name in the spec without overload; in-place forms keep their underscore."""
    x = sg.ones(2, 3)
    y = x.clone()

    def program() -> None:
        y.mul_(2)
        (x * y + 1).sum(1)
        y[0] = 5

    names = [event.name for event in profiled(program)]
    assert names == ["aten::mul_", "aten::mul", "aten::add", "aten::sum", "aten::select", "aten::copy_"]
    (add,) = by_name(profiled(lambda: x + x), "aten::add")
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
        wanted = {"aten::sin", "aten::exp", "aten::sum", "SinBackward0", "MulBackward0", "ExpBackward0", "SumBackward0"}
        return {(e.name, str([s for s in e.input_shapes if s])) for e in prof.events() if e.name in wanted}

    assert seen(sg) == seen(torch)


def test_composites_contain_what_they_are_made_of() -> None:
    """A matrix product of batches contains the products and views that compute it, one level deep or more."""
    x = sg.ones(2, 3, 4)
    (whole,) = [event for event in profiled(lambda: x @ sg.ones(4, 5)) if event.cpu_parent is None]
    assert whole.name == "aten::matmul"
    assert "aten::mm" in [child.name for child in whole.cpu_children]
    assert all(child.cpu_parent is whole for child in whole.cpu_children)


def test_backward_ops_are_inside_their_node() -> None:
    """The engine's event of a node contains the node, which contains its formula's ops, and then the leaf's."""
    x = sg.ones(3, requires_grad=True)
    loss = (x * x).sum()
    events = profiled(lambda: loss.backward())
    outer = [name if isinstance(name, str) else name[0] for name in tree(events)]
    assert outer == [f"{ENGINE}SumBackward0", f"{ENGINE}MulBackward0"]
    (node,) = by_name(events, "MulBackward0")
    assert [child.name for child in node.cpu_children] == ["aten::mul", "aten::mul"]
    assert node.scope == 1
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
    kept: list[Any] = []

    def program() -> None:
        kept.extend([x.sin(), x.detach() * 2])
        kept[0].sum().backward()

    events = profiled(program)
    (sin,) = by_name(events, "aten::sin")
    (node,) = by_name(events, "SinBackward0")
    assert sin.sequence_nr == node.sequence_nr == kept[0].grad_fn._sequence_nr()
    assert node.fwd_thread == sin.thread == 1
    assert [e.sequence_nr for e in by_name(events, "aten::mul")] == [-1, -1]  # not recorded; inside backward


def test_a_write_to_a_view_is_linked() -> None:
    """Backward runs CopySlices; its event has the number of the op that wrote."""
    x = sg.ones(3, requires_grad=True)

    def program() -> None:
        y = x * 1
        y[0].mul_(2)
        y.sum().backward()

    events = profiled(program)
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
    events = profiled(lambda: Cube.apply(x).sum().backward(), record_shapes=True)
    assert tree(events)[0] == ("Cube", ["aten::pow"])
    (cube,), (node,) = by_name(events, "Cube"), by_name(events, "CubeBackward")
    assert cube.input_shapes == [[2]]
    assert cube.sequence_nr == node.sequence_nr >= 0
    assert [child.name for child in node.cpu_children] == ["aten::mul", "aten::pow", "aten::mul"]


def test_shapes_are_those_of_the_arguments() -> None:
    """A list per tensor argument, an empty one for others, lists of lists for lists of tensors."""
    x, y = sg.ones(2, 3), sg.ones(4, 3)
    events = profiled(lambda: (sg.cat([x, y]), x * 2, sg.where(x > 0, x, x[0])), record_shapes=True)
    assert by_name(events, "aten::cat")[0].input_shapes == [[[2, 3], [4, 3]], []]
    assert by_name(events, "aten::mul")[0].input_shapes == [[2, 3], []]
    assert by_name(events, "aten::mul")[0].concrete_inputs == ["", "2"]
    assert by_name(events, "aten::where")[0].input_shapes == [[2, 3], [2, 3], [3]]
    assert by_name(profiled(lambda: x * 2), "aten::mul")[0].input_shapes == []


def test_times_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock that ticks once a reading, totals and own times are what counting the readings gives."""
    ticks = itertools.count(0, 1000)
    monkeypatch.setattr("specgrad.runtime.profiler.session.time.perf_counter_ns", lambda: next(ticks))
    x = sg.ones(2)

    def program() -> None:
        with record_function("outer"):  # begins at 1 (the session took 0), ends at 6
            x.sin()  # 2 to 3
            x.cos()  # 4 to 5

    events = profiled(program)
    assert [(e.time_range.start, e.time_range.end) for e in events] == [(1, 6), (2, 3), (4, 5)]
    assert [(e.cpu_time_total, e.self_cpu_time_total) for e in events] == [(5, 3), (1, 1), (1, 1)]
    assert events.self_cpu_time_total == 5
    assert events[0].time_range.elapsed_us() == events[0].cpu_time == 5
    assert (events[0].cpu_time_str, events[0].self_cpu_time_total_str) == ("5.000us", "3.000us")


def test_events_lie_inside_their_parents() -> None:
    """In real time too, and own times are never negative."""
    model = sg.nn.Linear(3, 1)
    events = profiled(lambda: model(sg.ones(2, 3)).sum().backward())
    for event in events:
        assert event.self_cpu_time_total >= -1e-6
        parent = event.cpu_parent
        if parent is not None:
            assert parent.time_range.start <= event.time_range.start <= event.time_range.end <= parent.time_range.end
    top = sum(event.cpu_time_total for event in events if event.cpu_parent is None)
    assert events.self_cpu_time_total == pytest.approx(top)


def test_ranges_nest_and_decorate() -> None:
    """record_function is a context manager and a decorator, also of a function that calls itself."""

    @record_function("countdown")
    def countdown(number: int) -> None:
        if number:
            countdown(number - 1)

    def program() -> None:
        with record_function("step", "a note"):
            countdown(2)

    program()  # without a profiler it does nothing
    assert tree(profiled(program)) == [("step", [("countdown", [("countdown", ["countdown"])])])]
    assert all(event.is_user_annotation for event in profiled(program))
    with pytest.raises(TypeError, match="record_function.*'name' must be str, not int"):
        record_function(3)  # type: ignore[arg-type]


def test_threads_are_kept_apart() -> None:
    """Events of different threads are never inside each other, and each thread has its number."""
    barrier = threading.Barrier(3)
    x = sg.ones(4, requires_grad=True)

    def work(number: int) -> None:
        with record_function(f"worker {number}"):
            barrier.wait(timeout=30)
            for _ in range(20):
                sg.autograd.grad((x * number).sum(), x)

    def program() -> None:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    events = profiled(program)
    workers = [event for event in events if event.name.startswith("worker")]
    assert len({event.thread for event in workers}) == 3
    for worker in workers:
        inside = [child.name for child in worker.cpu_children]
        assert inside == ["aten::mul", "aten::sum", f"{ENGINE}SumBackward0", f"{ENGINE}MulBackward0"] * 20
    assert all(e.cpu_parent is None or e.cpu_parent.thread == e.thread for e in events)


def test_a_thread_that_outlives_the_profiler_does_no_harm() -> None:
    """What still runs when recording ends, ends there; what it does later belongs to nobody."""
    begun, ended = threading.Event(), threading.Event()

    def work() -> None:
        with record_function("late"):
            begun.set()
            ended.wait(30)
            sg.ones(2).sin()

    thread = threading.Thread(target=work)
    with profile() as prof:
        thread.start()
        begun.wait(30)
    ended.set()
    thread.join()
    (late,) = prof.events()
    assert late.time_range.start < late.time_range.end and late.cpu_children == []


@pytest.mark.parametrize("make", [sg.optim.SGD, sg.optim.Adam, sg.optim.AdamW])
def test_optimizer_steps_are_events(make: Any) -> None:
    """`Optimizer.step#SGD.step`, as in PyTorch: the kernels inside are no ops. Hooks still run, inside it."""
    parameter = sg.ones(3, requires_grad=True)
    optimizer = make([parameter], lr=0.1)

    def hook(*_: Any) -> None:
        parameter.detach().sin()

    optimizer.register_step_pre_hook(hook)

    def program() -> None:
        optimizer.zero_grad()
        (parameter * parameter).sum().backward()
        optimizer.step()

    events = profiled(program)
    name = make.__name__
    assert len(by_name(events, f"Optimizer.zero_grad#{name}.zero_grad")) == 1
    (step,) = by_name(events, f"Optimizer.step#{name}.step")
    assert "aten::sin" in [child.name for child in step.cpu_children]


def test_batches_of_a_loader_are_events() -> None:
    """Each batch that is asked for is a range; the processes of workers are not profiled."""
    data = sg.utils.data.TensorDataset(sg.arange(4))
    for workers, iterator in ((0, "_SingleProcessDataLoaderIter"), (1, "_MultiProcessingDataLoaderIter")):
        loader = sg.utils.data.DataLoader(data, batch_size=2, num_workers=workers)
        events = profiled(lambda loader=loader: [batch + 1 for (batch,) in loader])
        assert len(by_name(events, f"enumerate(DataLoader)#{iterator}.__next__")) == 3  # the last one finds the end
        assert len(by_name(events, "aten::add")) == 2


def test_errors_leave_the_profiler_off() -> None:
    """An error in an op, in backward, or in the program ends the recording; all events are closed in order."""
    x = sg.ones(3, requires_grad=True)
    y = x.sin()

    def fail(_: Any) -> Any:
        raise KeyError("in a hook")

    y.register_hook(fail)
    for program, error in ((lambda: x + sg.ones(4), RuntimeError), (lambda: y.sum().backward(), KeyError)):
        prof = profile()
        with pytest.raises(error), prof, record_function("outer"):
            program()
        assert not watch.active
        assert prof.events()[0].name == "outer"
        assert all(e.time_range.start <= e.time_range.end <= prof.events()[0].time_range.end for e in prof.events())
    assert [e.name for e in profiled(lambda: x * 2)] == ["aten::mul"]  # nothing is left open


def test_profilers_do_not_nest() -> None:
    """A second profiler is refused, of either kind, and the first goes on."""
    with profile() as first:
        for second in (profile(), sg.autograd.profiler.profile()):
            with pytest.raises(RuntimeError, match="Profiler is already enabled"):
                second.__enter__()
        with pytest.raises(RuntimeError, match="Profiler is already enabled"):
            first.start()
        sg.ones(2).sin()
    assert [event.name for event in first.events()] == ["aten::sin"]


def test_results_need_a_finished_recording() -> None:
    """Before the end there is nothing to show, and the error says so."""
    prof = profile()
    for read in (prof.events, prof.key_averages, lambda: prof.export_chrome_trace("never")):
        with pytest.raises(AssertionError, match="Profiler must be initialized before"):
            read()
    with pytest.raises(AssertionError, match="must be initialized before stopping trace"):
        prof.stop()
    for wrong in ([], ["cpu"]):
        with pytest.raises(AssertionError, match="No valid profiler activities found"):
            profile(activities=wrong)  # type: ignore[arg-type]


def test_start_and_stop_may_be_repeated() -> None:
    """A profiler that was stopped records anew."""
    prof = profile()
    for count in (1, 2):
        prof.start()
        for _ in range(count):
            sg.ones(2).sin()
        prof.stop()
        assert len(prof.events()) == count


def test_works_beside_other_watchers() -> None:
    """Anomaly mode, vmap and forward mode see what they see, and the profiler sees the ops that they run."""
    x = sg.ones(3, 2, requires_grad=True)
    with pytest.warns(UserWarning, match="Anomaly Detection"), sg.autograd.detect_anomaly(), profile() as prof:
        (x * x).sum().backward()
    assert len(by_name(prof.events(), "MulBackward0")) == 1
    with profile(record_shapes=True) as prof:
        doubled = sg.vmap(lambda row: row * 2)(x.detach())
    assert doubled.tolist() == [[2.0, 2.0]] * 3
    logical, physical = by_name(prof.events(), "aten::mul")
    assert logical.input_shapes[0] == [2] and physical.input_shapes[0] == [3, 2]
    assert physical.cpu_parent is logical


def test_the_older_profiler() -> None:
    """`autograd.profiler.profile` records the same, prints itself, is used once, and may be disabled."""
    x = sg.ones(2)
    with sg.autograd.profiler.profile(record_shapes=True) as prof:
        x.sin()
    assert [event.name for event in prof.function_events] == ["aten::sin"]
    assert "aten::sin" in str(prof) and "[[2]]" in prof.table()
    assert prof.total_average().count == 1 and prof.self_cpu_time_total > 0
    with pytest.raises(RuntimeError, match="not reentrant"):
        prof.__enter__()
    with sg.autograd.profiler.profile(enabled=False) as prof:
        assert not watch.active
    assert str(prof) == "<unfinished profiler.profile>"


def test_ranges_for_other_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """emit_nvtx and emit_itt enter a range of their tool around each op and node; without the package they say so."""
    import contextlib
    import sys
    import types

    seen: list[str] = []

    @contextlib.contextmanager
    def annotate(name: str) -> Any:
        seen.append(name)
        yield

    x = sg.ones(2, requires_grad=True)
    for emit, package, function in (
        (sg.autograd.profiler.emit_nvtx, "nvtx", "annotate"),
        (sg.autograd.profiler.emit_itt, "ittapi", "task"),
    ):
        monkeypatch.setitem(sys.modules, package, types.SimpleNamespace(**{function: annotate}))
        loss = x.sin().sum()
        with emit(record_shapes=True):
            loss.backward()
        assert seen[0] == f"SumBackward0, seq = {loss.grad_fn._sequence_nr()}"
        assert "aten::cos, sizes = [[2]]" in seen
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(RuntimeError, match=f"{package}.*not installed"):
            emit().__enter__()
        seen.clear()
