"""Optimizer, the base class: hyperparameters and their checks, parameter groups, hooks around step."""

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from functools import wraps
from itertools import chain
from typing import Any

import numpy as np

from ...generated.tensor import Tensor
from ...runtime.autograd.accumulate_grad import forget_gradients
from ...runtime.autograd.hooks import RemovableHandle, add_hook
from ...runtime.errors import type_name, warn_user
from ...runtime.extensions.profiler.named_ranges import record_function
from ...runtime.methods import argument_guard
from ...runtime.tensor.observers import watch
from .state import OptimizerState

ParamsT = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
_NAMES_IN_ERRORS = {"lr": "learning rate", "eps": "epsilon value"}  # of the other names errors say "... value"


def check_not_negative(name: str, value: Any) -> None:
    if isinstance(value, Tensor) and value.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not isinstance(value, (int, float, np.number, Tensor)):
        raise TypeError(f"{name} must be a number, not {type_name(value)}")
    if not value >= 0:
        raise ValueError(f"Invalid {name}: {value}")


def check_betas(betas: Any) -> None:
    if not isinstance(betas, (tuple, list)) or len(betas) != 2:
        raise TypeError(f"betas must be a pair of numbers, not {betas!r}")
    for position, beta in enumerate(betas):
        check_not_negative(f"beta parameter at index {position}", beta)
        if not beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {position}: {beta}")


def hyperparameters(arguments: dict[str, Any]) -> dict[str, Any]:
    """The hyperparameters among the `locals()` of an optimizer's constructor."""
    return {name: value for name, value in arguments.items() if name not in ("self", "params", "__class__")}


def checked(arguments: dict[str, Any], *not_negative: str) -> dict[str, Any]:
    """The constructor's arguments, the defaults of groups, once it is known that those named are not negative."""
    result = hyperparameters(arguments)
    for name in not_negative:
        check_not_negative(_NAMES_IN_ERRORS.get(name, f"{name} value"), result[name])
    if "betas" in result:
        check_betas(result["betas"])
    if result.get("fused") and result["differentiable"]:  # autograd does not look into a kernel
        raise RuntimeError("`fused` does not support `differentiable`")
    if result.get("fused") and result["foreach"]:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
    return result


Hook = Callable[..., Any]

_before_all: OrderedDict[int, Hook] = OrderedDict()  # around the steps of all optimizers
_after_all: OrderedDict[int, Hook] = OrderedDict()


def register_optimizer_step_pre_hook(hook: Hook) -> RemovableHandle:
    """Call a function before each step of every optimizer.

    Args:
        hook: called as `hook(optimizer, args, kwargs)`; it may return new (args, kwargs).
    """
    return add_hook(_before_all, hook)


def register_optimizer_step_post_hook(hook: Hook) -> RemovableHandle:
    """Call a function after each step of every optimizer.

    Args:
        hook: called as `hook(optimizer, args, kwargs)`.
    """
    return add_hook(_after_all, hook)


def with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """`step` with the hooks around it, and a note for schedulers that it was called."""

    @wraps(step)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        if "_optimizer_step_pre_hooks" not in self.__dict__:  # around an optimizer, and made without `__init__`
            return step(self, *args, **kwargs)
        self._opt_called = True
        own_before, own_after = self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks
        try:
            if not (own_before or own_after or watch.active or _before_all or _after_all):
                return step(self, *args, **kwargs)
            return _between_hooks(step, self, args, kwargs)
        except Exception as error:
            argument_guard.leave(step, error, (self, *args), kwargs)
            raise

    argument_guard.guards.add(wrapper.__code__)  # type: ignore[attr-defined]
    wrapper.hooked = True  # type: ignore[attr-defined]
    return wrapper


def _between_hooks(step: Callable[..., Any], optimizer: Any, args: Any, kwargs: Any) -> Any:
    with named(optimizer, "step"):
        for hook in list(chain(_before_all.values(), optimizer._optimizer_step_pre_hooks.values())):
            args, kwargs = _new_arguments(hook(optimizer, args, kwargs), args, kwargs)
        result = step(optimizer, *args, **kwargs)
        for hook in list(chain(optimizer._optimizer_step_post_hooks.values(), _after_all.values())):
            hook(optimizer, args, kwargs)
    return result


def named(optimizer: Any, method: str) -> record_function:
    """A profiler event for a method of an optimizer, whose kernels are not ops."""
    return record_function(f"Optimizer.{method}#{type(optimizer).__name__}.{method}")


