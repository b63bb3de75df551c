"""Parameter groups, hyperparameters, hooks and closures of optimizers."""

import importlib
from collections import OrderedDict
from typing import Any

import pytest


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


def test_hooks_of_all_optimizers(lib: Any) -> None:
    """Hooks that are registered for every optimizer run around its own, until they are removed."""
    module = importlib.import_module(f"{lib.__name__}.optim.optimizer")
    order: list[str] = []
    handles = [
        module.register_optimizer_step_pre_hook(lambda optimizer, args, kwargs: order.append("before all")),
        module.register_optimizer_step_post_hook(lambda optimizer, args, kwargs: order.append("after all")),
    ]
    optimizer = lib.optim.SGD([lib.ones(1, requires_grad=True)], lr=0.1)
    optimizer.register_step_pre_hook(lambda optimizer, args, kwargs: order.append("before"))
    optimizer.register_step_post_hook(lambda optimizer, args, kwargs: order.append("after"))
    optimizer.step()
    for handle in handles:
        handle.remove()
    optimizer.step()
    assert order == ["before all", "before", "after", "after all", "before", "after"]


def test_hooks_of_an_optimizer_around_another(lib: Any) -> None:
    """A class that calls no `__init__` has hooks around its step once it asks for them, however often it asks."""

    class Around(lib.optim.Optimizer):
        def __init__(self, inner: Any) -> None:
            self.inner, self.before, self.after = inner, OrderedDict(), OrderedDict()
            self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks = self.before, self.after
            self._patch_step_function()

        def step(self, closure: Any = None) -> Any:
            return self.inner.step(closure)

    p = lib.ones(1, requires_grad=True)
    p.grad = lib.ones(1)
    optimizer = Around(lib.optim.SGD([p], lr=0.25))
    optimizer._patch_step_function()
    seen: list[str] = []
    optimizer.register_step_post_hook(lambda *a: seen.append("post"))
    optimizer.step()
    assert (p.item(), seen) == (0.75, ["post"])
