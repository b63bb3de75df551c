"""`fully_shard`, and what modules can do that it has been called on."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from ....runtime.extensions.distributed.groups.process_group import ProcessGroup
from ....runtime.extensions.distributed.world import get_default_group
from ...modules.container import ModuleDict, ModuleList
from ...modules.module.base import Module
from .memory import ParameterGroup
from .passes import Sharding, call_as_forward
from .policies import MixedPrecisionPolicy, OffloadPolicy
from .sharded_parameter import MARK, members_of


class UnshardHandle:
    """A gathering under way.

    Args:
        group: whose parameters are gathered; None where there are none.
    """

    def __init__(self, group: ParameterGroup | None) -> None:
        self._group = group

    def wait(self) -> None:
        if self._group is not None:
            self._group.show()
            self._group = None


class FSDPModule:
    """What `fully_shard` adds to the class of a module."""

    def _sharding(self) -> Sharding:
        return self.__dict__[MARK]

    def _shardings(self, recurse: bool = True) -> Iterator[Sharding]:
        for module in self.modules() if recurse else [self]:  # type: ignore[attr-defined]
            if MARK in module.__dict__:
                yield module.__dict__[MARK]

    def unshard(self, async_op: bool = False) -> UnshardHandle | None:
        """Gather the parameters of this module, but not of sharded modules inside it; all ranks call this.

        With `async_op` the call returns at once, what to wait for; a forward pass waits by itself. A DistBackendError
        where other ranks did not come in time, called something else, or have failed.
        """
        group = self._sharding().group
        if group is not None:
            group.pinned = True
            group.memory.begin()
        handle = UnshardHandle(group)
        if async_op:
            return handle
        handle.wait()
        return None

    def reshard(self) -> None:
        """Leave this module this rank's rows of its parameters, and give the memory of the others back."""
        group = self._sharding().group
        if group is not None:
            group.reshard()

    def set_is_last_backward(self, is_last_backward: bool) -> None:
        """Has no effect: nothing is put off until the last backward pass before a step."""

    def set_requires_gradient_sync(self, requires_gradient_sync: bool, *, recurse: bool = True) -> None:
        """Choose whether backward joins gradients with other ranks', or adds them up here, as whole gradients.

        With `requires_gradient_sync` what was added up is joined with the next; `recurse`: also for modules inside.
        """
        for state in self._shardings(recurse):
            if state.group is not None:
                state.group.syncs = requires_gradient_sync

    def set_requires_all_reduce(self, requires_all_reduce: bool, *, recurse: bool = True) -> None:
        """Has no effect: there is one dimension of ranks, over which gradients are joined once."""

    def set_reshard_after_forward(self, reshard_after_forward: bool, recurse: bool = True) -> None:
        """Choose whether whole parameters are given back after forward, and gathered again for backward.

        `reshard_after_forward` is a bool, else a ValueError; `recurse`: also for sharded modules inside this one.
        """
        if not isinstance(reshard_after_forward, bool):
            raise ValueError(f"reshard_after_forward should be a bool, got {type(reshard_after_forward)}")
        for state in self._shardings(recurse):
            state.reshards = reshard_after_forward

    def set_reshard_after_backward(self, reshard_after_backward: bool, *, recurse: bool = True) -> None:
        """Choose whether whole parameters are given back after backward; the next forward pass gathers anew.

        `reshard_after_backward` says so; `recurse`: also for sharded modules inside this one.
        """
        for state in self._shardings(recurse):
            if state.group is not None:
                state.group.reshards_after_backward = reshard_after_backward

    def set_unshard_in_backward(self, unshard_in_backward: bool) -> None:
        """With `unshard_in_backward` backward gathers the parameters: for gradients that need their values."""
        self._sharding().unshards_in_backward = unshard_in_backward

    def set_modules_to_forward_prefetch(self, modules: "Sequence[FSDPModule]") -> None:
        """Begin to gather the parameters of `modules`, the same on all ranks, when this one computes."""
        self._sharding().next_forward = [module._sharding() for module in _sharded(modules)]

    def set_modules_to_backward_prefetch(self, modules: "Sequence[FSDPModule]") -> None:
        """Begin to gather the parameters of `modules`, the same on all ranks, when backward comes to this one.

        Without it, those of the one before are gathered.
        """
        self._sharding().next_backward = [module._sharding() for module in _sharded(modules)]

    def set_gradient_divide_factor(self, factor: float) -> None:
        """Divide sums of gradients over ranks by `factor`, instead of by how many ranks there are."""
        for state in self._shardings(recurse=False):
            if state.group is not None:
                state.group.divisor = float(factor)

    set_reduce_scatter_divide_factor = set_gradient_divide_factor

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        raise AssertionError("FSDP does not support deepcopy. Please use state dict for serialization.")


def _sharded(modules: Iterable[Any]) -> list[FSDPModule]:
    matches = list(modules)
    wrong = next((one for one in matches if not isinstance(one, FSDPModule)), None)
    if wrong is not None:
        raise ValueError(f"_set_modules_to_prefetch expects a sequence of FSDPModule, but got {type(wrong).__name__}")
    return matches


