"""Inference tensors: what inference_mode makes, and what may be done with it outside; in PyTorch too, where it is."""

import copy
import io
import pickle
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.tensor.grad_mode import inferring

SAVED = "Inference tensors cannot be saved for backward"
WRITTEN = "Inplace update to inference tensor outside InferenceMode is not allowed"
REQUIRED = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed"


def made_in_mode(lib: Any) -> Any:
    """A 2 x 2 tensor of ones, made in inference mode."""
    with lib.inference_mode():
        return lib.ones(2, 2)


def loaded(lib: Any, value: Any) -> Any:
    """A value that was saved, and loaded again."""
    file = io.BytesIO()
    lib.save(value, file)
    file.seek(0)
    return lib.load(file)


NEW: dict[str, Callable[[Any], Any]] = {
    "ones": lambda lib: lib.ones(2),
    "data": lambda lib: lib.tensor([1.0, 2.0]),
    "legacy": lambda lib: lib.Tensor([1, 2]),
    "draw": lambda lib: lib.rand(2),
    "range": lambda lib: lib.arange(3),
    "empty": lambda lib: lib.empty(0),
    "numpy": lambda lib: lib.from_numpy(__import__("numpy").ones(2)),
    "dlpack": lambda lib: lib.from_dlpack(lib.ones(2)),
    "meta": lambda lib: lib.ones(2, device="meta"),
    "leaf": lambda lib: lib.ones(2, requires_grad=True),
    "parameter": lambda lib: lib.nn.Parameter(lib.ones(2)),
    "sum": lambda lib: lib.ones(2).sum(),
    "product": lambda lib: lib.ones(2, 2) @ lib.ones(2, 2),
    "comparison": lambda lib: lib.ones(2) > 0,
    "bfloat16": lambda lib: lib.ones(2).bfloat16() + 1,
    "uint16": lambda lib: lib.ones(2, dtype=lib.uint16),
    "svd": lambda lib: lib.linalg.svd(lib.eye(2))[1],
    "mask": lambda lib: lib.ones(2)[lib.tensor([True, False])],
    "row": lambda lib: lib.ones(2, 2)[0],
    "piece": lambda lib: lib.ones(2, 2).split(1)[1],
    "transposed": lambda lib: lib.ones(2, 3).t(),
    "of another dtype": lambda lib: lib.ones(2).view(lib.int32),
    "detached": lambda lib: lib.ones(2).detach(),
    "data of it": lambda lib: lib.ones(2).data,
    "copy": lambda lib: copy.deepcopy(lib.ones(2)),
    "pickled": lambda lib: pickle.loads(pickle.dumps(lib.ones(2))),
    "loaded": lambda lib: loaded(lib, lib.ones(2)),
    "sparse": lambda lib: lib.eye(2).to_sparse(),
    "mapped": lambda lib: lib.func.vmap(lambda row: row * 2)(lib.ones(2, 2)),
}


@pytest.mark.cpu("memory of NumPy, DLPack and meta")
@pytest.mark.parametrize("made", NEW.values(), ids=NEW.keys())
def test_what_is_made_in_the_mode(lib: ModuleType, made: Callable[[Any], Any]) -> None:
    """All that is made in the mode is an inference tensor without a version counter; what is made outside is not."""
    with lib.inference_mode():
        found = made(lib)
        with lib.inference_mode(False):
            assert not made(lib).is_inference()
    assert found.is_inference() and lib.is_inference(found) and found.is_leaf and not found._is_view()
    with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
        _ = found._version
    assert not made(lib).is_inference()


NORMAL: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda lib, x: x + 1,
    "clone": lambda lib, x: x.clone(),
    "cast": lambda lib, x: x.double(),
    "copy": lambda lib, x: copy.deepcopy(x),
    "pickled": lambda lib, x: pickle.loads(pickle.dumps(x)),
    "loaded": lambda lib, x: loaded(lib, [x])[0],
    "data": lambda lib, x: lib.tensor(x.tolist()),
    "zeros": lambda lib, x: lib.zeros_like(x),
    "indexed": lambda lib, x: x[x > 0],
    "copied to": lambda lib, x: lib.zeros(2, 2).copy_(x),
    "set": lambda lib, x: lib.zeros(1).set_(x),
    "under no_grad": lambda lib, x: lib.no_grad()(lambda: x * 2)(),
    "gradient": lambda lib, x: lib.func.grad(lambda y: (y * y).sum())(x),
}
SHARED: dict[str, Callable[[Any, Any], Any]] = {
    "view": lambda lib, x: x.view(4),
    "row": lambda lib, x: x[0],
    "transposed": lambda lib, x: x.t(),
    "pieces": lambda lib, x: x.unbind()[1],
    "expanded": lambda lib, x: x.expand(3, 2, 2),
    "itself": lambda lib, x: x.contiguous(),
    "of the class": lambda lib, x: x.as_subclass(lib.Tensor),
    "buffer": lambda lib, x: lib.nn.Buffer(x),
    "frozen parameter": lambda lib, x: lib.nn.Parameter(x, requires_grad=False),
}


