"""`FullyShardedDataParallel`: the older class around a module, on what `fully_shard` does."""

import enum
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ....runtime.extensions.distributed.shard_rows import row_range_of, unsharded
from ....runtime.tensor.grad_mode import no_grad
from ...modules.module.base import Module
from ...utils.clip_grad import clip_grad_norm_
from ..distributed import broadcast_all
from .module import FSDPModule, fully_shard, group_of
from .policies import MixedPrecisionPolicy
from .sharded_parameter import MARK

_INNER = "_fsdp_wrapped_module"


class ShardingStrategy(enum.Enum):
    """What is shared out, and when whole parameters are given back."""

    FULL_SHARD = enum.auto()
    SHARD_GRAD_OP = enum.auto()
    NO_SHARD = enum.auto()
    HYBRID_SHARD = enum.auto()
    _HYBRID_SHARD_ZERO2 = enum.auto()


@dataclass
class MixedPrecision:
    """In which dtypes a FullyShardedDataParallel computes.

    Args:
        param_dtype: that of whole parameters; theirs when left out.
        reduce_dtype: that in which gradients are joined; that of the whole parameters when left out.
        buffer_dtype: that of buffers; theirs when left out.
        cast_forward_inputs: whether floating-point inputs are cast to `param_dtype`.
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    buffer_dtype: Any = None
    cast_forward_inputs: bool = True


class FullyShardedDataParallel(Module):
    """The module, of whose parameters each rank has some rows: see `fully_shard`, which this calls.

    Its `state_dict()` has the names of the module and whole tensors on all ranks, which all call it; `load_state_dict`
    takes such a state, or one of rows. Parts of the module are sharded in place, and not wrapped.

    Args:
        module: the module.
        process_group: the ranks; the default group when left out.
        sharding_strategy: FULL_SHARD, or SHARD_GRAD_OP, which keeps whole parameters from forward to backward.
        auto_wrap_policy: called as `policy(module=, recurse=, nonwrapped_numel=)` for modules inside: whether they are
            gathered by themselves.
        mixed_precision: in which dtypes the module computes.
        ignored_modules, ignored_states: modules and parameters that stay whole.
        sync_module_states: whether parameters and buffers of the group's first rank are copied to all.
        cpu_offload, backward_prefetch, param_init_fn, device_id, forward_prefetch, limit_all_gathers, use_orig_params:
            not looked at: parameters lie where they are, and optimizers see them one by one.
        device_mesh: a one-dimensional mesh, instead of `process_group`.

    Shape: Those of the module.

    Raises:
        ValueError: there is no process group, or a parameter is a number.
        NotImplementedError: another strategy.
        DistBackendError: the ranks have other parameters.

    Source: Zhao et al., PyTorch FSDP: experiences on scaling fully sharded data parallel (2023).

    Example:
        >>> from specgrad.distributed.fsdp import FullyShardedDataParallel
        >>> issubclass(FullyShardedDataParallel, sg.nn.Module)
        True
    """

    def __init__(
        self,
        module: Module,
        process_group: Any = None,
        sharding_strategy: ShardingStrategy | None = None,
        cpu_offload: Any = None,
        auto_wrap_policy: Callable[..., bool] | None = None,
        backward_prefetch: Any = None,
        mixed_precision: MixedPrecision | None = None,
        ignored_modules: Iterable[Module] | None = None,
        param_init_fn: Any = None,
        device_id: Any = None,
        sync_module_states: bool = False,
        forward_prefetch: bool = False,
        limit_all_gathers: bool = True,
        use_orig_params: bool = False,
        ignored_states: Iterable[Any] | None = None,
        device_mesh: Any = None,
    ) -> None:
        super().__init__()
        strategy = ShardingStrategy.FULL_SHARD if sharding_strategy is None else sharding_strategy
        if strategy not in (ShardingStrategy.FULL_SHARD, ShardingStrategy.SHARD_GRAD_OP):
            raise NotImplementedError(
                f"FullyShardedDataParallel: {strategy} is not there: FULL_SHARD and SHARD_GRAD_OP are; "
                "DistributedDataParallel leaves parameters whole"
            )
        self.process_group = group_of(process_group if device_mesh is None else device_mesh)
        self.sharding_strategy = strategy
        if sync_module_states:
            broadcast_all([*module.parameters(), *module.buffers()], self.process_group, 0)
        left_out = _ignored(ignored_modules, ignored_states)
        options: dict[str, Any] = {
            "mesh": self.process_group,
            "reshard_after_forward": None if strategy is ShardingStrategy.FULL_SHARD else False,
            "mp_policy": _policy(mixed_precision),
            "ignored_params": left_out,
        }
        if auto_wrap_policy is not None:
            _shard_inside(module, auto_wrap_policy, options)
        self._fsdp_wrapped_module = fully_shard(module, **options)
        self._register_state_dict_hook(_with_unsharded)
        self._register_load_state_dict_pre_hook(_with_rows, with_module=True)

    @property
    def module(self) -> Any:
        """The module."""
        return self._modules[_INNER]

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == _INNER:
                raise
            return getattr(self.module, name)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def clip_grad_norm_(self, max_norm: float, norm_type: float = 2.0) -> Any:
        """Scale all gradients so that their `norm_type`-norm over all ranks is at most `max_norm`; the norm before.

        All ranks call this.
        """
        return clip_grad_norm_(self.parameters(), max_norm, norm_type)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """A region whose backward passes add whole gradients up here; the next one outside joins all."""
        self.module.set_requires_gradient_sync(False)
        try:
            yield
        finally:
            self.module.set_requires_gradient_sync(True)

    @staticmethod
    @contextmanager
    def summon_full_params(
        module: Module,
        recurse: bool = True,
        writeback: bool = True,
        rank0_only: bool = False,
        offload_to_cpu: bool = False,
        with_grads: bool = False,
    ) -> Iterator[None]:
        """A region in which `module` has whole parameters as attributes; all ranks enter it.

        `recurse`: so do sharded modules inside it. `writeback`: each rank's rows of what was written to them stay.
        `rank0_only` and `offload_to_cpu` change nothing: all ranks have them where they are. `with_grads` must be
        False.
        """
        if with_grads:
            raise NotImplementedError("summon_full_params(): with_grads=True is not there")
        inner = module.module if isinstance(module, FullyShardedDataParallel) else module
        every = inner.modules() if recurse else [inner]
        chosen: list[Any] = [one for one in every if isinstance(one, FSDPModule)]
        for one in chosen:
            one.unshard()
        try:
            yield
        finally:
            for one in chosen:
                if writeback:
                    _write_back(one)
                one.reshard()


def _write_back(module: Any) -> None:
    group = module.__dict__[MARK].group
    if group is not None:
        with no_grad():
            for member, tensor in zip(group.members, group.shown, strict=True):
                shard = member.rows
                member.parameter.copy_(tensor.detach()[shard.first : shard.first + shard.count])


def _policy(mixed: MixedPrecision | None) -> MixedPrecisionPolicy:
    if mixed is None:
        return MixedPrecisionPolicy()
    return MixedPrecisionPolicy(mixed.param_dtype, mixed.reduce_dtype, None, mixed.cast_forward_inputs)


def _ignored(modules: Iterable[Module] | None, states: Iterable[Any] | None) -> set[Any]:
    matches: set[Any] = set()
    for one in [*(modules or ()), *(states or ())]:
        matches.update(one.parameters() if isinstance(one, Module) else [one])
    return matches


def _shard_inside(module: Module, policy: Callable[..., bool], options: dict[str, Any]) -> None:
    for child in module.children():
        _shard_inside(child, policy, options)
        numel = sum(one.numel() for one in child.parameters() if row_range_of(one) is None)
        if numel and MARK not in child.__dict__ and policy(module=child, recurse=False, nonwrapped_numel=numel):
            fully_shard(child, **options)


def _with_unsharded(module: Any, state: dict[str, Any], prefix: str, metadata: Any) -> None:
    inner = f"{prefix}{_INNER}."
    for name in [name for name in state if name.startswith(inner)]:
        value = state.pop(name)
        rows = row_range_of(value)
        state[prefix + name.removeprefix(inner)] = value if rows is None else unsharded(value, rows)


def _with_rows(module: Any, state: dict[str, Any], prefix: str, *rest: Any) -> None:
    own = {name: value for name, value in state.items() if name.startswith(prefix)}
    parameters = dict(module.module.named_parameters(remove_duplicate=False))
    for name, value in own.items():
        short = name.removeprefix(prefix).removeprefix(f"{_INNER}.")
        rows = row_range_of(parameters.get(short))
        if rows is not None and row_range_of(value) is None and tuple(value.shape) == rows.shape:
            value = value[rows.first : rows.first + rows.count]
        del state[name]
        state[f"{prefix}{_INNER}.{short}"] = value
