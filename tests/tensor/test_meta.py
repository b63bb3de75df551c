"""Tensors of the device meta: shape, strides and dtype, and no memory. What is expected is what PyTorch does."""

from __future__ import annotations

import copy
import io
import pickle
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.cpu("the device is meta")


def test_made_in_every_way(lib: ModuleType) -> None:
    """Creation functions take the device, by argument, as a context and as the default."""
    like = lib.zeros(2, 3, device="meta")
    made = [
        lib.empty(2, 3, device="meta"),
        lib.randn(2, 3, device=lib.device("meta")),
        lib.tensor([[1, 2, 3]] * 2, device="meta"),
        lib.arange(6, device="meta").view(2, 3),
        lib.full((2, 3), 7, device="meta"),
        lib.empty_strided((2, 3), (1, 2), device="meta"),
        lib.rand_like(like),
        like.new_ones(2, 3),
        lib.ones(2, 3).to("meta"),
        lib.randint(3, (2, 3), device="meta"),
        lib.as_tensor(lib.ones(2, 3), device="meta"),
    ]
    with lib.device("meta"):
        made += [lib.ones(2, 3), lib.eye(2, 3)]
    assert lib.ones(1).device.type == "cpu"
    for t in made:
        assert t.is_meta and t.device.type == "meta" and tuple(t.shape) == (2, 3)
        assert not t.is_cuda and not t.is_cpu and t.data_ptr() == 0
    assert made[2].dtype == lib.int64 and made[5].stride() == (1, 2)


def test_takes_no_memory(lib: ModuleType) -> None:
    """A tensor of 4 PB, and products of such tensors."""
    x = lib.empty(2**25, 2**25, device="meta")
    y = lib.relu(x @ x.t()).sum(1)
    assert tuple(y.shape) == (2**25,) and y.is_meta
    assert x.untyped_storage().nbytes() == 2**52


def test_printed_without_numbers(lib: ModuleType) -> None:
    x = lib.ones(2, 3, device="meta")
    name = lib.__name__
    assert repr(x) == "tensor(..., device='meta', size=(2, 3))"
    assert repr(x.long()) == f"tensor(..., device='meta', size=(2, 3), dtype={name}.int64)"
    assert f"{x.sum()}" == "tensor(..., device='meta', size=())"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda lib, x: x.sum().item(), r"Tensor.item\(\) cannot be called on meta tensors"),
        (lambda lib, x: bool(x.sum()), r"Tensor.item\(\) cannot be called on meta tensors"),
        (lambda lib, x: float(x.sum()), r"Tensor.item\(\) cannot be called on meta tensors"),
        (lambda lib, x: x.tolist(), "Cannot copy out of meta tensor; no data!"),
        (lambda lib, x: x.cpu(), "Cannot copy out of meta tensor; no data!"),
        (lambda lib, x: lib.zeros(2, 3).copy_(x), "Cannot copy out of meta tensor; no data!"),
        (lambda lib, x: lib.masked_select(x, x > 0), "no fake impl or Meta kernel registered"),
        (lambda lib, x: lib.unique(x), "no fake impl or Meta kernel registered"),
        (lambda lib, x: lib.bincount(x[0].long()), "no fake impl or Meta kernel registered"),
    ],
)
def test_refused_without_numbers(lib: ModuleType, call: Any, message: str) -> None:
    """What needs elements is refused in PyTorch's words; NotImplementedError is a RuntimeError."""
    with pytest.raises(RuntimeError, match=message):
        call(lib, lib.ones(2, 3, device="meta"))


@pytest.mark.parametrize(
    "call", [lambda lib, x: lib.nonzero(x), lambda lib, x: x[x > 0], lambda lib, x: lib.equal(x, x)]
)
def test_not_implemented_without_numbers(lib: ModuleType, call: Any) -> None:
    """So are indices of what is true."""
    with pytest.raises(NotImplementedError):
        call(lib, lib.ones(2, 3, device="meta"))


