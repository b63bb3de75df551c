"""Optimizers against their formulas in NumPy float64."""

import copy
from typing import Any

import numpy as np
import pytest

import specgrad as sg

RNG = np.random.default_rng(2)
START = RNG.standard_normal((3, 4))
GRADS = [RNG.standard_normal((3, 4)) for _ in range(6)]


def _sgd(p: Any, grads: Any, lr: float, momentum: float = 0, dampening: float = 0, **o: Any) -> Any:
    buffer = None
    for g in grads:
        g = (-g if o.get("maximize") else g) + o.get("weight_decay", 0) * p
        if momentum:
            buffer = g if buffer is None else momentum * buffer + (1 - dampening) * g
            g = g + momentum * buffer if o.get("nesterov") else buffer
        p = p - lr * g
    return p


def _adam(p: Any, grads: Any, lr: float = 1e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, **o: Any) -> Any:
    m, v, largest = 0 * p, 0 * p, 0 * p
    decay = o.get("weight_decay", 0)
    for t, g in enumerate(grads, 1):
        g = -g if o.get("maximize") else g
        if o.get("decoupled"):
            p = p - lr * decay * p
        else:
            g = g + decay * p
        m = betas[0] * m + (1 - betas[0]) * g
        v = betas[1] * v + (1 - betas[1]) * g**2
        largest = np.maximum(largest, v)
        used = largest if o.get("amsgrad") else v
        p = p - lr * (m / (1 - betas[0] ** t)) / (np.sqrt(used / (1 - betas[1] ** t)) + eps)
    return p


def _adamw(p: Any, grads: Any, **o: Any) -> Any:
    return _adam(p, grads, decoupled=True, **{"weight_decay": 1e-2, **o})


CASES = [
    ("SGD", _sgd, {"lr": 0.1}),
    ("SGD", _sgd, {"lr": 0.1, "weight_decay": 0.3, "maximize": True}),
    ("SGD", _sgd, {"lr": 0.1, "momentum": 0.9}),
    ("SGD", _sgd, {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.1}),
    ("SGD", _sgd, {"lr": 0.1, "momentum": 0.8, "nesterov": True, "weight_decay": 0.1}),
    ("Adam", _adam, {}),
    ("Adam", _adam, {"lr": 0.2, "betas": (0.5, 0.7), "eps": 0.1, "weight_decay": 0.3}),
    ("Adam", _adam, {"lr": 0.2, "betas": (0.5, 0.7), "amsgrad": True, "maximize": True}),
    ("AdamW", _adamw, {}),
    ("AdamW", _adamw, {"lr": 0.2, "weight_decay": 0.4, "amsgrad": True, "betas": (0.5, 0.6)}),
]
IDS = [f"{name}-{'-'.join(options) or 'defaults'}" for name, _, options in CASES]


def _steps(lib: Any, name: str, options: dict[str, Any], dtype: Any, start: Any = START) -> Any:
    p = lib.from_numpy(start.copy()).to(dtype).requires_grad_()
    optimizer = getattr(lib.optim, name)([p], **options)
    for g in GRADS:
        p.grad = lib.from_numpy(g).to(dtype)
        optimizer.step()
    return p, optimizer


