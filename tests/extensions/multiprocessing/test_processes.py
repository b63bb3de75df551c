"""`specgrad.multiprocessing`: tensors in memory that several processes see."""

import contextlib
import gc
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

import specgrad as sg
import specgrad.multiprocessing as mp
from specgrad import nn
from specgrad.runtime.extensions.storage import shared_memory
from tests.extensions.multiprocessing import in_processes
from tests.repository import ROOT

pytestmark = [
    pytest.mark.cpu("processes share the memory of the host"),
    pytest.mark.skipif(sys.platform == "win32", reason="no descriptors of memory"),
]


@contextlib.contextmanager
def process(function: Any, context: Any = None) -> Iterator[Any]:
    """A process that runs a function of two queues: to it, and from it."""
    context = context or mp.get_context("fork")
    there, back = context.Queue(), context.Queue()
    started = context.Process(target=function, args=(there, back), daemon=True)
    started.start()
    try:
        yield started, there, back
    finally:
        started.kill()
        started.join()
        for queue in (there, back):
            queue.close()
            queue.join_thread()


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Descriptors are closed, and shared memory is given back, when nobody has it any more."""
    gc.collect()
    before = len(shared_memory._shared)
    yield
    gc.collect()
    assert len(shared_memory._shared) == before == len(shared_memory._by_file)
    assert not [name for name in os.listdir("/dev/shm") if "specgrad" in name]


def test_sharing_is_in_place(lib: Any) -> None:
    """`share_memory_` moves a tensor with its views; values, layout and graphs stay."""
    x = lib.arange(6.0).view(2, 3).requires_grad_()
    y, view, other = x * 2, x.detach()[1], lib.ones(2)
    assert not x.is_shared() and not view.is_shared()
    assert x.share_memory_() is x and x.is_shared() and view.is_shared() and not other.is_shared()
    assert view.untyped_storage().is_shared() and not y.is_shared() and x.tolist() == [[0, 1, 2], [3, 4, 5]]
    view.zero_()
    assert x[1].tolist() == [0, 0, 0] and view.data_ptr() == x.data_ptr() + 12
    y.sum().backward()
    assert x.grad.tolist() == [[2, 2, 2], [2, 2, 2]] and not x.grad.is_shared()
    address = x.data_ptr()
    assert x.share_memory_().data_ptr() == address and x.clone().is_shared() is False


def test_dtypes_and_layouts() -> None:
    """Any dtype, also beside a view in another one, transposed memory, and none at all."""
    for dtype in (sg.bool, sg.uint8, sg.int64, sg.float16, sg.bfloat16, sg.float64, sg.complex64):
        x = sg.tensor([1, 0, 1], dtype=dtype).share_memory_()
        assert x.is_shared() and x.tolist() == [1, 0, 1] and (x == x).all()
    x = sg.arange(6.0).view(2, 3)
    transposed, bits = x.t(), x.view(sg.int32)
    transposed.share_memory_()
    x.fill_(1)
    assert transposed.tolist() == [[1, 1]] * 3 and bits[0, 0] == 0x3F800000 and bits.is_shared()
    assert sg.ones(0).share_memory_().shape == (0,)


def test_a_module_is_shared(lib: Any) -> None:
    """Parameters, their gradients and buffers; an optimizer that has the parameters still does."""
    net = lib.nn.Sequential(lib.nn.Linear(2, 2), lib.nn.BatchNorm1d(2))
    optimizer = lib.optim.SGD(net.parameters(), lr=0.5)
    net(lib.ones(3, 2)).sum().backward()
    assert net.share_memory() is net
    assert all(t.is_shared() for t in [*net.parameters(), *net.buffers()])
    assert all(p.grad.is_shared() for p in net.parameters())
    before = net[1].bias.detach().clone()
    optimizer.step()
    assert net[1].bias.tolist() == (before - 0.5 * 3).tolist() and net[1].bias.is_shared()


def test_a_queue_shares_memory() -> None:
    """What the receiver writes is seen by the sender, whose tensor has moved, and by its views."""
    with process(in_processes.answer) as (_, there, back):
        x = sg.arange(4.0)
        view = x[2:]
        there.put(x)
        assert back.get().tolist() == [0, 1, 2, 3]
        there.put(sg.ones(1))  # when this has been read, x has been written to
        back.get()
        assert x.tolist() == [-1] * 4 and view.tolist() == [-1, -1] and x.is_shared()
        x.fill_(8)
        there.put(view)
        assert back.get().tolist() == [8, 8]
        there.put(None)


def test_what_travels_with_a_tensor() -> None:
    """Views stay views of one memory, parameters parameters; gradients stay behind."""
    with process(in_processes.describe) as (_, there, back):
        x, parameter, net = sg.zeros(4), nn.Parameter(sg.ones(2)), nn.Linear(2, 3)
        parameter.sum().backward()
        there.put([x, x[1:3], parameter, net.state_dict(), x.untyped_storage()])
        same, values, attributes, names, are_shared = back.get()
        assert same and values == [0, 5, 5, 0] and x.tolist() == values
        assert attributes == ["Parameter", True, True, True] and names == ["weight", "bias"] and all(are_shared)
        assert net.weight.is_shared() and parameter.is_shared() and parameter.grad is not None


def test_a_process_may_end_before_its_tensors_arrive() -> None:
    """It waits a little for who receives what it has sent."""
    context = mp.get_context("fork")
    queue = context.Queue()
    started = context.Process(target=in_processes.send_and_end, args=(queue,))
    started.start()
    assert queue.get().tolist() == [0, 1, 2]
    started.join()
    assert started.exitcode == 0
    queue.close()
    queue.join_thread()


def test_a_graph_stays_in_its_process() -> None:
    """What is no leaf is refused, and says how to send it."""
    here, there = mp.Pipe()
    x = sg.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor which requires_grad"):
        here.send(x * 2)
    here.send((x * 2).detach())
    assert there.recv().tolist() == [2, 2]
    here.close()
    there.close()


def test_a_pipe_back_to_the_sender() -> None:
    """A tensor that comes back is over the same memory, and the process has it once."""
    here, there = mp.Pipe()
    before = len(shared_memory._shared)  # what another test shares may live on
    x = sg.arange(3.0)
    here.send([x, x[1:]])
    again, part = there.recv()
    again.fill_(2)
    assert x.tolist() == [2, 2, 2] == [*part.tolist(), 2] and again.untyped_storage() is x.untyped_storage()
    assert len(shared_memory._shared) == before + 1
    del x, again, part
    assert len(shared_memory._shared) == before
    here.close()
    there.close()


def test_memory_of_who_was_killed_is_given_back() -> None:
    """A process that is killed leaves nothing; the others keep the memory."""
    with process(in_processes.forget) as (started, there, back):
        x = sg.ones(3)
        there.put(x)
        assert back.get() == 3
        os.kill(started.pid, signal.SIGKILL)
        started.join()
        assert x.fill_(2).tolist() == [2, 2, 2] and x.share_memory_().is_shared()


def test_hogwild() -> None:
    """Two processes train one model: parameters and buffers are shared, gradients are each one's own."""
    net = in_processes.model()
    net.share_memory()
    x = sg.randn(64, 3)
    target = x @ sg.tensor([[1.0], [-2.0], [0.5]])
    before = float(((net(x) - target) ** 2).mean())
    sums = sg.zeros(2).share_memory_()
    mp.start_processes(in_processes.train, (net, 150, sums), nprocs=2, start_method="fork")
    after = float(((net.eval()(x) - target) ** 2).mean())
    assert after < 0.1 * before and all(p.grad is None for p in net.parameters())
    assert (sums > 0).all() and sums[0] != sums[1]


