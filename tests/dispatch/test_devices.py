"""Tensors that lie on a device: where results lie, what may stand beside them, copies, files, layers, training."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from tests.places import simulated_device


@pytest.fixture(autouse=True)
def device() -> Iterator[None]:
    with simulated_device():
        yield


def on_device(*shape: int) -> Any:
    return sg.arange(int(np.prod(shape)), dtype=sg.float32).reshape(shape).cuda()


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: x + y,
        lambda x, y: y * x,
        lambda x, y: x @ y.T,
        lambda x, y: y @ x.T,
        lambda x, y: sg.cat([x, y]),
        lambda x, y: sg.cat([y, x]),
        lambda x, y: sg.where(x > 0, x, y),
        lambda x, y: sg.nn.functional.linear(x, y),
        lambda x, y: sg.nn.functional.mse_loss(x, y),
        lambda x, y: x.add_(y),
        lambda x, y: x.gather(0, y.long()),
    ],
)
def test_tensors_of_two_devices_are_refused(call: Callable[[Any, Any], Any]) -> None:
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device, but found at least two"):
        call(on_device(3, 3), sg.ones(3, 3))


def test_numbers_of_the_host_stand_beside_tensors_of_a_device() -> None:
    x, w = on_device(3), sg.tensor(2.0, requires_grad=True)
    assert (x + w).tolist() == (w + x).tolist() == [2.0, 3.0, 4.0]
    (x * w).sum().backward()
    assert w.grad.device.type == "cpu" and w.grad.item() == 3.0
    assert (x + w).device == sg.device("cuda:0")


def test_indices_of_the_host_choose_from_a_tensor_of_a_device() -> None:
    x = on_device(4, 2)
    assert x[sg.tensor([2, 0])].tolist() == [[4.0, 5.0], [0.0, 1.0]]
    assert x[sg.tensor([False, True, False, True])].tolist() == [[2.0, 3.0], [6.0, 7.0]]
    x[sg.tensor([0, 3])] = -1.0
    x[1] = sg.tensor([8.0, 9.0])
    assert x.tolist() == [[-1.0, -1.0], [8.0, 9.0], [4.0, 5.0], [-1.0, -1.0]]


def test_copies_pass_gradients_back() -> None:
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    y = sg.zeros(2, device="cuda").copy_(x * 3)
    (y * y).sum().backward()
    assert x.grad.device.type == "cpu" and x.grad.tolist() == [18.0, 36.0]
    assert sg.zeros(2).copy_(on_device(2)).tolist() == [0.0, 1.0]


class StridedOperand(sg.autograd.Function):
    """Two outputs on two devices; the gradient of each is asked where it lies."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x.cpu(), x * 2

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        assert [grad.device.type for grad in grads] == ["cpu", "cuda"]
        return grads[0].cuda() + 2 * grads[1]


def test_missing_gradients_lie_where_their_outputs_lie() -> None:
    x = on_device(2).requires_grad_()
    for output, derivative in zip(StridedOperand.apply(x), (1.0, 2.0), strict=True):
        (found,) = sg.autograd.grad(output.sum(), x, retain_graph=True)
        assert found.is_cuda and found.tolist() == [derivative, derivative]


