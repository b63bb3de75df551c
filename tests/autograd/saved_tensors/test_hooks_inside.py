"""Hooks on saved tensors in specgrad: what kernels rely on, cycles, threads, forward mode."""

import threading
import weakref
from typing import Any

import pytest

import specgrad as sg
from specgrad.autograd.graph import saved_tensors_hooks
from tests.examples import Exp, leaf


def as_is(value: Any) -> Any:
    """A hook that does nothing."""
    return value


def test_unpacked_in_another_shape() -> None:
    """A kernel does not read memory that is not there: the shape must be the one that was saved."""
    with saved_tensors_hooks(as_is, lambda t: sg.ones(3)):
        y = leaf(1.0).exp()
    with pytest.raises(RuntimeError, match=r"shape \[1\] for 'result' of exp\(\).*got \[3\]"):
        y.backward()


@pytest.mark.parametrize("pair", [(3, as_is), (as_is, "no function")])
def test_hooks_must_be_callable(pair: Any) -> None:
    """Anything else is refused on entry, and by register_hooks."""
    with pytest.raises(TypeError, match="must be a callable"), saved_tensors_hooks(*pair):
        pass
    with pytest.raises(TypeError, match="must be a callable"):
        leaf(1.0).exp().grad_fn._raw_saved_result.register_hooks(*pair)


def test_unpacked_in_another_layout_and_dtype() -> None:
    """A tensor of another dtype, or not contiguous, is brought to what was saved before a kernel reads it."""
    x = sg.arange(6, dtype=sg.float64).reshape(2, 3).requires_grad_()

    def expanded(t: Any) -> Any:
        return sg.stack([t, t], -1).to(sg.float32)

    with saved_tensors_hooks(expanded, lambda t: t[..., 1]):
        y = x * x
    y.sum().backward()
    assert x.grad.dtype is sg.float64
    assert x.grad.tolist() == [[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]]


def test_tangents_are_kept() -> None:
    """Backward inside a forward-mode level finds the tangents of what was packed: a Hessian-vector product."""
    x = leaf(0.5, 2.0)
    with sg.autograd.forward_ad.dual_level():
        dual = sg.autograd.forward_ad.make_dual(x, sg.ones(2, dtype=sg.float64))
        with saved_tensors_hooks(sg.clone, as_is):
            y = (dual.exp() * dual).sum()
        (g,) = sg.autograd.grad(y, x)
        tangent = sg.autograd.forward_ad.unpack_dual(g).tangent
    assert tangent.tolist() == pytest.approx(
        [(2 + v) * sg.tensor(v, dtype=sg.float64).exp().item() for v in (0.5, 2.0)]
    )


def test_threads_have_hooks_of_their_own() -> None:
    """Hooks apply in the thread that entered them."""
    x = leaf(1.0)
    kinds: list[Any] = []

    def work() -> None:
        kinds.append(x.exp().grad_fn._raw_saved_result.unpack_hook)

    with saved_tensors_hooks(as_is, as_is):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        work()
    assert kinds == [None, as_is]


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("function", [sg.exp, Exp.apply, lambda x: sg.logsumexp(x, 0)])
@pytest.mark.parametrize("pack", [as_is, lambda t: (t.device, t), lambda t: t.view(-1)])
def test_no_cycle(function: Any, pack: Any) -> None:
    """A graph whose outputs a hook kept as they are is freed as soon as nobody holds it."""
    x = leaf(1.0, 2.0)
    with saved_tensors_hooks(pack, as_is):
        y = function(x)
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None
