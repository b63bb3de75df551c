"""Parameter groups of an optimizer: checked before they are added."""

from __future__ import annotations

from typing import Any

from ...generated.tensor import Tensor
from ...runtime.errors import type_name
from ...runtime.user_warning import warn_user


def check_group(group: dict[str, Any], others: list[dict[str, Any]], differentiable: bool = False) -> dict[str, Any]:
    """A copy of the group with a list of leaf tensors under "params", none of them in another group.

    Pairs of a name and a tensor are taken apart: the names go to "param_names". Steps that are `differentiable` change
    tensors that were computed, too.
    """
    group = dict(group)
    given = group["params"]
    if isinstance(given, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
            "will change between runs. Please use a list instead."
        )
    members = [given] if isinstance(given, Tensor) else list(given)
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
