"""Hooks on saved tensors: what they are given, what they may return, when they run; gradients stay the same."""

import gc
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

import specgrad as sg
from specgrad.autograd.graph import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks


def leaf(*values: float) -> Any:
    """A float64 vector that requires grad."""
    return sg.tensor(values, dtype=sg.float64, requires_grad=True)


def as_is(value: Any) -> Any:
    """A hook that does nothing."""
    return value


def to_list(tensor: Any) -> Any:
    """A pack hook that keeps no tensor."""
    return tensor.tolist()


def from_list(values: Any) -> Any:
    """Its unpack hook."""
    return sg.tensor(values, dtype=sg.float64)


def everything(x: Any) -> Any:
    """A value that goes through saved inputs, outputs, lists, several outputs, views and in-place writes."""
    y = x * x.exp() + x.sin()
    parts = sg.stack([y, x * y]).prod(0)
    best = sg.stack([y, parts]).max(0).values
    z = best * 1
    z[1:].mul_(x[:1])
    return sg.logsumexp(z, 0) + (x @ y) + x.pow(3).sum()


@pytest.mark.parametrize("pair", [(as_is, as_is), (to_list, from_list), (sg.clone, as_is)])
def test_gradients_are_the_same(pair: Any) -> None:
    """First and second derivatives do not depend on how saved tensors are kept, nor on where backward runs."""
    x = leaf(0.5, 2.0)
    (expected,) = sg.autograd.grad(everything(x), x, create_graph=True)
    (second,) = sg.autograd.grad(expected.sum(), x)
    with saved_tensors_hooks(*pair):
        y = everything(x)
        (inside,) = sg.autograd.grad(everything(x), x)
    (found,) = sg.autograd.grad(y, x, create_graph=True)
    (found_second,) = sg.autograd.grad(found.sum(), x, retain_graph=True)
    assert found.tolist() == pytest.approx(expected.tolist(), rel=1e-13)
    assert inside.tolist() == pytest.approx(expected.tolist(), rel=1e-13)
    assert found_second.tolist() == pytest.approx(second.tolist(), rel=1e-13)
    y.backward()
    assert x.grad.tolist() == pytest.approx(expected.tolist(), rel=1e-13)


def test_what_the_hooks_see() -> None:
    """pack gets each saved tensor at its place in the graph, an input as itself, and records nothing."""
    x = leaf(1.0, 2.0)
    seen = []

    def pack(t: Any) -> Any:
        seen.append((t is x, t.requires_grad, t.grad_fn and t.grad_fn.name(), sg.is_grad_enabled()))
        return t

    with saved_tensors_hooks(pack, as_is):
        y = x.exp()
        y * x
    assert seen[0] == (False, True, "ExpBackward0", False)
    assert sorted(seen[1:]) == [(False, True, "ExpBackward0", False), (True, True, None, False)]


def test_numbers_are_not_packed() -> None:
    """A number that an op saves is no tensor of the user's."""
    with saved_tensors_hooks(lambda t: pytest.fail("a number was packed"), as_is):
        leaf(1.0) * 3 * 0.0


def test_nothing_is_packed_without_a_graph() -> None:
    """Under no_grad, and for tensors that do not require grad, nothing is saved."""
    with saved_tensors_hooks(lambda t: pytest.fail("packed"), as_is):
        (sg.ones(2) * sg.ones(2)).exp()
        with sg.no_grad():
            leaf(1.0).exp()
            y = leaf(1.0) * 1
            y.mul_(y)


def test_nothing_recorded_before_is_packed() -> None:
    """Nodes from before the block keep what they have."""
    y = leaf(1.0).exp()
    with saved_tensors_hooks(lambda t: pytest.fail("packed"), as_is):
        y + 1
    assert y.grad_fn._raw_saved_result.unpack_hook is None


def test_the_innermost_pair_applies() -> None:
    """Of nested hooks only the innermost is called, and the outer one again after it."""
    x = leaf(1.0)
    seen: list[str] = []

    def pair(name: str) -> Any:
        return saved_tensors_hooks(lambda t: seen.append(f"pack {name}") or t, lambda t: seen.append(name) or t)

    with pair("outer"):
        with pair("inner"):
            y = x.exp()
        z = y.exp()
    z.backward()
    assert seen == ["pack inner", "pack outer", "outer", "inner"]


def test_unpacked_each_time_it_is_needed() -> None:
    """Each backward unpacks once; after the graph is freed there is nothing to unpack."""
    x = leaf(1.0)
    seen: list[Any] = []
    with saved_tensors_hooks(as_is, lambda t: seen.append(1) or t):
        y = x.exp()
    y.backward(retain_graph=True)
    y.backward()
    assert len(seen) == 2
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()


def test_writing_in_the_pack_hook() -> None:
    """A pack hook that writes to what it is given is an error."""
    modifying = pytest.raises(RuntimeError, match="pack hook is modifying its input in place")
    with modifying, saved_tensors_hooks(lambda t: t.mul_(2), as_is):
        leaf(1.0).exp()
    with pytest.raises(RuntimeError, match="pack hook is modifying its input in place"):
        leaf(1.0).exp().grad_fn._raw_saved_result.register_hooks(lambda t: t.add_(2), as_is)


