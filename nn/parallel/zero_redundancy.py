"""`ZeroRedundancyOptimizer`: each rank has the state of some parameters alone, changes these, and tells the others."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.errors import type_name
from ...runtime.extensions.distributed import collectives
from ...runtime.extensions.distributed.objects import gather_object
from ...runtime.extensions.distributed.world import get_default_group
from ...runtime.tensor.grad_mode import no_grad
from ..optim import Optimizer
from ..utils.convert_parameters import unflatten_dense_tensors


class Partition:
    """The parameters of each rank, group by group."""

    def __init__(self, size: int) -> None:
        self.elements = [0] * size
        self.groups: list[list[list[Any]]] = []  # of each group the parameters of each rank
        self.memories: list[list[Any]] = [[] for _ in range(size)]  # of each rank, where its parameters are views

    def add(self, params: list[Any]) -> None:
        by_rank: list[list[Any]] = [[] for _ in self.elements]
        for param in sorted(params, key=lambda one: one.numel(), reverse=True):
            rank = self.elements.index(min(self.elements))
            by_rank[rank].append(param)
            self.elements[rank] += param.numel()
        self.groups.append(by_rank)

    def groups_of(self, rank: int, groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {**{name: value for name, value in group.items() if name != "param_names"}, "params": by_rank[rank]}
            for group, by_rank in zip(groups, self.groups, strict=True)
        ]

    def of(self, rank: int) -> list[Any]:
        return [param for by_rank in self.groups for param in by_rank[rank]]

    def numbers(self, groups: list[dict[str, Any]]) -> dict[int, int]:
        every = [param for group in groups for param in group["params"]]
        return {id(param): number for number, param in enumerate(every)}

    def share_memory(self) -> None:
        for rank in range(len(self.elements)):
            kinds: dict[Any, list[Any]] = {}
            for param in self.of(rank):
                kinds.setdefault((param.dtype, param.device), []).append(param)
            self.memories[rank] = [_flattened(params) for params in kinds.values()]

    def sent(self) -> Iterator[tuple[int, list[Any]]]:
        for rank, memories in enumerate(self.memories):
            yield rank, memories or [param.detach() for param in self.of(rank)]


def _flattened(params: list[Any]) -> Any:
    flat = params[0].detach().new_empty(sum(param.numel() for param in params))
    for param, param_view in zip(params, unflatten_dense_tensors(flat, params), strict=True):
        param_view.copy_(param.detach())
        param.data = param_view
    return flat


class ZeroRedundancyOptimizer(Optimizer):
    """An optimizer whose state lies on the ranks of a process group, a part on each.

    Parameters go to ranks by size: the next largest of a group to the rank that has fewest elements so far. Each rank
    makes the step of its own by an optimizer of the given class; then all get the new values. Parameters are those of
    that optimizer on one process, bit by bit, where gradients are the same on all ranks, as DistributedDataParallel
    makes them.

    Args:
        params: tensors, pairs of a name and a tensor, or dicts that define groups; the same on all ranks.
        optimizer_class: the class of optimizers.
        process_group: the ranks; the default group when left out.
        parameters_as_bucket_view: whether the parameters of a rank become views of one memory, which is sent at once.
        overlap_with_ddp: False: gradients are there before the step.
        **defaults: hyperparameters of `optimizer_class`.

    Raises:
        ValueError: there is no process group, or there are no parameters.
        NotImplementedError: `overlap_with_ddp`.
        TypeError: the parameters are none, or `optimizer_class` is no class of optimizers.

    Source: Rajbhandari et al., ZeRO: memory optimizations toward training trillion parameter models (2020).

    Example:
        >>> from specgrad.distributed.optim import ZeroRedundancyOptimizer
        >>> issubclass(ZeroRedundancyOptimizer, sg.optim.Optimizer)
        True
    """

    def __init__(
        self,
        params: Iterable[Any],
        optimizer_class: type[Optimizer],
        process_group: Any = None,
        parameters_as_bucket_view: bool = False,
        overlap_with_ddp: bool = False,
        **defaults: Any,
    ) -> None:
        if overlap_with_ddp:
            raise NotImplementedError(
                "ZeroRedundancyOptimizer: overlap_with_ddp=True is not there: leave it out, and call step() after "
                "backward()"
            )
        if not (isinstance(optimizer_class, type) and issubclass(optimizer_class, Optimizer)):
            raise TypeError(f"optimizer_class must be a class of optimizers, not {type_name(optimizer_class)}")
        self.process_group = get_default_group() if process_group is None else process_group
        self.parameters_as_bucket_view = parameters_as_bucket_view
        self.world_size, self.rank = self.process_group.size(), self.process_group.rank()
        self.partition = Partition(self.world_size)
        self.optim: Any = None
        self._gathered: list[dict[str, Any]] = []
        super().__init__(_checked(params), defaults)
        self._take_settings_of(optimizer_class(self.partition.groups_of(self.rank, self.param_groups), **defaults))
        self._share_memory()

    def _take_settings_of(self, optimizer: Optimizer) -> None:
        self.optim = optimizer
        self.defaults = optimizer.defaults
        _copy_settings(optimizer.param_groups, self.param_groups)

    def _share_memory(self) -> None:
        if self.parameters_as_bucket_view:
            with no_grad():
                self.partition.share_memory()

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group, `param_group`, whose parameters go to ranks as those before; errors as of `Optimizer`."""
        super().add_param_group(param_group)
        self.partition.add(self.param_groups[-1]["params"])
        if self.optim is not None:
            self.optim.add_param_group(self.partition.groups_of(self.rank, self.param_groups)[-1])
            _copy_settings(self.optim.param_groups[-1:], self.param_groups[-1:])
            self._share_memory()

    def step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        """Change this rank's parameters, and give all ranks the new values; all call this.

        The `closure` computes the loss again, with gradients recorded; what it returned is given. Other arguments are
        for the `step` of the optimizer. A DistBackendError where other ranks did not come in time, called something
        else, or failed.
        """
        _copy_settings(self.param_groups, self.optim.param_groups)
        loss = self.optim.step(**kwargs) if closure is None else self.optim.step(closure=closure, **kwargs)
        _copy_settings(self.optim.param_groups, self.param_groups)
        works = [
            collectives.broadcast(value, group=self.process_group, group_src=rank, async_op=True)
            for rank, values in self.partition.sent()
            for value in values
        ]
        for work in works:
            assert work is not None
            work.wait()
        return loss

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Bring the state of all parameters to the rank `to` of the group, where `state_dict()` then gives it.

        All ranks call this; a DistBackendError where others did not come in time, called something else, or failed.
        """
        _copy_settings(self.param_groups, self.optim.param_groups)
        every: list[Any] | None = [None] * self.world_size if self.rank == to else None
        gather_object(self.optim.state_dict(), every, group=self.process_group, group_dst=to)
        self._gathered = every or []

    def state_dict(self) -> dict[str, Any]:
        """The state of all parameters as `consolidate_state_dict` has brought it to this rank: that of one process."""
        if not self._gathered:
            raise RuntimeError(
                "Optimizer state has not been consolidated on this rank. Please call "
                f"`consolidate_state_dict(to={self.rank})` on all ranks beforehand if you meant to save the global "
                "state."
            )
        result = super().state_dict()
        numbers = self.partition.numbers(self.param_groups)
        state: dict[Any, Any] = {}
        for rank, local in enumerate(self._gathered):
            own = self.partition.groups_of(rank, self.param_groups)
            for group, saved in zip(own, local["param_groups"], strict=True):
                for param, number in zip(group["params"], saved["params"], strict=True):
                    if number in local["state"]:
                        state[numbers[id(param)]] = local["state"][number]
        return {**result, "state": dict(sorted(state.items()))}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load the state of an optimizer on one process; each rank keeps that of its own parameters.

        The `state_dict` is the same on all ranks. A ValueError where the groups differ in number or size.
        """
        super().load_state_dict({**state_dict, "state": {}})  # compares the groups, and takes their hyperparameters
        numbers = self.partition.numbers(self.param_groups)
        own = [one["params"] for one in self.partition.groups_of(self.rank, self.param_groups)]
        local = [param for group in own for param in group]
        param_index = {id(param): number for number, param in enumerate(local)}
        saved = [number for group in state_dict["param_groups"] for number in group["params"]]
        state = {
            param_index[id(param)]: state_dict["state"][saved[numbers[id(param)]]]
            for param in local
            if saved[numbers[id(param)]] in state_dict["state"]
        }
        groups = [
            {**settings_of(group), "params": [param_index[id(param)] for param in params]}
            for group, params in zip(state_dict["param_groups"], own, strict=True)
        ]
        self.optim.load_state_dict({"state": state, "param_groups": groups})
        _copy_settings(self.optim.param_groups, self.param_groups)

    def join_hook(self, **kwargs: Any) -> Any:
        """Refused: ranks make as many steps."""
        raise NotImplementedError("ZeroRedundancyOptimizer: ranks with fewer steps than others are not supported")


def _checked(params: Any) -> list[Any]:
    if isinstance(params, Tensor):
        raise TypeError(f"`params` argument should be an iterable of Tensors, but got {type_name(params)}")
    matches = list(params)
    if not matches:
        raise ValueError("ZeroRedundancyOptimizer got an empty parameter list")
    for one in matches:
        if not isinstance(one, Tensor | dict | tuple):
            raise TypeError(
                "params argument should be an iterable of Tensors, but got an iterable containing " + type_name(one)
            )
    return matches


def settings_of(group: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in group.items() if name not in ("params", "param_names")}


def _copy_settings(source: list[dict[str, Any]], target: list[dict[str, Any]]) -> None:
    for value, group in zip(source, target, strict=True):
        group.update(settings_of(value))