@pytest.mark.parametrize(("name", "reference", "options"), CASES, ids=IDS)
def test_rule(lib: Any, name: str, reference: Any, options: dict[str, Any]) -> None:
    """Six steps in float64 give what the formula gives."""
    p, _ = _steps(lib, name, options, lib.float64)
    np.testing.assert_allclose(p.detach().numpy(), reference(START, GRADS, **options), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("fused", [None, False])
@pytest.mark.parametrize(("name", "reference", "options"), CASES, ids=IDS)
def test_kernel_and_tensor_operations_agree(name: str, reference: Any, options: dict[str, Any], fused: Any) -> None:
    """Float64 steps by the kernel and by tensor operations agree with the formula to rounding."""
    p, _ = _steps(sg, name, {**options, "fused": fused}, sg.float64)
    np.testing.assert_allclose(p.detach().numpy(), reference(START, GRADS, **options), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("dtype", [sg.float32, sg.float16, sg.bfloat16], ids=str)
@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_narrow_dtypes(name: str, dtype: Any) -> None:
    """Narrow parameters stay in their dtype and are as near to the formula as it allows."""
    reference = {"SGD": _sgd, "Adam": _adam}[name]
    p, optimizer = _steps(sg, name, {"lr": 0.1}, dtype)
    assert p.dtype is dtype
    tolerance = {"float32": 1e-6, "float16": 1e-2, "bfloat16": 8e-2}[dtype.name]
    expected = reference(START, GRADS, lr=0.1)
    np.testing.assert_allclose(p.detach().double().numpy(), expected, rtol=tolerance, atol=tolerance)


def test_views_and_transposed_gradients() -> None:
    """Parameters that are not contiguous, and gradients that are not, are changed alike."""
    for options in ({"lr": 0.1, "momentum": 0.9}, {"lr": 0.1}):
        p = sg.from_numpy(START.copy()).t().requires_grad_()
        q = sg.from_numpy(START.copy()).requires_grad_()
        first, second = sg.optim.SGD([p], **options), sg.optim.SGD([q], **options)
        for g in GRADS:
            p.grad, q.grad = sg.from_numpy(g).t(), sg.from_numpy(np.asfortranarray(g))
            first.step()
            second.step()
        expected = _sgd(START, GRADS, **options)
        np.testing.assert_allclose(p.detach().numpy().T, expected, rtol=1e-12)
        np.testing.assert_allclose(q.detach().numpy(), expected, rtol=1e-12)


def test_complex_parameters(lib: Any) -> None:
    """A complex parameter is changed like its real and imaginary parts."""
    z = START + 1j * START[::-1]
    for name, reference in (("SGD", _sgd), ("Adam", _adam)):
        p = lib.from_numpy(z.copy()).requires_grad_()
        optimizer = getattr(lib.optim, name)([p], lr=0.1)
        for g in GRADS:
            p.grad = lib.from_numpy(g + 2j * g)
            optimizer.step()
        expected = reference(z.real, GRADS, lr=0.1) + 1j * reference(z.imag, [2 * g for g in GRADS], lr=0.1)
        np.testing.assert_allclose(p.detach().numpy(), expected, rtol=1e-9)


def test_step_counts_as_a_write(lib: Any) -> None:
    """Backward through a graph that saved a parameter notices that a step changed it."""
    p = lib.ones(3, requires_grad=True)
    optimizer = lib.optim.SGD([p], lr=0.1)
    y = (p * p).sum()
    p.grad = lib.ones(3)
    optimizer.step()
    with pytest.raises(RuntimeError, match="modified by an in-?place operation"):
        y.backward()


def test_gradient_of_another_size_is_no_crash() -> None:
    """A parameter whose data was replaced by a larger tensor does not make the kernel read past the gradient."""
    p = sg.ones(3, requires_grad=True)
    p.grad = sg.ones(3)
    p.data = sg.ones(1000)
    with pytest.raises(RuntimeError):
        sg.optim.SGD([p], lr=0.1).step()


def test_parameters_without_gradient_stay(lib: Any) -> None:
    """A step leaves what has no gradient, and keeps no state for it."""
    p, q = lib.ones(1, requires_grad=True), lib.ones(1, requires_grad=True)
    optimizer = lib.optim.Adam([p, q], lr=0.1)
    p.sum().backward()
    optimizer.step()
    assert q.item() == 1 and q not in optimizer.state and p in optimizer.state


def test_groups(lib: Any) -> None:
    """Each group has its own hyperparameters, and those it lacks are the defaults."""
    p, q, r = (lib.ones(1, requires_grad=True) for _ in range(3))
    optimizer = lib.optim.SGD([{"params": [p]}, {"params": q, "lr": 0.5}], lr=0.1)
    optimizer.add_param_group({"params": (x for x in [r]), "lr": 1.0, "weight_decay": 1.0})
    for x in (p, q, r):
        x.grad = lib.ones(1)
    optimizer.step()
    assert [x.item() for x in (p, q, r)] == pytest.approx([0.9, 0.5, -1.0])
    assert [group["momentum"] for group in optimizer.param_groups] == [0, 0, 0]


def test_named_parameters(lib: Any) -> None:
    """Pairs of a name and a tensor leave the names in the group."""
    m = lib.nn.Linear(1, 1)
    optimizer = lib.optim.SGD(m.named_parameters(), lr=0.1)
    assert optimizer.param_groups[0]["param_names"] == ["weight", "bias"]
    assert optimizer.param_groups[0]["params"][0] is m.weight
    with pytest.raises(ValueError, match="with/without names"):
        optimizer.add_param_group({"params": [lib.ones(1, requires_grad=True)]})


def test_bad_parameters(lib: Any) -> None:
    """What cannot be optimized is refused with its reason."""
    p = lib.ones(1, requires_grad=True)
    cases: list[tuple[Any, type, str]] = [
        ([], ValueError, "optimizer got an empty parameter list"),
        (p, TypeError, "should be an iterable of Tensors or dicts"),
        ([3], TypeError, "can only optimize Tensors, but one of the params is int"),
        ([p * 2], ValueError, "can't optimize a non-leaf Tensor"),
        ([{"params": {p}}], TypeError, "organized in ordered collections"),
        ([{"params": [p]}, {"params": [p]}], ValueError, "appear in more than one parameter group"),
    ]
    for params, error, message in cases:
        with pytest.raises(error, match=message):
            lib.optim.SGD(params, lr=0.1)
    with pytest.raises(TypeError, match="param_group must be a dict"):
        lib.optim.SGD([p], lr=0.1).add_param_group([p])
    with pytest.warns(UserWarning, match="duplicate parameters"):
        lib.optim.SGD([p, p], lr=0.1)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("SGD", {"lr": -1}, "Invalid learning rate: -1"),
        ("SGD", {"momentum": -1}, "Invalid momentum value: -1"),
        ("SGD", {"weight_decay": -1}, "Invalid weight_decay value: -1"),
        ("SGD", {"nesterov": True}, "Nesterov momentum requires a momentum and zero dampening"),
        ("Adam", {"lr": -1.0}, "Invalid learning rate: -1.0"),
        ("Adam", {"betas": (1.0, 0.9)}, "Invalid beta parameter at index 0: 1.0"),
        ("AdamW", {"betas": (0.9, -1)}, "Invalid beta parameter at index 1: -1"),
        ("Adam", {"eps": -1}, "Invalid epsilon value: -1"),
        ("AdamW", {"weight_decay": -1}, "Invalid weight_decay value: -1"),
    ],
)
def test_bad_hyperparameters(lib: Any, name: str, options: dict[str, Any], message: str) -> None:
    """A hyperparameter out of range is named with its value."""
    with pytest.raises(ValueError, match=message):
        getattr(lib.optim, name)([lib.ones(1, requires_grad=True)], **options)