def test_numpy_is_refused(lib: ModuleType) -> None:
    x = lib.ones(2, device="meta")
    with pytest.raises(TypeError, match="can't convert meta device type tensor to numpy"):
        x.numpy()
    with pytest.raises(BufferError, match="Cannot pack tensors on meta"):
        x.__dlpack__()


@pytest.mark.parametrize("call", [lambda lib, x, c: x + c, lambda lib, x, c: lib.cat([x, c])])
def test_beside_tensors_with_memory(lib: ModuleType, call: Any) -> None:
    """Other devices are refused, but for single numbers of the CPU."""
    x, c = lib.ones(2, 3, device="meta"), lib.ones(2, 3)
    with pytest.raises(RuntimeError, match="device"):
        call(lib, x, c)
    with pytest.raises(RuntimeError, match="device"):
        call(lib, c, x)
    assert (x + lib.tensor(2.0)).is_meta and (lib.tensor(2.0) * x).is_meta


def test_products_beside_tensors_with_memory() -> None:
    """Kernels refuse them as well, where PyTorch gives what lies in the memory."""
    import specgrad as sg

    x, c = sg.ones(2, 3, device="meta"), sg.ones(3, 2)
    for one, other in ((x, c), (c, x)):
        with pytest.raises(RuntimeError, match="at least two devices, meta and cpu"):
            one @ other


def test_views_writes_and_indices(lib: ModuleType) -> None:
    """Views share a memory that there is not; writes are counted, copies from the CPU are dropped."""
    x = lib.empty(4, 6, device="meta")
    v = x.t()[1:4, ::2]
    assert tuple(v.shape) == (3, 2) and v.stride() == (1, 12) and v.storage_offset() == 1
    version = x._version
    v.fill_(1.0).add_(2).normal_()
    x[0] = lib.ones(6)
    x[:, lib.tensor([1, 2])] = 3.0
    assert x._version == version + 5
    assert tuple(x[lib.tensor([0, 1, 1])].shape) == (3, 6)
    assert tuple(x[lib.tensor([True, False, True, True]), 2:].shape) == (3, 4)
    assert tuple(lib.add(x, x, out=lib.empty(0, device="meta")).shape) == (4, 6)
    assert tuple(x.copy_(lib.ones(6)).shape) == (4, 6)


def test_gradients(lib: ModuleType) -> None:
    """Backward passes have shapes too, and second derivatives."""
    w = lib.randn(3, 4, device="meta", requires_grad=True)
    x = lib.randn(5, 4, device="meta")
    loss = lib.nn.functional.linear(x, w).softmax(1).pow(2).sum()
    (first,) = lib.autograd.grad(loss, w, create_graph=True)
    first.sum().backward()
    assert first.is_meta and tuple(first.shape) == (3, 4)
    assert w.grad.is_meta and tuple(w.grad.shape) == (3, 4)


def test_saved_and_copied(lib: ModuleType) -> None:
    """Files, pickles and copies keep layouts; any tensor is loaded without its memory by `map_location`."""
    x = lib.ones(4, 5, dtype=lib.float64, device="meta").t()
    file = io.BytesIO()
    lib.save({"x": x, "p": lib.nn.Parameter(x), "cpu": lib.ones(2)}, file)
    file.seek(0)
    found = lib.load(file, weights_only=True)
    for t in (found["x"], found["p"], pickle.loads(pickle.dumps(x)), copy.deepcopy(x)):
        assert t.is_meta and tuple(t.shape) == (5, 4) and t.stride() == (1, 5) and t.dtype == lib.float64
    assert isinstance(found["p"], lib.nn.Parameter) and found["p"].requires_grad and found["cpu"].tolist() == [1, 1]
    file.seek(0)
    assert lib.load(file, map_location="meta")["cpu"].is_meta


def test_random_numbers_are_not_drawn(lib: ModuleType) -> None:
    """The generator stays where it is: there is nothing to fill."""
    lib.manual_seed(3)
    expected = lib.rand(2).tolist()
    lib.manual_seed(3)
    lib.randn(7, device="meta")
    lib.nn.functional.dropout(lib.ones(3, device="meta"))
    lib.bernoulli(lib.rand(4, device="meta"))
    assert lib.rand(2).tolist() == expected
