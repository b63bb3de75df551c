"""Hooks on saved tensors: what they are given, what they may return, when they run. So is PyTorch."""

from typing import Any

import pytest


def leaf(lib: Any, *values: float) -> Any:
    """A float64 vector that requires grad."""
    return lib.tensor(values, dtype=lib.float64, requires_grad=True)


def as_is(value: Any) -> Any:
    """A hook that does nothing."""
    return value


def to_list(tensor: Any) -> Any:
    """A pack hook that keeps no tensor."""
    return tensor.tolist(), tensor.dtype


def from_list(lib: Any) -> Any:
    """Its unpack hook."""
    return lambda packed: lib.tensor(packed[0], dtype=packed[1])


def everything(lib: Any, x: Any) -> Any:
    """A value that goes through saved inputs, outputs, lists, several outputs, views and in-place writes."""
    y = x * x.exp() + x.sin()
    parts = lib.stack([y, x * y]).prod(0)
    best = lib.stack([y, parts]).max(0).values
    z = best * 1
    z[1:].mul_(x[:1])
    return lib.logsumexp(z, 0) + (x @ y) + x.pow(3).sum()


@pytest.mark.parametrize("pack", [as_is, to_list, lambda t: t.clone()])
def test_gradients_are_the_same(lib: Any, pack: Any) -> None:
    """First and second derivatives do not depend on how saved tensors are kept, nor on where backward runs."""
    x = leaf(lib, 0.5, 2.0)
    pair = pack, from_list(lib) if pack is to_list else as_is
    (expected,) = lib.autograd.grad(everything(lib, x), x, create_graph=True)
    (second,) = lib.autograd.grad(expected.sum(), x)
    with lib.autograd.graph.saved_tensors_hooks(*pair):
        y = everything(lib, x)
        (inside,) = lib.autograd.grad(everything(lib, x), x)
    (found,) = lib.autograd.grad(y, x, create_graph=True)
    (found_second,) = lib.autograd.grad(found.sum(), x, retain_graph=True)
    assert found.tolist() == pytest.approx(expected.tolist(), rel=1e-13)
    assert inside.tolist() == pytest.approx(expected.tolist(), rel=1e-13)
    assert found_second.tolist() == pytest.approx(second.tolist(), rel=1e-13)
    y.backward()
    assert x.grad.tolist() == pytest.approx(expected.tolist(), rel=1e-13)


def test_what_the_hooks_see(lib: Any) -> None:
    """pack gets each saved tensor at its place in the graph, an input as itself, and records nothing."""
    x = leaf(lib, 1.0, 2.0)
    seen = []

    def pack(t: Any) -> Any:
        seen.append((t is x, t.requires_grad, t.grad_fn and t.grad_fn.name(), lib.is_grad_enabled()))
        return t

    with lib.autograd.graph.saved_tensors_hooks(pack, as_is):
        y = x.exp()
        y * x
    assert seen[0] == (False, True, "ExpBackward0", False)
    assert sorted(seen[1:]) == [(False, True, "ExpBackward0", False), (True, True, None, False)]


def test_numbers_are_not_packed(lib: Any) -> None:
    """A number that an op saves is no tensor of the user's."""
    with lib.autograd.graph.saved_tensors_hooks(lambda t: pytest.fail("a number was packed"), as_is):
        leaf(lib, 1.0) * 3 * 0.0


def test_nothing_is_packed_without_a_graph(lib: Any) -> None:
    """Under no_grad, and for tensors that do not require grad, nothing is saved."""
    with lib.autograd.graph.saved_tensors_hooks(lambda t: pytest.fail("packed"), as_is):
        (lib.ones(2) * lib.ones(2)).exp()
        with lib.no_grad():
            leaf(lib, 1.0).exp()
            y = leaf(lib, 1.0) * 1
            y.mul_(y)


def test_nothing_recorded_before_is_packed(lib: Any) -> None:
    """Nodes from before the block keep what they have."""
    y = leaf(lib, 1.0).exp()
    with lib.autograd.graph.saved_tensors_hooks(lambda t: pytest.fail("packed"), as_is):
        y + 1
    assert y.grad_fn._raw_saved_result.unpack_hook is None


def test_the_innermost_pair_applies(lib: Any) -> None:
    """Of nested hooks only the innermost is called, and the outer one again after it."""
    x = leaf(lib, 1.0)
    seen: list[str] = []

    def pair(name: str) -> Any:
        return lib.autograd.graph.saved_tensors_hooks(
            lambda t: seen.append(f"pack {name}") or t, lambda t: seen.append(name) or t
        )

    with pair("outer"):
        with pair("inner"):
            y = x.exp()
        z = y.exp()
    z.backward()
    assert seen == ["pack inner", "pack outer", "outer", "inner"]