def test_tensor_learning_rate(lib: Any) -> None:
    """The step size may be a tensor."""
    p = lib.ones(1, requires_grad=True)
    p.grad = lib.ones(1)
    lib.optim.SGD([p], lr=lib.tensor(0.25)).step()
    assert p.item() == 0.75


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
def test_state_dict_continues(lib: Any, name: str) -> None:
    """A loaded optimizer goes on as the saved one would have, and shares nothing with it."""
    options = {"lr": 0.1, "momentum": 0.9} if name == "SGD" else {"lr": 0.1, "amsgrad": True}
    p, optimizer = _steps(lib, name, options, lib.float64)
    q = p.detach().clone().requires_grad_()
    other = getattr(lib.optim, name)([q], lr=7.0)
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    assert other.param_groups[0]["lr"] == 0.1
    for x, o in ((p, optimizer), (q, other)):
        x.grad = lib.from_numpy(GRADS[0])
        o.step()
    assert (p == q).all()


def test_state_dict_format(lib: Any) -> None:
    """State by number of the parameter, groups with numbers in place of tensors."""
    p, q = lib.ones(1, requires_grad=True), lib.ones(1, requires_grad=True)
    optimizer = lib.optim.Adam([{"params": [p]}, {"params": [q], "lr": 0.5}])
    q.grad = lib.ones(1)
    optimizer.step()
    state = optimizer.state_dict()
    assert [group["params"] for group in state["param_groups"]] == [[0], [1]]
    assert [group["lr"] for group in state["param_groups"]] == [1e-3, 0.5]
    assert list(state["state"]) == [1]
    assert list(state["state"][1]) == ["step", "exp_avg", "exp_avg_sq"]
    assert state["state"][1]["step"].item() == 1


def test_loaded_state_is_a_copy() -> None:
    """Two optimizers that loaded the same dict do not share their state."""
    p, optimizer = _steps(sg, "Adam", {}, sg.float64)
    other = sg.optim.Adam([p.detach().clone().requires_grad_()])
    other.load_state_dict(optimizer.state_dict())
    mine, theirs = next(iter(optimizer.state.values())), next(iter(other.state.values()))
    before = theirs["exp_avg"].clone()
    mine["exp_avg"].fill_(0)
    assert (theirs["exp_avg"] == before).all() and theirs["step"] is not mine["step"]


