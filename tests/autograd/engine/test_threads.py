"""Several threads in autograd at once, switched as often as Python can: no gradient is lost, none waits forever."""

import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import specgrad as sg
from tests.patience import PATIENCE

THREADS = 8
PASSES = {"cpu": 200, "cuda": 25}  # a launch takes a thousand times as long on a simulated device


@pytest.fixture(autouse=True)
def _switch_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(work: Callable[[int], None], count: int = THREADS) -> None:
    """Run work(0), work(1), ... at the same time; what one of them raises is raised here."""
    raised: list[BaseException] = []
    start = threading.Barrier(count)

    def run(number: int) -> None:
        start.wait()
        try:
            work(number)
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=PATIENCE)
        assert not thread.is_alive(), "deadlock"
    if raised:
        raise raised[0]


@pytest.mark.cpu("so many launches take minutes on a simulated device")
def test_eight_threads_on_shared_parameters() -> None:
    """8 threads run 1,000 backward passes each over the same parameters; their gradients are the exact sums."""
    weight = sg.ones(3, 4, dtype=sg.float64, requires_grad=True)
    bias = sg.zeros(3, dtype=sg.float64, requires_grad=True)
    passes = 1000

    def work(number: int) -> None:
        x = sg.full((4,), float(number + 1), dtype=sg.float64)
        for _ in range(passes):
            (weight @ x + bias).sum().backward()

    in_threads(work)
    assert weight.grad.tolist() == [[36.0 * passes] * 4] * 3
    assert bias.grad.tolist() == [8.0 * passes] * 3


LEAVES: dict[str, Any] = {
    "float32": lambda: sg.ones(5),
    "float16": lambda: sg.ones(5, dtype=sg.float16),
    "complex": lambda: sg.ones(5, dtype=sg.complex128),
    "transposed": lambda: sg.ones(2, 3, dtype=sg.float64).t(),
    "with gaps": lambda: sg.ones(10)[::2],
}


@pytest.mark.parametrize("name", LEAVES)
@pytest.mark.parametrize("given", [False, True])
def test_leaves_of_any_kind(name: str, given: bool) -> None:
    """Nor is one lost for other dtypes and layouts, be .grad the engine's own or one with gaps that was assigned."""
    x = LEAVES[name]().detach().requires_grad_()
    if given:
        x.grad = sg.zeros(*x.shape, 2, dtype=x.dtype)[..., 0]

    def work(number: int) -> None:
        for i in range(100):
            out = x * 1 if (number + i) % 2 else x.t() * 1  # gradients that are contiguous, and that are not
            out.backward(sg.ones_like(out))

    in_threads(work)
    assert (x.grad == 800).all()


def test_two_contributions_and_create_graph(target_device: str) -> None:
    """Leaves used twice in a pass, and gradients that are recorded, add up as exactly."""
    passes = PASSES[target_device]
    x = sg.ones(3, dtype=sg.float64, requires_grad=True)

    def work(number: int) -> None:
        for _ in range(passes):
            (x * x).sum().backward()

    in_threads(work)
    assert x.grad.tolist() == [2.0 * THREADS * passes] * 3
    y = sg.ones(3, dtype=sg.float64, requires_grad=True)

    def recorded(number: int) -> None:
        for _ in range(5):
            sg.autograd.backward((y * y).sum(), create_graph=True)

    with pytest.warns(UserWarning, match="create_graph=True"):
        in_threads(recorded)
    assert y.grad.tolist() == [80.0] * 3 and y.grad.requires_grad


def test_threads_with_and_without_create_graph(target_device: str) -> None:
    """A thread that replaces the gradient of a leaf and one that adds to it in place lose nothing to one another."""
    passes = PASSES[target_device]
    x = sg.arange(4.0, dtype=sg.float64).requires_grad_()
    x.grad = sg.zeros(4, dtype=sg.float64)

    def work(number: int) -> None:
        for _ in range(passes):
            (x * x).sum().backward(create_graph=number % 2 == 0)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of the cycle that create_graph makes
        in_threads(work)
    assert x.grad.tolist() == [2 * THREADS * passes * i for i in range(4)]
    x.grad = None