@cache
def _class_of(cls: type) -> type:
    return type(f"FSDP{cls.__name__}", (FSDPModule, cls), {"__module__": cls.__module__, "__doc__": cls.__doc__})


def fully_shard(
    module: Any,
    *,
    mesh: Any = None,
    reshard_after_forward: bool | int | None = None,
    shard_placement_fn: Callable[[Any], Any] | None = None,
    mp_policy: MixedPrecisionPolicy | None = None,
    offload_policy: OffloadPolicy | None = None,
    ignored_params: set[Any] | None = None,
) -> Any:
    """Leave each rank some rows of a module's parameters, and so of their gradients and optimizer states.

    Parameters are gathered before the module computes, and given back after it; before backward they are gathered
    again, and afterwards gradients are averaged over ranks, each of which keeps those of its rows. Call it on the parts
    of a model first, such as its blocks, and then on the model: each call is for the parameters that are left. All
    ranks need the same parameters when they call it. Optimizers are made afterwards.

    Formula: grad[rows of rank r] = (grad of rank 0 + ... + grad of rank n-1)[rows of rank r] / n

    Args:
        module: the module, or several that compute one after the other; changed in place.
        mesh: the process group, or a one-dimensional DeviceMesh; the default group when left out.
        reshard_after_forward: whether whole parameters are given back after forward; None: but for the outermost
            module. A number counts as True.
        shard_placement_fn: may give None or a Shard(0) for a parameter: rows are what is shared out.
        mp_policy: in which dtypes the module computes and gradients are joined.
        offload_policy: parameters lie where they are.
        ignored_params: parameters that stay whole.

    Returns: The module, whose class is now also an FSDPModule.

    Raises:
        ValueError: there is no process group, the module does not compute, or a parameter is a number.
        AssertionError: the module is sharded already.
        NotImplementedError: more than rows of one group are to be shared out.
        DistBackendError: the ranks have other parameters.

    Source: Zhao et al., PyTorch FSDP: experiences on scaling fully sharded data parallel (2023).

    Example:
        >>> from specgrad.distributed.fsdp import FSDPModule
        >>> isinstance(sg.nn.Linear(1, 1), FSDPModule)
        False
    """
    modules = list(module) if isinstance(module, list | tuple) else [module]
    for one in modules:
        _check(one)
    ranks = group_of(mesh)
    if isinstance(reshard_after_forward, int) and not isinstance(reshard_after_forward, bool):
        if reshard_after_forward < 1 or ranks.size() % reshard_after_forward:
            raise ValueError(
                f"If passing reshard_after_forward as an int, it should be a factor of {ranks.size()}, not "
                f"{reshard_after_forward}"
            )
        reshard_after_forward = True
    ignored = {id(one) for one in ignored_params or ()}
    if shard_placement_fn is not None:
        _check_placements(modules, shard_placement_fn)
    members = members_of(modules, ignored, ranks)
    policy = mp_policy or MixedPrecisionPolicy()
    group = ParameterGroup(members, ranks, policy) if members else None
    Sharding(modules, group, policy, reshard_after_forward)
    for one in modules:
        kind: Any = type(one)
        one.__class__ = _class_of(kind)
    return module


def _check(module: Any) -> None:
    if not isinstance(module, Module):
        raise TypeError(f"fully_shard expects a Module, but got {type(module).__name__}")
    if isinstance(module, ModuleList | ModuleDict):
        raise ValueError(f"fully_shard does not support containers that do not implement forward: {module}")
    if MARK in module.__dict__:
        raise AssertionError(
            "Each distinct composable distributed API can only be applied to a module once. fully_shard has already "
            f"been applied to the following module:\n{module}"
        )


def group_of(mesh: Any) -> ProcessGroup:
    """The ranks that a mesh of one dimension, or a group, stands for."""
    if mesh is None:
        return get_default_group()
    if isinstance(mesh, ProcessGroup):
        return mesh
    if getattr(mesh, "ndim", 1) != 1:
        raise NotImplementedError(f"fully_shard(): a mesh of one dimension is supported, not of {mesh.ndim}")
    if not hasattr(mesh, "get_group"):
        raise TypeError(f"fully_shard(): expected a process group or a mesh of ranks, but got {type(mesh).__name__}")
    return mesh.get_group()


def _check_placements(modules: list[Any], placement: Callable[[Any], Any]) -> None:
    for module in modules:
        for name, parameter in module.named_parameters():
            result = placement(parameter)
            if result is not None and getattr(result, "dim", 0) != 0:
                raise NotImplementedError(
                    f"fully_shard: {name} is to be cut as {result}; rows, Shard(0), are supported"
                )


def register_fsdp_forward_method(module: Any, method_name: str) -> None:
    """Let the method `method_name` of a sharded `module` be called as its forward pass: with whole parameters.

    A module that is not sharded is left as it is. A ValueError where there is no such method.
    """
    if not isinstance(module, FSDPModule):
        return
    if not hasattr(module, method_name):
        raise ValueError(f"{type(module)} does not have a method {method_name}")
    module.__dict__[method_name] = call_as_forward(module, method_name, getattr(module, method_name))