def test_loading_converts(lib: Any) -> None:
    """State is converted to the parameter's dtype; the number of steps is not."""
    _, optimizer = _steps(lib, "Adam", {}, lib.float64)
    q = lib.ones(3, 4, requires_grad=True)
    other = lib.optim.Adam([q])
    other.load_state_dict(optimizer.state_dict())
    assert other.state[q]["exp_avg"].dtype == lib.float32 and other.state[q]["step"].item() == 6
    q.grad = lib.ones(3, 4)
    other.step()


def test_loading_mismatch(lib: Any) -> None:
    """Groups must agree in number and size."""
    p, q = lib.ones(1, requires_grad=True), lib.ones(1, requires_grad=True)
    state = lib.optim.SGD([p, q]).state_dict()
    with pytest.raises(ValueError, match="doesn't match the size of optimizer's group"):
        lib.optim.SGD([p]).load_state_dict(state)
    with pytest.raises(ValueError, match="different number of parameter groups"):
        lib.optim.SGD([{"params": [p]}, {"params": [q]}]).load_state_dict(state)


def test_state_dict_hooks(lib: Any) -> None:
    """Hooks around saving and loading run in order and may replace the dict."""
    optimizer = lib.optim.SGD([lib.ones(1, requires_grad=True)], lr=0.1)
    order: list[str] = []
    optimizer.register_state_dict_pre_hook(lambda o: order.append("pre"))
    optimizer.register_state_dict_post_hook(lambda o, state: {**state, "extra": 1})
    optimizer.register_load_state_dict_pre_hook(lambda o, state: order.append(f"load {state['extra']}"))
    optimizer.register_load_state_dict_post_hook(lambda o: order.append("loaded"))
    handle = optimizer.register_load_state_dict_post_hook(lambda o: order.append("first"), prepend=True)
    optimizer.load_state_dict(optimizer.state_dict())
    assert order == ["pre", "load 1", "first", "loaded"]
    handle.remove()


def test_step_hooks(lib: Any) -> None:
    """Hooks run before and after step; a pre-hook may replace the arguments."""
    optimizer = lib.optim.SGD([lib.ones(1, requires_grad=True)], lr=0.1)
    order: list[Any] = []
    optimizer.register_step_pre_hook(lambda o, args, kwargs: order.append((args[0] is o if args else False, kwargs)))
    optimizer.register_step_post_hook(lambda o, args, kwargs: order.append("post"))
    optimizer.step()
    assert order[-1] == "post" and len(order) == 2
    optimizer.register_step_pre_hook(lambda o, args, kwargs: 3)
    with pytest.raises(RuntimeError, match="must return None or a tuple"):
        optimizer.step()


def test_closure(lib: Any) -> None:
    """step computes the loss by a closure, with gradients, also under no_grad, and returns it."""
    p = lib.ones(1, requires_grad=True)
    optimizer = lib.optim.SGD([p], lr=0.1)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    with lib.no_grad():
        assert optimizer.step(closure).item() == 1
    assert p.item() == pytest.approx(0.8)


def test_zero_grad(lib: Any) -> None:
    """Gradients become None, or zeros."""
    p = lib.ones(1, requires_grad=True)
    optimizer = lib.optim.SGD([p], lr=0.1)
    p.sum().backward()
    optimizer.zero_grad(set_to_none=False)
    assert p.grad.item() == 0
    optimizer.zero_grad()
    assert p.grad is None


def test_own_optimizer(lib: Any) -> None:
    """A subclass defines step and reads its groups; required defaults must be given."""

    class Sign(lib.optim.Optimizer):  # type: ignore[name-defined, misc]
        def __init__(self, params: Any, lr: float) -> None:
            super().__init__(params, {"lr": lr})

        def step(self, closure: Any = None) -> None:
            with lib.no_grad():
                for group in self.param_groups:
                    for p in group["params"]:
                        p -= group["lr"] * p.grad.sign()

    p = lib.ones(1, requires_grad=True)
    p.grad = lib.full((1,), 5.0)
    optimizer = Sign([p], 0.25)
    seen: list[int] = []
    optimizer.register_step_post_hook(lambda *a: seen.append(1))
    optimizer.step()
    assert p.item() == 0.75 and seen == [1]


def test_deepcopy_and_repr(lib: Any) -> None:
    """Optimizers can be copied, and print their groups."""
    optimizer = lib.optim.SGD([{"params": [lib.ones(1, requires_grad=True)]}], lr=0.1)
    assert copy.deepcopy(optimizer).param_groups[0]["lr"] == 0.1
    text = repr(optimizer)
    assert text.startswith("SGD (\nParameter Group 0\n    dampening: 0\n") and "    lr: 0.1\n" in text
