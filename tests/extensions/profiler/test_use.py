"""The profiler in use: ranges, threads, optimizers, data loaders, errors, other watchers, and the older forms."""

import contextlib
import sys
import threading
import types
from typing import Any

import pytest

import specgrad as sg
from specgrad.profiler import profile, record_function
from specgrad.runtime.tensor.observers import watch
from tests.extensions.profiler.programs import by_name, events_of
from tests.patience import PATIENCE

ENGINE = "autograd::engine::evaluate_function: "


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
    step, *calls = events_of(program)
    assert (step.name, step.cpu_parent) == ("step", None)
    assert [call.name for call in calls] == ["countdown"] * 3
    assert [call.cpu_parent for call in calls] == [step, *calls[:2]]
    assert all(event.is_user_annotation for event in events_of(program))
    with pytest.raises(TypeError, match="record_function.*'name' must be str, not int"):
        record_function(3)  # type: ignore[arg-type]


def test_threads_are_kept_apart() -> None:
    """Events of different threads are never inside each other, and each thread has its number."""
    barrier = threading.Barrier(3)
    x = sg.ones(4, requires_grad=True)

    def work(number: int) -> None:
        with record_function(f"worker {number}"):
            barrier.wait(timeout=PATIENCE)
            for _ in range(20):
                sg.autograd.grad((x * number).sum(), x)

    def program() -> None:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    events = events_of(program)
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
            ended.wait(PATIENCE)
            sg.ones(2).sin()

    thread = threading.Thread(target=work)
    with profile() as prof:
        thread.start()
        begun.wait(PATIENCE)
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

    events = events_of(program)
    name = make.__name__
    assert len(by_name(events, f"Optimizer.zero_grad#{name}.zero_grad")) == 1
    (step,) = by_name(events, f"Optimizer.step#{name}.step")
    assert "aten::sin" in [child.name for child in step.cpu_children]


def test_batches_of_a_loader_are_events() -> None:
    """Each batch that is asked for is a range; the processes of workers are not profiled."""
    data = sg.utils.data.TensorDataset(sg.arange(4))
    for workers, iterator in ((0, "_SingleProcessDataLoaderIter"), (1, "_MultiProcessingDataLoaderIter")):
        loader = sg.utils.data.DataLoader(data, batch_size=2, num_workers=workers)
        with profile() as prof:
            for (batch,) in loader:
                batch + 1
        events = prof.events()
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
        assert not watch.timers
        assert prof.events()[0].name == "outer"
        assert all(e.time_range.start <= e.time_range.end <= prof.events()[0].time_range.end for e in prof.events())
    assert [e.name for e in events_of(lambda: x * 2)] == ["aten::mul"]  # nothing is left open


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
    double = sg.vmap(lambda row: row * 2)
    double(x.detach())  # which tries the rule of mul
    with profile(record_shapes=True) as prof:
        doubled = double(x.detach())
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
        assert not watch.timers
    assert str(prof) == "<unfinished profiler.profile>"


def test_ranges_for_other_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """emit_nvtx and emit_itt enter a range of their tool around each op and node; without the package they say so."""
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
