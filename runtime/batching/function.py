"""Custom Functions under vmap: by the user's own rule, the static method `vmap`, or by one that is generated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..autograd.custom.function import Function
from ..autograd.forward.tangents import levels_of
from ..modes.grad_mode import mode
from ..modes.intercept import NOT_HANDLED
from ..pytree import flatten, unflatten
from ..tensor.base import TensorBase
from .function_rule import Plan, VmapInfo, as_examples, by_own_rule, generated
from .intercept import innermost
from .levels import outside, running_levels
from .tensor import level_of, whole, wrap

_HELP = "See 'Extending torch.func with autograd.Function' in PyTorch's documentation"


def apply_batched(cls: Any, args: tuple[Any, ...]) -> Any:
    """A call with examples of a batch among its arguments; NOT_HANDLED where there are none."""
    leaves, spec = flatten(args)
    level, size = innermost(leaves)
    if not level:
        return NOT_HANDLED
    values = [_outside(leaf, level, size) for leaf in leaves]
    if cls.setup_context is Function.setup_context and not (mode.grad or levels_of(_tensors(values))):
        return NOT_HANDLED  # nothing is differentiated: forward computes on examples as any function does
    _check_rule(cls)
    batched = [value is not leaf for value, leaf in zip(values, leaves, strict=True)]
    info = VmapInfo(size, next((r.randomness for r in running_levels() if r.number == level), "error"))
    with outside(level):
        return _by_rule(cls, Plan(cls, info, level, batched, spec), values)


def _by_rule(cls: Any, plan: Plan, values: list[Any]) -> Any:
    """The result for whole batches, as examples of the level that the call is in."""
    if not cls.generate_vmap_rule:
        returned = by_own_rule(cls, plan.info, plan.batched, plan.spec, values)
        if not _is_cut_off(values, returned):
            return as_examples(returned, plan.level)
        plan.returned = NOT_HANDLED if innermost(values)[0] else returned
    results = generated(cls).apply(plan, *values)
    found = [wrap(r, plan.level) if b else r for r, b in zip(results, plan.out_batched, strict=True)]
    return unflatten(found, plan.out_spec)


def _is_cut_off(values: Sequence[Any], returned: Any) -> bool:
    """Whether derivatives get lost in the user's rule, as in one that computes with NumPy: backward knows them."""
    given, outputs = _tensors(values), _tensors(flatten(returned)[0])
    recorded = mode.grad and any(v._rg for v in given) and not any(o._rg for o in outputs)
    return recorded or bool(levels_of(given) and not levels_of(outputs))


def _check_rule(cls: Any) -> None:
    """A Function under vmap has one rule."""
    if cls.setup_context is Function.setup_context:
        raise RuntimeError(
            f"{cls.__name__}: In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, "
            f"...), it must override the setup_context staticmethod. {_HELP}"
        )
    if cls.generate_vmap_rule and cls.vmap is not Function.vmap:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden vmap "
            "staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid "
            f"ambiguity. {_HELP}"
        )
    if not cls.generate_vmap_rule and cls.vmap is Function.vmap:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and implement "
            f"the vmap staticmethod or set generate_vmap_rule=True. {_HELP}"
        )


def _outside(leaf: Any, level: int, size: int) -> Any:
    """The whole batch of an argument, in front; the argument itself where it is the same for all examples."""
    if not isinstance(leaf, TensorBase):
        return leaf
    tangents = (leaf._tangent or {}).values()
    return whole(leaf, level, size) if max(map(level_of, (leaf, *tangents))) >= level else leaf


def _tensors(values: Sequence[Any]) -> list[Any]:
    return [v for v in values if isinstance(v, TensorBase)]