def test_eight_threads_on_one_graph() -> None:
    """With retain_graph all threads may run the same graph at once, through all kinds of saved tensors."""
    x = sg.tensor([1.0, 2.0, 3.0], dtype=sg.float64, requires_grad=True)
    saved = [sg.ones(3) * 1, x * 2]
    out = (saved[1].exp().log() * x.view(3, 1)[:, 0] + sg.stack(x.unbind())).sum()
    expected = sg.autograd.grad(out, x, retain_graph=True)[0]
    found: list[Any] = []

    def work(number: int) -> None:
        for _ in range(50):
            out.backward(retain_graph=True)
            found.append(sg.autograd.grad(out, x, retain_graph=True)[0])

    in_threads(work)
    assert all(sg.equal(g, expected) for g in found) and len(found) == 50 * THREADS
    assert x.grad.tolist() == pytest.approx([g * 50 * THREADS for g in expected.tolist()], rel=1e-12)


def test_one_graph_without_retaining_it() -> None:
    """Threads that free the graph under one another's feet get the error about that, or a gradient; nothing else."""
    errors: list[str] = []
    for _ in range(30):
        x = sg.ones(2, requires_grad=True)
        out = (x.exp().sin() * x).tanh().sum()

        def work(number: int, out: Any = out) -> None:
            try:
                out.backward()
            except RuntimeError as error:
                errors.append(str(error))

        in_threads(work, 4)
    assert all("second time" in text for text in errors)


def test_hooks_of_shared_leaves() -> None:
    """Hooks of a leaf see each pass's own gradient, whoever runs it, and post-accumulate hooks run once for each."""
    x = sg.ones(2, dtype=sg.float64, requires_grad=True)
    seen: list[float] = []
    done: list[Any] = []
    x.register_hook(lambda grad: seen.append(grad[0].item()))
    x.register_post_accumulate_grad_hook(done.append)

    def work(number: int) -> None:
        for _ in range(50):
            (x * x * (number + 1)).sum().backward()

    in_threads(work)
    assert sorted(seen) == sorted([2.0 * (number + 1) for number in range(THREADS)] * 50)
    assert len(done) == 50 * THREADS
    assert x.grad.tolist() == [2 * 36 * 50.0] * 2


def test_watchers_of_one_thread() -> None:
    """Anomaly mode, checkpoints and saved-tensor hooks in some threads leave the gradients of the others alone."""
    x = sg.ones(2, dtype=sg.float64, requires_grad=True)

    def plain() -> Any:
        return (x * x).sum()

    def checkpointed() -> Any:
        return sg.utils.checkpoint.checkpoint(plain, use_reentrant=False)

    def packed() -> Any:
        with sg.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), lambda v: sg.tensor(v, dtype=sg.float64)):
            return plain()

    def watched() -> Any:
        with sg.autograd.set_detect_anomaly(True):
            return plain()

    def work(number: int) -> None:
        for _ in range(30):
            (plain, checkpointed, packed, watched, plain, checkpointed, packed, plain)[number]().backward()

    in_threads(work)
    assert x.grad.tolist() == [2 * 30.0 * THREADS] * 2
    assert not sg.is_anomaly_enabled()


def test_views_of_one_base() -> None:
    """Views that threads make of one base at once are all known to it: a write to the base updates their history."""
    for _ in range(20):
        base = sg.ones(8, requires_grad=True) * 1
        views: list[Any] = []

        def work(number: int, base: Any = base, views: list[Any] = views) -> None:
            for i in range(10):
                views.append(base[number] if i % 2 else base[number:])

        in_threads(work, 4)
        base.mul_(3)
        assert {view.grad_fn.name() for view in views} == {"AsStridedBackward0"}


COLD = """
import sys, threading
import specgrad as sg
sys.setswitchinterval(1e-5)
raised, start = [], threading.Barrier(8)
def work():
    start.wait()
    try:
        x = sg.ones(4, requires_grad=True)
        (x.tanh() * x).logsumexp(0).backward()
        assert x.grad.isfinite().all()
    except BaseException as error:
        raised.append(error)
        raise
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.exit(len(raised))
"""


@pytest.mark.cpu("compiles for the CPU, in another process")
def test_kernels_that_are_compiled_for_all_at_once(tmp_path: Path) -> None:
    """Threads that are the first to need a kernel, all at once, get it (in a process with nothing in its cache)."""
    environment = {**os.environ, "SPECGRAD_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", COLD], check=True, env=environment, timeout=PATIENCE)