@pytest.mark.parametrize("function", NORMAL.values(), ids=NORMAL.keys())
def test_normal_tensors_of_inference_tensors(lib: ModuleType, function: Callable[[Any, Any], Any]) -> None:
    """What has memory of its own, made outside, is a normal tensor: it may be written to, and require grad."""
    found = function(lib, made_in_mode(lib))
    assert not found.is_inference()
    version = found._version
    found.add_(1)
    assert found._version == version + 1
    found.requires_grad_()


@pytest.mark.parametrize("function", SHARED.values(), ids=SHARED.keys())
def test_views_of_inference_tensors(lib: ModuleType, function: Callable[[Any, Any], Any]) -> None:
    """What shares the memory of an inference tensor is one, wherever it was made, and cannot require grad."""
    found = function(lib, made_in_mode(lib))
    assert found.is_inference() and not found._is_view()
    with pytest.raises(RuntimeError, match=REQUIRED):
        found.requires_grad_()


@pytest.mark.parametrize("function", [lambda x: x.detach(), lambda x: x.data], ids=["detach", "data"])
def test_detached(lib: ModuleType, function: Callable[[Any], Any]) -> None:
    """A detached tensor of the memory may be written to outside: its own writes are counted. It cannot be saved."""
    x = made_in_mode(lib)
    found = function(x)
    found.mul_(3)
    assert found.is_inference() and found._version == 1 and x.tolist() == [[3.0, 3.0], [3.0, 3.0]]
    with pytest.raises(RuntimeError, match=SAVED):
        lib.ones(2, 2, requires_grad=True) * found
    with lib.inference_mode():
        assert function(x).is_inference()


WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "add_": lambda lib, x: x.add_(1),
    "mul_": lambda lib, x: x.mul_(lib.ones(2, 2)),
    "addmm_": lambda lib, x: x.addmm_(lib.ones(2, 2), lib.ones(2, 2)),
    "zero_": lambda lib, x: x.zero_(),
    "copy_": lambda lib, x: x.copy_(lib.zeros(2, 2)),
    "item": lambda lib, x: x.__setitem__(0, 5.0),
    "items": lambda lib, x: x.__setitem__(lib.tensor([0]), lib.zeros(2)),
    "masked": lambda lib, x: x.__setitem__(x > 0, 5.0),
    "normal_": lambda lib, x: x.normal_(),
    "t_": lambda lib, x: x.t_(),
    "relu": lambda lib, x: lib.nn.functional.relu(x, inplace=True),
    "scatter_": lambda lib, x: x.scatter_(0, lib.tensor([[0]]), lib.zeros(1, 1)),
    "cumsum_": lambda lib, x: x.cumsum_(0),
    "through a view": lambda lib, x: x[0].add_(1),
    "out": lambda lib, x: lib.add(lib.ones(2, 2), 1, out=x),
    "out of a kernel": lambda lib, x: lib.mm(lib.ones(2, 2), lib.ones(2, 2), out=x),
    "set_": lambda lib, x: x.set_(lib.zeros(2, 2)),
    "resize_": lambda lib, x: x.resize_(3),
    "init": lambda lib, x: lib.nn.init.ones_(x),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_writes(lib: ModuleType, write: Callable[[Any, Any], Any]) -> None:
    """Inference tensors are written to in the mode alone; normal ones there too, which is counted."""
    x = made_in_mode(lib)
    with pytest.raises(RuntimeError, match=WRITTEN):
        write(lib, x)
    with lib.no_grad(), pytest.raises(RuntimeError, match=WRITTEN):
        write(lib, made_in_mode(lib))
    if lib is sg:
        assert x.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    normal, leaf = lib.full((2, 2), 2.0), lib.full((2, 2), 2.0, requires_grad=True)
    before = normal._version, leaf._version
    with lib.inference_mode():
        write(lib, x)
        write(lib, normal)
        if write is not WRITES["resize_"]:
            write(lib, leaf)
    assert x.is_inference() and not normal.is_inference() and normal._version > before[0]
    assert leaf.requires_grad and leaf.is_leaf and (write is WRITES["resize_"] or leaf._version > before[1])