def test_a_gradient_of_another_device_is_refused_by_its_leaf() -> None:
    class Lost(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad.cpu()

    x = on_device(2).requires_grad_()
    with pytest.raises(RuntimeError, match="invalid gradient .* expected device cuda:0 but got cpu"):
        Lost.apply(x).sum().backward()
    assert x.grad is None


def test_gradient_edges_know_their_devices() -> None:
    x = on_device(1).requires_grad_()
    y = x * 3
    sg.autograd.backward(sg.autograd.graph.get_gradient_edge(y))
    assert x.grad.is_cuda and x.grad.tolist() == [3.0]


def test_to() -> None:
    x = sg.tensor([1.5, 2.5])
    assert x.to("cuda", sg.int64).tolist() == [1, 2] and x.to("cuda", sg.int64).is_cuda
    assert x.cuda().to("cuda") is not x and x.to(sg.zeros(1, device="cuda")).is_cuda
    there = x.cuda()
    assert there.to("cuda:0") is there and there.cpu().is_cpu
    assert there.to("cuda", non_blocking=True, copy=True) is not there
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        x.to("cuda:7")


def test_tensors_of_any_size_are_copied_to_the_host() -> None:
    x = sg.arange(5000.0).reshape(50, 100)
    assert x.cuda().is_cuda and x.cuda().cpu().is_cpu and x.cuda().T.cpu().equal(x.T)


@pytest.mark.parametrize("kind", [sg.bfloat16, sg.float16, sg.float64, sg.int8])
def test_element_wise_ops_of_many_elements(kind: Any) -> None:
    """Which the CPU's kernels compute for a simulated device."""
    x = sg.arange(5000).remainder(7).to(kind)
    assert (x.cuda() * x.cuda() + 1).cpu().equal(x * x + 1) and x.cuda().neg_().cpu().equal(-x)


def test_a_tensor_of_a_device_is_no_numpy_array() -> None:
    for convert in (lambda x: x.numpy(), np.asarray, lambda x: np.exp(x)):
        with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
            convert(on_device(2))


def test_defaults() -> None:
    with sg.device("cuda"):
        assert sg.ones(2).is_cuda and sg.nn.Linear(2, 2).weight.is_cuda and sg.randn(3).is_cuda
        assert sg.tensor([1.0]).is_cuda and sg.zeros(1, device="cpu").is_cpu
    assert sg.ones(2).is_cpu
    assert sg.zeros_like(on_device(2)).is_cuda and on_device(2).new_ones(3).is_cuda


def test_files_pickles_and_copies_keep_places_and_sharing() -> None:
    x = on_device(4)
    file = io.BytesIO()
    sg.save([x, x[1:]], file)
    for target_device, restored in (("cuda:0", {}), ("cpu", {"map_location": "cpu"})):
        file.seek(0)
        full, part = sg.load(file, **restored)
        assert str(full.device) == target_device and part.tolist() == [1.0, 2.0, 3.0]
        full[2] = 9.0
        assert part.tolist() == [1.0, 9.0, 3.0]
    for full, part in (pickle.loads(pickle.dumps((x, x[1:]))), copy.deepcopy((x, x[1:]))):
        full[1] = 7.0
        assert part[0].item() == 7.0 and x[1].item() == 1.0 and full.is_cuda


def test_pinned_memory() -> None:
    x = sg.ones(3, pin_memory=True)
    assert x.is_pinned() and not sg.ones(3).is_pinned() and sg.ones(2).pin_memory().is_pinned()
    assert x.to("cuda", non_blocking=True).tolist() == [1.0, 1.0, 1.0]
    batches = sg.utils.data.DataLoader(sg.utils.data.TensorDataset(sg.arange(4)), batch_size=2, pin_memory=True)
    assert all(batch.is_pinned() for (batch,) in batches)
    with pytest.raises(RuntimeError, match="only dense CPU tensors can be pinned"):
        on_device(2).pin_memory()


def test_cuda_array_interface() -> None:
    found = on_device(2, 3).T.__cuda_array_interface__
    assert found["shape"] == (3, 2) and found["strides"] == (4, 12) and found["typestr"] == "<f4"
    with pytest.raises(AttributeError, match="non-CUDA tensor"):
        _ = sg.ones(2).__cuda_array_interface__


@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "NAdam", "ASGD", "Rprop"])
def test_training_gives_the_numbers_of_the_cpu(optimizer: str) -> None:
    def trained(target_device: str) -> Any:
        sg.manual_seed(0)
        first = sg.nn.Linear(
            3, 4, bias=False
        )  # its gradient behind a norm would be rounding, whose sign some rules take
        model = sg.nn.Sequential(first, sg.nn.BatchNorm1d(4), sg.nn.Tanh(), sg.nn.Linear(4, 2)).to(target_device)
        steps = getattr(sg.optim, optimizer)(model.parameters(), lr=0.05)
        data, labels = sg.randn(6, 3, device=target_device), sg.tensor([0, 1, 0, 1, 1, 0], device=target_device)
        for _ in range(3):
            steps.zero_grad()
            sg.nn.functional.cross_entropy(model(data), labels).backward()
            steps.step()
        return [p.detach().cpu().numpy() for p in model.parameters()]

    for found, expected in zip(trained("cuda"), trained("cpu"), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_a_layer_takes_parameters_from_a_file_of_the_cpu() -> None:
    here, there = sg.nn.Linear(2, 2), sg.nn.Linear(2, 2).cuda()
    there.load_state_dict(here.state_dict())
    assert there.weight.is_cuda and there.weight.tolist() == here.weight.tolist()


def test_gradcheck_and_transforms() -> None:
    x = on_device(2).double().requires_grad_()
    assert sg.autograd.gradcheck(lambda t: t.sin() * t, (x,)) and sg.autograd.gradgradcheck(lambda t: t**3, (x,))
    assert sg.func.hessian(lambda t: (t**3).sum())(on_device(2)).tolist() == [[0.0, 0.0], [0.0, 6.0]]
    assert sg.func.vmap(lambda t: t.sum())(on_device(2, 3)).tolist() == [3.0, 12.0]


def test_without_a_device() -> None:
    """What a machine without a driver says is what users of PyTorch search for."""
    from specgrad.runtime.device.cuda import driver

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver, "_chosen", [])
        patch.setattr(driver, "_missing", [driver.NO_DRIVER])
        patch.delenv("SPECGRAD_CUDA", raising=False)
        assert not sg.cuda.is_available() and sg.cuda.device_count() == 0
        with pytest.raises(RuntimeError, match="Found no NVIDIA driver on your system"):
            sg.ones(2, device="cuda")