def test_hooks_that_raise() -> None:
    """An exception in a hook reaches the caller and leaves modes as they were."""
    x = leaf(1.0)
    with pytest.raises(ZeroDivisionError), saved_tensors_hooks(lambda t: 1 / 0, as_is):
        x.exp()
    with saved_tensors_hooks(as_is, lambda t: 1 / 0):
        y = x.exp()
    with pytest.raises(ZeroDivisionError):
        y.backward()
    assert sg.is_grad_enabled()


@pytest.mark.parametrize(
    ("unpacked", "error", "says"),
    [
        (3, TypeError, "unpack_hook expected to be a Tensor but got result of type int"),
        (None, TypeError, "got result of type NoneType"),
        (sg.ones(3), RuntimeError, r"shape \[1\] for 'result' of exp\(\).*got \[3\]"),
    ],
)
def test_wrong_results_of_unpack(unpacked: Any, error: Any, says: str) -> None:
    """What is no tensor, or not of the saved shape, is an error that says what was expected."""
    with saved_tensors_hooks(as_is, lambda t: unpacked):
        y = leaf(1.0).exp()
    with pytest.raises(error, match=says):
        y.backward()


def test_unpacked_in_another_layout_and_dtype() -> None:
    """A tensor of another dtype, or not contiguous, is brought to what was saved before a kernel reads it."""
    x = sg.arange(6, dtype=sg.float64).reshape(2, 3).requires_grad_()

    def spread(t: Any) -> Any:
        return sg.stack([t, t], -1).to(sg.float32)

    with saved_tensors_hooks(spread, lambda t: t[..., 1]):
        y = x * x
    y.sum().backward()
    assert x.grad.dtype is sg.float64
    assert x.grad.tolist() == [[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]]


@pytest.mark.parametrize("pair", [(3, as_is), (as_is, "no function")])
def test_hooks_must_be_callable(pair: Any) -> None:
    """Anything else is refused on entry, and by register_hooks."""
    with pytest.raises(TypeError, match="must be a callable"), saved_tensors_hooks(*pair):
        pass
    with pytest.raises(TypeError, match="must be a callable"):
        leaf(1.0).exp().grad_fn._raw_saved_result.register_hooks(*pair)


def test_disabled() -> None:
    """Where hooks are forbidden, entering them raises the text that was given; blocks of both kinds nest."""
    with disable_saved_tensors_hooks("no hooks here"):
        with disable_saved_tensors_hooks("nor there"), pytest.raises(RuntimeError, match="nor there"), save_on_cpu():
            pass
        with pytest.raises(RuntimeError, match="no hooks here"), saved_tensors_hooks(as_is, as_is):
            pass
    with saved_tensors_hooks(as_is, as_is):
        with pytest.raises(RuntimeError, match="too late"), disable_saved_tensors_hooks("too late"):
            pass
        leaf(1.0).exp()


def test_save_on_cpu() -> None:
    """Tensors come back to where they were; gradients are the same."""
    x = leaf(1.0, 2.0)
    with save_on_cpu():
        y = (x * x).sum()
    device, tensor = x.detach().device, y.grad_fn.next_functions[0][0]._raw_saved_self.data[1]
    assert tensor.device == device
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]


class Exp(sg.autograd.Function):
    """Saves its input, its output and nothing."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        result = x.exp()
        ctx.save_for_backward(x, result, None)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        x, result, nothing = ctx.saved_tensors
        assert nothing is None and x.shape == result.shape
        return grad * result


def test_custom_function() -> None:
    """What save_for_backward keeps goes through the hooks too, inputs and outputs, at any order of derivative."""
    x = leaf(0.5, 1.0)
    seen: list[Any] = []

    def pack(t: Any) -> Any:
        seen.append((t is x, t.grad_fn and t.grad_fn.name()))
        return t.tolist()

    with saved_tensors_hooks(pack, from_list):
        y = Exp.apply(x)
    assert seen[-2:] == [(True, None), (False, "ExpBackward")]
    assert [saved.data for saved in y.grad_fn._raw_saved_tensors] == [[0.5, 1.0], x.exp().tolist(), None]
    (first,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = sg.autograd.grad(first.sum(), x)
    assert first.tolist() == pytest.approx(x.exp().tolist())
    assert second.tolist() == pytest.approx(x.exp().tolist())


def test_backward_of_a_function_sees_what_unpack_returned() -> None:
    """ctx.saved_tensors holds exactly the values of the unpack hook."""
    x = leaf(1.0)
    with saved_tensors_hooks(as_is, lambda t: t * 10):
        y = Exp.apply(x)
    y.backward()
    assert x.grad.item() == pytest.approx(10 * 2.718281828459045)


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Reference counting alone frees memory."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


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