def _new_arguments(result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if result is None:
        return args, kwargs
    if not isinstance(result, tuple) or len(result) != 2:
        raise RuntimeError(f"step pre-hook must return None or a tuple of (new_args, new_kwargs), but got {result}.")
    return result


Closure = Callable[[], Any]

required: Any = object()  # a default that every parameter group must give itself

_UNNAMED = nullcontext()

_HOOK_TABLES = (
    "_optimizer_step_pre_hooks",
    "_optimizer_step_post_hooks",
    "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks",
    "_optimizer_load_state_dict_pre_hooks",
    "_optimizer_load_state_dict_post_hooks",
)


class Optimizer(OptimizerState):
    """Base class of optimizers.

    A subclass passes its hyperparameters to `__init__` and defines `step`, which reads `param_groups` and keeps what it
    needs per parameter in `state`.

    Args:
        params: tensors, or pairs of a name and a tensor, or dicts that define parameter groups: the tensors under
            "params" and hyperparameters that differ from the defaults.
        defaults: hyperparameters of groups that do not give their own.

    Attributes:
        param_groups: a list of dicts: "params" and hyperparameters.
        state: what the rule keeps for each parameter.

    Example:
        >>> class SignDescent(sg.optim.Optimizer):
        ...     def __init__(self, params, lr=0.1):
        ...         super().__init__(params, {"lr": lr})
        ...     @sg.no_grad()
        ...     def step(self, closure=None):
        ...         for group in self.param_groups:
        ...             for p in group["params"]:
        ...                 p -= group["lr"] * p.grad.sign()
        >>> w = sg.tensor([1.0, -1.0], requires_grad=True)
        >>> (w * w).sum().backward()
        >>> SignDescent([w]).step()
        >>> w
        tensor([ 0.9000, -0.9000], requires_grad=True)
    """

    param_groups: list[dict[str, Any]]
    state: defaultdict[Any, Any]
    _optimizer_step_pre_hooks: OrderedDict[int, Hook]
    _optimizer_step_post_hooks: OrderedDict[int, Hook]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in cls.__dict__:
            cls.step = with_hooks(cls.__dict__["step"])  # type: ignore[method-assign]

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._make_hook_tables()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + type_name(params)
            )
        self.state = defaultdict(dict)
        self.param_groups = []
        groups: list[Any] = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def step(self, closure: Closure | None = None) -> Any:
        """Change the parameters once; what the `closure`, which computes the loss again, has returned.

        The closure is called with gradients recorded.
        """
        raise NotImplementedError(f"{type(self).__name__} defines no step")

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters with hyperparameters of its own; missing ones are the defaults.

        A TypeError where `param_group` is no dict with "params" that are tensors. A ValueError where one is no leaf or
        is in another group, or a required hyperparameter is missing.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        group = check_group(param_group, self.param_groups, bool(self.defaults.get("differentiable")))
        for name, default in self.defaults.items():
            if default is required and name not in group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            group.setdefault(name, default)
        self.param_groups.append(group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or with `set_to_none=False` fill those tensors with zeros."""
        with named(self, "zero_grad") if watch.active else _UNNAMED:
            for group in self.param_groups:
                forget_gradients(group["params"], set_to_none)

    # ---- hooks -------------------------------------------------------------------------------------------------

    def register_step_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step; it may return new (args, kwargs)."""
        return add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Hook) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return add_hook(self._optimizer_step_post_hooks, hook)

    def _make_hook_tables(self) -> None:
        for table in _HOOK_TABLES:
            self.__dict__.setdefault(table, OrderedDict())

    profile_hook_step = staticmethod(with_hooks)

    def _patch_step_function(self) -> None:
        """Put hooks around the class's step where it has none: for optimizers around others."""
        if not getattr(type(self).step, "hooked", False):
            type(self).step = with_hooks(type(self).step)  # type: ignore[method-assign]

    # ---- copying and printing ----------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_hook_tables()

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines += ["", f"Parameter Group {number}"] if number else [f"Parameter Group {number}"]
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name != "params"]
        return "\n".join([*lines, ")"])


def check_group(group: dict[str, Any], others: list[dict[str, Any]], differentiable: bool = False) -> dict[str, Any]:
    """A copy of the group with a list of leaf tensors under "params", none of them in another group.

    Pairs of a name and a tensor are taken apart: the names go to "param_names". Steps that are `differentiable` change
    tensors that were computed, too.
    """
    group = dict(group)
    params = group["params"]
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
            "will change between runs. Please use a list instead."
        )
    members = [params] if isinstance(params, Tensor) else list(params)
    names = [member[0] for member in members if isinstance(member, tuple)]
    if names and len(names) != len(members):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    group["params"] = [member[1] for member in members] if names else members
    if names:
        group["param_names"] = names
    is_named = "param_names" in group
    if any(("param_names" in other) != is_named for other in others):
        raise ValueError(
            "all optimizer param groups should be with/without names. "
            f"cannot add param group with{'' if is_named else 'out'} names to the optimizer"
        )
    _check_params(group["params"], others, differentiable)
    return group


def _check_params(params: list[Any], others: list[dict[str, Any]], differentiable: bool) -> None:
    for param in params:
        if not isinstance(param, Tensor):
            raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type_name(param)}")
        if not (param.is_leaf or param.retains_grad or differentiable):
            raise ValueError("can't optimize a non-leaf Tensor")
    own = {id(param) for param in params}
    if len(own) != len(params):
        warn_user(
            "optimizer contains a parameter group with duplicate parameters; each of them is changed several times "
            "in a step"
        )
    if any(id(param) in own for other in others for param in other["params"]):
        raise ValueError("some parameters appear in more than one parameter group")