SAVES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "mul": lambda lib, w, x: w * x,
    "other side": lambda lib, w, x: x * w,
    "broadcast": lambda lib, w, x: w * x[0],
    "div": lambda lib, w, x: w / x,
    "mm": lambda lib, w, x: w @ x,
    "linear": lambda lib, w, x: lib.nn.functional.linear(x, w),
    "einsum": lambda lib, w, x: lib.einsum("ij,jk->ik", w, x),
    "conv": lambda lib, w, x: lib.nn.functional.conv1d(x[None], w[None]),
    "layer": lambda lib, w, x: lib.nn.Linear(2, 2)(x),
    "recurrent": lambda lib, w, x: lib.nn.LSTM(2, 2)(x),
    "loss": lambda lib, w, x: lib.nn.functional.mse_loss(w, x),
    "attention": lambda lib, w, x: lib.nn.functional.scaled_dot_product_attention(w[None], x[None], x[None]),
    "indices": lambda lib, w, x: lib.nn.functional.embedding((x - 1).long() if x is w else long_in_mode(lib), w),
    "in place": lambda lib, w, x: (w * 1).mul_(x),
    "checkpoint": lambda lib, w, x: lib.utils.checkpoint.checkpoint(lib.mul, w, x, use_reentrant=False),
    "custom": lambda lib, w, x: product(lib).apply(w, x),
    "hooks": lambda lib, w, x: within_hooks(lib, w, x),
}
SAVES_NOTHING: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda lib, w, x: w + x,
    "cat": lambda lib, w, x: lib.cat([w, x]),
    "copy_": lambda lib, w, x: (w * 1).copy_(x) + w,
    "sum of both": lambda lib, w, x: w.sum() * float(x.sum()),
    "cloned": lambda lib, w, x: w * x.clone(),
    "cast": lambda lib, w, x: w.double() * x.double(),
    "bias": lambda lib, w, x: lib.nn.functional.linear(w, w, x[0]),
}


def long_in_mode(lib: Any) -> Any:
    """Indices that were made in inference mode."""
    with lib.inference_mode():
        return lib.tensor([1])


def product(lib: Any) -> Any:
    """A custom Function that saves both factors."""

    class Product(lib.autograd.Function):  # type: ignore[misc]
        """w * x."""

        @staticmethod
        def forward(ctx: Any, w: Any, x: Any) -> Any:
            ctx.save_for_backward(w, x)
            return w * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            w, x = ctx.saved_tensors
            return grad * x, grad * w

    return Product


def within_hooks(lib: Any, w: Any, x: Any) -> Any:
    """A product while saved tensors are packed."""
    with lib.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        return w * x


@pytest.mark.parametrize("function", SAVES.values(), ids=SAVES.keys())
def test_saving(lib: ModuleType, function: Callable[[Any, Any, Any], Any]) -> None:
    """An op whose gradient needs an inference tensor is refused; of clones it is not, nor where nothing is recorded."""
    w, x = lib.ones(2, 2, requires_grad=True), made_in_mode(lib)
    with pytest.raises(RuntimeError, match=SAVED):
        function(lib, w, x)
    with lib.no_grad():
        function(lib, w, x)
    with lib.inference_mode():
        function(lib, w, x)
    if function is not SAVES["indices"]:
        found = function(lib, w, x.clone())
        (found[0] if isinstance(found, tuple) else found).sum().backward()


@pytest.mark.parametrize("function", SAVES_NOTHING.values(), ids=SAVES_NOTHING.keys())
def test_saving_nothing(lib: ModuleType, function: Callable[[Any, Any, Any], Any]) -> None:
    """Inference tensors take part in graphs where nothing has to be kept of them."""
    w = lib.ones(2, 2, requires_grad=True)
    function(lib, w, made_in_mode(lib)).sum().backward()
    assert w.grad is not None and not w.grad.is_inference()


def test_views_of_normal_tensors(lib: ModuleType) -> None:
    """A view of a normal tensor made in the mode is a normal one; of one in a graph it may not be written to."""
    x, y = lib.ones(2, 2), lib.ones(2, 2, requires_grad=True) * 1
    with lib.inference_mode():
        row, detached, in_graph = x[0], x.detach(), y[0]
        x.data.add_(1)
        row.add_(1)
    assert not (row.is_inference() or detached.is_inference() or in_graph.is_inference()) and row._is_view()
    row.add_(1)
    detached.add_(1)
    assert x._version == 3 and x.tolist() == [[5.0, 5.0], [3.0, 3.0]]
    with pytest.raises(RuntimeError, match="A view was created in inference mode and is being modified inplace"):
        in_graph.add_(1)


def test_leaves_of_the_mode(lib: ModuleType) -> None:
    """A tensor may require grad where it was made in the mode: it has gradients where nothing of it is saved."""
    with lib.inference_mode():
        leaf, other = lib.ones(2, requires_grad=True), lib.ones(2).requires_grad_()
        assert not (leaf * 2).requires_grad
    (leaf + 1 + other * 3).sum().backward()
    assert leaf.grad.tolist() == [1.0, 1.0] and other.grad.tolist() == [3.0, 3.0]
    assert copy.deepcopy(leaf).requires_grad and not copy.deepcopy(leaf).is_inference()
    with pytest.raises(RuntimeError, match=REQUIRED):
        lib.nn.Parameter(leaf.detach())