def test_processes_that_are_spawned() -> None:
    """Arguments share memory with the process that starts them, also views among them."""
    total, x = sg.zeros(2), sg.zeros(3)
    mp.spawn(in_processes.add_index, (total, (x, x.view(3, 1))), nprocs=2)
    assert total.tolist() == [1, 2] and total.is_shared()


def test_the_last_message_of_a_process_that_is_spawned() -> None:
    """A process that ends at once waits until what it has sent has been fetched, however it was started."""
    context = mp.get_context("spawn")
    answers = context.Queue()
    process = context.Process(target=in_processes.send_and_end, args=(answers,))
    process.start()
    while process.is_alive() and answers.empty():
        time.sleep(0.01)
    time.sleep(0.2)  # as long as a process takes to end
    assert answers.get().tolist() == [0, 1, 2]
    process.join()


def test_a_pool_that_is_closed_at_once() -> None:
    """Results that are under way when the workers end arrive."""
    pool = mp.get_context("fork").Pool(2)
    found = [pool.apply_async(in_processes.square, (sg.full((100,), 2.0),)) for _ in range(20)]
    pool.close()
    pool.join()
    assert sum(float(one.get().sum()) for one in found) == 20 * 400


FAILURES = {
    "raises": (mp.ProcessRaisedException, "(?s)-- Process 1 terminated with the following error:.*by intention"),
    "exits": (mp.ProcessExitedException, "process 1 terminated with exit code 3"),
    "is killed": (mp.ProcessExitedException, "process 1 terminated with signal SIGKILL"),
}


