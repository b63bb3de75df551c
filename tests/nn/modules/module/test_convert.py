"""Changing dtype, device and requires_grad of a module's tensors."""

from typing import Any

import pytest

import specgrad as sg


def _net(lib: Any) -> Any:
    return lib.nn.Sequential(lib.nn.Linear(2, 3), lib.nn.BatchNorm1d(3))


def test_dtype_methods(lib: Any) -> None:
    """Floating-point parameters and buffers change dtype, counters keep theirs, parameters stay the same objects."""
    for method, dtype in (("double", lib.float64), ("half", lib.float16), ("bfloat16", lib.bfloat16)):
        net = _net(lib)
        weight = net[0].weight
        assert getattr(net, method)() is net
        assert net[0].weight is weight and weight.dtype == dtype and weight.is_leaf and weight.requires_grad
        assert net[1].running_mean.dtype == dtype
        assert net[1].num_batches_tracked.dtype == lib.int64
    assert net.float()[0].weight.dtype == lib.float32


def test_to(lib: Any) -> None:
    """to takes a dtype, a device, both, a tensor, or keywords."""
    for args, kwargs in [
        ((lib.float64,), {}),
        (("cpu", lib.float64), {}),
        ((lib.device("cpu"), lib.float64, True), {}),
        ((lib.ones(1, dtype=lib.float64),), {}),
        ((), {"dtype": lib.float64, "device": "cpu"}),
        ((), {"tensor": lib.ones(1, dtype=lib.float64)}),
    ]:
        net = _net(lib)
        assert net.to(*args, **kwargs) is net
        assert net[0].weight.dtype == lib.float64 and net[1].num_batches_tracked.dtype == lib.int64
    assert net.to("cpu")[0].weight.dtype == lib.float64
    assert net.cpu() is net


def test_to_refuses(lib: Any) -> None:
    """Integer dtypes and arguments of other kinds are refused."""
    with pytest.raises(TypeError, match="only accepts floating point or complex dtypes"):
        _net(lib).to(lib.int32)
    with pytest.raises(TypeError):
        _net(lib).to(dtyp=lib.float64)
    with pytest.raises(RuntimeError):
        _net(lib).to("no such device")


@pytest.mark.parametrize("args", [(), (3.5,), (sg.float32, sg.float32, "cpu")])
def test_to_needs_a_target(args: tuple[Any, ...]) -> None:
    """Nothing, something else, or too much is refused by name."""
    with pytest.raises(TypeError, match=r"to\(\) received an invalid"):
        _net(sg).to(*args)


def test_complex_warns(lib: Any) -> None:
    """Complex modules work, with a warning."""
    with pytest.warns(UserWarning, match="Complex modules are a new feature"):
        net = lib.nn.Linear(2, 3).to(lib.complex64)
    assert net.weight.dtype == lib.complex64


def test_type(lib: Any) -> None:
    """type converts everything."""
    assert lib.nn.Linear(2, 3).type(lib.float64).weight.dtype == lib.float64


def test_gradients_follow(lib: Any) -> None:
    """Gradients are converted with their parameters."""
    net = _net(lib)
    net(lib.randn(4, 2)).sum().backward()
    net.double()
    assert net[0].weight.grad.dtype == lib.float64
    net(lib.randn(4, 2, dtype=lib.float64)).sum().backward()


def test_optimizer_sees_converted_parameters(lib: Any) -> None:
    """An optimizer made before a conversion changes the converted values."""
    net = lib.nn.Linear(1, 1)
    optimizer = lib.optim.SGD(net.parameters(), lr=1.0)
    net.double()
    before = net.bias.item()
    net(lib.ones(1, 1, dtype=lib.float64)).sum().backward()
    optimizer.step()
    assert net.bias.item() == pytest.approx(before - 1)


def test_requires_grad(lib: Any) -> None:
    """requires_grad_ reaches all parameters."""
    net = _net(lib)
    assert net.requires_grad_(False) is net
    assert not any(p.requires_grad for p in net.parameters())
    assert all(p.requires_grad for p in net.requires_grad_().parameters())


def test_zero_grad(lib: Any) -> None:
    """Gradients become None, or zeros that are no part of a graph."""
    net = _net(lib)
    net(lib.randn(4, 2)).sum().backward()
    net.zero_grad(set_to_none=False)
    assert all((p.grad == 0).all() and not p.grad.requires_grad for p in net.parameters())
    net.zero_grad()
    assert all(p.grad is None for p in net.parameters())


def test_to_empty(lib: Any) -> None:
    """to_empty keeps shapes and dtypes."""
    net = _net(lib).to_empty(device="cpu")
    assert net[0].weight.shape == (3, 2)


def test_memory_format(lib: Any) -> None:
    """A memory format alone is a valid request."""
    conv = lib.nn.Conv2d(1, 2, 3)
    assert conv.to(memory_format=lib.channels_last) is conv