def test_replaced_data(lib: ModuleType) -> None:
    """A tensor whose data was replaced in the mode, as a module's that is converted, has become an inference tensor."""
    x, module = lib.ones(2), lib.nn.Linear(2, 2)
    with lib.inference_mode():
        x.data = x.data * 2
        module.double()
        state = lib.nn.Linear(2, 2).state_dict()
    assert x.is_inference() and module.weight.is_inference() and module.weight.requires_grad
    other = lib.nn.Linear(2, 2)
    other.load_state_dict(state)
    assert not other.weight.is_inference() and other.weight._version >= 1
    x.data = lib.zeros(3)
    assert not x.is_inference()


def test_programs(lib: ModuleType) -> None:
    """Training goes on after an evaluation in the mode, also of a module with running statistics."""
    module = lib.nn.Sequential(lib.nn.Linear(2, 3), lib.nn.BatchNorm1d(3), lib.nn.ReLU(), lib.nn.Dropout())
    optimizer = lib.optim.Adam(module.parameters())
    for _ in range(2):
        with lib.inference_mode():
            module.train()(lib.rand(4, 2))
            assert module.eval()(lib.rand(4, 2)).is_inference()
        optimizer.zero_grad()
        module.train()(lib.rand(4, 2)).sum().backward()
        optimizer.step()
    assert not any(value.is_inference() for value in module.state_dict().values())


@pytest.mark.filterwarnings("ignore:.torch.jit.script")
def test_gradients_in_the_mode(lib: ModuleType) -> None:
    """backward in the mode gives inference tensors for gradients; transforms record whatever the mode is."""
    w = lib.ones(2, requires_grad=True)
    y = (w * w).sum()
    with lib.inference_mode():
        y.backward()
        x = lib.tensor([1.0, 2.0])
        gradient = lib.func.grad(lambda w: (w * w * x).sum())(lib.ones(2))
        hessian = lib.func.hessian(lambda w: (w**3 * x).sum())(lib.ones(2))
    assert w.grad.is_inference() and gradient.tolist() == [2.0, 4.0]
    assert hessian.tolist() == [[6.0, 0.0], [0.0, 12.0]]
    assert lib.func.vmap(lib.func.grad(lambda row: (row * row).sum()))(made_in_mode(lib)).tolist() == [[2.0, 2.0]] * 2


def test_autocast(lib: ModuleType) -> None:
    """A parameter that was cast in the mode is cast anew for a graph."""
    module, x = lib.nn.Linear(2, 2), lib.ones(1, 2)
    with lib.autocast("cpu", dtype=lib.bfloat16):
        with lib.inference_mode():
            module(x)
        if lib is sg:
            module(x).sum().backward()
            assert module.weight.grad is not None


def test_decorators(lib: ModuleType) -> None:
    """Functions, generators and methods run in the mode, by `inference_mode` and by a call of it."""

    @lib.inference_mode()
    def one() -> Any:
        return lib.ones(1)

    @lib.inference_mode
    def other() -> Any:
        return lib.ones(1)

    @lib.inference_mode(mode=False)
    def normal() -> Any:
        return lib.ones(1)

    @lib.inference_mode()
    def multiple() -> Any:
        yield lib.ones(1)
        yield lib.ones(1)

    assert one().is_inference() and other().is_inference() and not normal().is_inference()
    assert one.__name__ == "one" and all(found.is_inference() for found in multiple())
    with lib.inference_mode():
        assert not normal().is_inference() and lib.is_inference_mode_enabled()
    assert lib.inference_mode(False).mode is False
    assert lib.autograd.grad_mode.inference_mode is lib.inference_mode


def test_threads(lib: ModuleType) -> None:
    """The mode is of one thread: others make normal tensors meanwhile."""
    found: list[bool] = []

    def work() -> None:
        for _ in range(3):
            x = lib.ones(2, requires_grad=True)
            y = x * lib.ones(2)
            y.sum().backward()
            found.extend([lib.is_inference_mode_enabled(), y.is_inference(), x.grad.is_inference()])

    with lib.inference_mode():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert lib.ones(1).is_inference()
    assert not any(found)


def test_the_mode_is_left() -> None:
    """However a block ends, nothing is left of it: tensors are made as fast as before."""
    with pytest.raises(ValueError), sg.inference_mode():
        raise ValueError
    with sg.inference_mode(), sg.inference_mode(), sg.inference_mode(False), sg.inference_mode():
        sg.func.grad(lambda x: x.sum())(sg.ones(2))
    assert not inferring and not sg.is_inference_mode_enabled()