@pytest.mark.parametrize("how", FAILURES)
def test_failures(how: str) -> None:
    """One that fails ends the others; the error says which and why, and can be pickled."""
    kind, message = FAILURES[how]
    started: Any = mp.start_processes(in_processes.fail, (how,), nprocs=2, join=False, start_method="fork")
    with pytest.raises(kind, match=message) as caught:
        while not started.join(grace_period=5):
            pass
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.error_index == 1 and again.pid == started.pids()[1] and str(again) == str(caught.value)
    assert not any(process.is_alive() for process in started.processes)


def test_strategies(lib: Any) -> None:
    """The names of PyTorch; another is refused."""
    processes = __import__(f"{lib.__name__}.multiprocessing").multiprocessing
    assert processes.get_all_sharing_strategies() == {"file_descriptor", "file_system"}
    assert processes.get_sharing_strategy() == "file_descriptor"
    processes.set_sharing_strategy("file_system")
    assert processes.get_sharing_strategy() == "file_system"
    processes.set_sharing_strategy("file_descriptor")
    with pytest.raises(AssertionError):
        processes.set_sharing_strategy("another")


def test_names_of_the_standard_module(lib: Any) -> None:
    """All that `multiprocessing` has is there under the same name."""
    processes = __import__(f"{lib.__name__}.multiprocessing").multiprocessing
    assert [name for name in multiprocessing.__all__ if not hasattr(processes, name)] == []
    assert processes.get_context("spawn").get_start_method() == "spawn"


def test_a_program_ends_without_a_word() -> None:
    """No warning of leaked memory or of descriptors, with tensors that live to the end, after a fork too."""
    program = """
import os, specgrad as sg, specgrad.multiprocessing as mp
kept = [sg.ones(1000).share_memory_() for _ in range(3)]
def run(queue): queue.put(kept[0].add_(1))
queue = mp.get_context("fork").Queue()
one = mp.get_context("fork").Process(target=run, args=(queue,))
one.start(); last = queue.get(); one.join()
print(float(kept[0][0]), last.untyped_storage() is kept[0].untyped_storage())
"""
    command = [sys.executable, "-W", "always", "-W", "error::ResourceWarning", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    lines = [line for line in done.stderr.splitlines() if "multi-threaded" not in line and "self.pid" not in line]
    assert done.stdout == "2.0 True\n" and lines == []


def test_nothing_is_loaded_before_it_is_asked_for() -> None:
    """Importing specgrad loads neither storages nor processes."""
    files = "(name for name, module in sys.modules.items() if hasattr(module, '__file__'))"
    code = f"import specgrad, sys; specgrad.ones(2).is_shared(); print(*{files})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    # Tensor's bases, their packages, and PyTorch's constructors have to be there.
    methods = re.compile(r"specgrad\.runtime\.[\w.]*(storage|multiprocessing)(\.tensor_methods|\.legacy_constructors)?")
    loaded = [m for m in done.stdout.split() if "storage" in m or "multiprocessing" in m]
    assert [m for m in loaded if not methods.fullmatch(m)] == []