def test_unpacked_each_time_it_is_needed(lib: Any) -> None:
    """Each backward unpacks once; after the graph is freed there is nothing to unpack."""
    x = leaf(lib, 1.0)
    seen: list[Any] = []
    with lib.autograd.graph.saved_tensors_hooks(as_is, lambda t: seen.append(1) or t):
        y = x.exp()
    y.backward(retain_graph=True)
    y.backward()
    assert len(seen) == 2
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()


def test_writing_in_the_pack_hook(lib: Any) -> None:
    """A pack hook that writes to what it is given is an error."""
    modifying = pytest.raises(RuntimeError, match="pack hook is modifying its input in place")
    with modifying, lib.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), as_is):
        leaf(lib, 1.0).exp()
    with pytest.raises(RuntimeError, match="pack hook is modifying its input in place"):
        leaf(lib, 1.0).exp().grad_fn._raw_saved_result.register_hooks(lambda t: t.add_(2), as_is)


def test_hooks_that_raise(lib: Any) -> None:
    """An exception in a hook reaches the caller and leaves modes as they were."""
    x = leaf(lib, 1.0)
    with pytest.raises(ZeroDivisionError), lib.autograd.graph.saved_tensors_hooks(lambda t: 1 / 0, as_is):
        x.exp()
    with lib.autograd.graph.saved_tensors_hooks(as_is, lambda t: 1 / 0):
        y = x.exp()
    with pytest.raises(ZeroDivisionError):
        y.backward()
    assert lib.is_grad_enabled()


@pytest.mark.parametrize(
    ("unpacked", "error", "says"),
    [
        (3, TypeError, "unpack_hook expected to be a Tensor but got result of type int"),
        (None, TypeError, "got result of type NoneType"),
    ],
)
def test_wrong_results_of_unpack(lib: Any, unpacked: Any, error: Any, says: str) -> None:
    """What is no tensor is an error that says what was expected."""
    with lib.autograd.graph.saved_tensors_hooks(as_is, lambda t: unpacked):
        y = leaf(lib, 1.0).exp()
    with pytest.raises(error, match=says):
        y.backward()


def test_disabled(lib: Any) -> None:
    """Where hooks are forbidden, entering them raises the text that was given; blocks of both kinds nest."""
    with lib.autograd.graph.disable_saved_tensors_hooks("no hooks here"):
        with (
            lib.autograd.graph.disable_saved_tensors_hooks("nor there"),
            pytest.raises(RuntimeError, match="nor there"),
            lib.autograd.graph.save_on_cpu(),
        ):
            pass
        with pytest.raises(RuntimeError, match="no hooks here"), lib.autograd.graph.saved_tensors_hooks(as_is, as_is):
            pass
    with lib.autograd.graph.saved_tensors_hooks(as_is, as_is):
        with pytest.raises(RuntimeError, match="too late"), lib.autograd.graph.disable_saved_tensors_hooks("too late"):
            pass
        leaf(lib, 1.0).exp()


def test_save_on_cpu(lib: Any) -> None:
    """Tensors come back to where they were; gradients are the same."""
    x = leaf(lib, 1.0, 2.0)
    with lib.autograd.graph.save_on_cpu():
        y = (x * x).sum()
    device, tensor = y.grad_fn.next_functions[0][0]._raw_saved_self.data
    assert device == x.device and tensor.device.type == "cpu"
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]


def exp_of(lib: Any) -> Any:
    """The apply of a Function that saves its input, its output and nothing."""

    class Exp(lib.autograd.Function):
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

    return Exp.apply


def test_custom_function(lib: Any) -> None:
    """What save_for_backward keeps goes through the hooks too, inputs and outputs, at any order of derivative."""
    x = leaf(lib, 0.5, 1.0)
    seen: list[Any] = []

    def pack(t: Any) -> Any:
        seen.append((t is x, t.grad_fn and t.grad_fn.name()))
        return to_list(t)

    with lib.autograd.graph.saved_tensors_hooks(pack, from_list(lib)):
        y = exp_of(lib)(x)
    assert seen[-2:] == [(True, None), (False, "ExpBackward")]
    raw = y.grad_fn._raw_saved_tensors
    assert [saved.data and saved.data[0] for saved in raw] == [[0.5, 1.0], x.exp().tolist(), None]
    (first,) = lib.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = lib.autograd.grad(first.sum(), x)
    assert first.tolist() == pytest.approx(x.exp().tolist())
    assert second.tolist() == pytest.approx(x.exp().tolist())


def test_backward_of_a_function_sees_what_unpack_returned(lib: Any) -> None:
    """ctx.saved_tensors holds exactly the values of the unpack hook."""
    x = leaf(lib, 1.0)
    with lib.autograd.graph.saved_tensors_hooks(as_is, lambda t: t * 10):
        y = exp_of(lib)(x)
    y.backward()
    assert x.grad.item() == pytest.approx(10 * 2.718281828459045)
