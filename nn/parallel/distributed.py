"""Data parallelism of several processes: each computes a part of the batch, and all have the same gradients."""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...runtime.extensions.distributed import collectives
from ...runtime.extensions.distributed.groups import algorithms, point_to_point
from ...runtime.extensions.distributed.groups.reduce_op import ReduceOp
from ...runtime.extensions.distributed.world import get_default_group
from ...runtime.ops.creation import tensor
from ...runtime.tensor.dtypes import int64
from ...runtime.tensor.grad_mode import is_grad_enabled, no_grad
from ..modules.module.base import Module
from .buckets import Reducer, unused_of


def notify_join(parallel: Any) -> None:
    """Take part in the others' passes, with zeros, until nobody has a batch; then all get the last one's parameters."""
    passes = 0
    while True:
        active, reducing = parallel._count_active(0.0, 0.0)
        if not active:
            break
        passes += 1
        _shadow(parallel, bool(reducing))
    last = tensor([-1 if passes else parallel.process_group.rank()], dtype=int64)
    collectives.all_reduce(last, ReduceOp.MAX, parallel.process_group)
    parallel._copy_from(int(last))


def _shadow(parallel: Any, reduces: bool) -> None:
    parallel._begin_pass(reduces)
    if reduces:
        parallel._reducer.reduce_nothing()


def agree(call: str, parameters: Sequence[tuple[str, Any]], group: Any) -> None:
    """An error where another rank has other parameters: names, shapes, dtypes, and which are trained."""
    listed = "; ".join(f"{name} {list(one.shape)} {one.dtype} {one.requires_grad}" for name, one in parameters)
    message = f"with {len(parameters)} parameters of checksum {zlib.crc32(listed.encode()):08x}"
    group.begin(point_to_point.called(call, "", None, message), algorithms.barrier(group.link), 1).wait()


def broadcast_all(tensors: Iterable[Any], group: Any, rank: int) -> None:
    with no_grad():
        for one in tensors:
            collectives.broadcast(one.detach(), group=group, group_src=rank)


_MEBIBYTE = 2**20


class DistributedDataParallel(Module):
    """The module, whose gradients are averaged over the ranks of a process group while backward goes on.

    Formula: grad = (grad of rank 0 + ... + grad of rank n-1) / n

    Every rank makes one of a module of the same parameters; those of the group's first rank are copied to all. What
    each computes with its part of a batch gives all of them the gradient of the mean over the parts.

    Args:
        module: the module.
        device_ids, output_device, dim: as in PyTorch; the module stays where it is.
        broadcast_buffers: whether each forward pass begins with the buffers of the first rank; True when left out.
        init_sync: whether parameters and buffers are compared and copied at the beginning.
        process_group: the process group; the default one when left out.
        bucket_cap_mb: how many MiB of gradients are reduced together; 25 when left out.
        find_unused_parameters: whether some parameters may have no part in the loss: the graph is searched for them.
        check_reduction: not looked at.
        gradient_as_bucket_view: whether gradients become views of the memory in which they are reduced.
        static_graph: that all passes are alike; parameters without a part are searched for all the same.

    Shape: Those of the module.

    Raises:
        TypeError: it is no module.
        ValueError: there is no process group.
        RuntimeError: no parameter requires a gradient; in a call: parameters had no part in the loss before.
        DistBackendError: the ranks have other parameters.

    Example:
        >>> sg.distributed.is_initialized()
        False
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool | None = None,
        init_sync: bool = True,
        process_group: Any = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
    ) -> None:
        super().__init__()
        if not isinstance(module, Module):
            raise TypeError(f"DistributedDataParallel(): module must be a Module, but got {type(module).__name__}")
        trained = [one for one in module.parameters() if one.requires_grad]
        if not trained:
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameters that require a "
                "gradient."
            )
        self.module = module
        self.process_group = get_default_group() if process_group is None else process_group
        self.device_ids, self.output_device, self.dim = device_ids, output_device, dim
        self.broadcast_buffers = broadcast_buffers is not False
        self.find_unused_parameters = find_unused_parameters or static_graph
        self.gradient_as_bucket_view, self.static_graph = gradient_as_bucket_view, static_graph
        self.require_backward_grad_sync = True
        self._joinable = False  # whether ranks may have fewer batches than others
        if init_sync:
            agree("DistributedDataParallel", list(module.named_parameters()), self.process_group)
            self._copy_from(0)
        max_bytes = int(_MEBIBYTE * (25 if bucket_cap_mb is None else bucket_cap_mb))
        group, views = self.process_group, gradient_as_bucket_view
        self._reducer = Reducer(trained, group, max_bytes, views, self.find_unused_parameters)
        self._numbers = {id(one): number for number, one in enumerate(trained)}
        self._handles = [one.register_post_accumulate_grad_hook(self._came) for one in trained]

    def _copy_from(self, rank: int, parameters: bool = True) -> None:
        tensors = [*(self.module.parameters() if parameters else ()), *self.module.buffers()]
        broadcast_all(tensors, self.process_group, rank)

    def _came(self, parameter: Any) -> None:
        if self._reducer.waiting and self.require_backward_grad_sync:
            self._reducer.ready(self._numbers[id(parameter)])

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        reduces = is_grad_enabled() and self.require_backward_grad_sync
        if self._joinable:
            self._announce_join(reduces)
        self._begin_pass(reduces)
        output = self.module(*inputs, **kwargs)
        if reduces:
            unused = unused_of(self._reducer.parameters, output) if self.find_unused_parameters else ()
            self._reducer.prepare(unused)
        return output

    def _begin_pass(self, reduces: bool) -> None:
        """What all ranks do together before a forward pass; a RuntimeError where the last one left gradients out."""
        reducer = self._reducer
        if reduces and reducer.waiting and self._some_came():
            late = {id(reducer.parameters[number]) for number in reducer.pending}
            names = [name for name, one in self.module.named_parameters() if id(one) in late]
            raise RuntimeError(
                "Expected to have finished reduction in the prior iteration before starting a new one. This error "
                "indicates that your module has parameters that were not used in producing loss: "
                f"{', '.join(names)}. Pass find_unused_parameters=True to DistributedDataParallel, and make sure that "
                "all of forward's outputs take part in the loss"
            )
        if reduces and reducer.passes and not reducer.rebuilt:
            reducer.rebuild()
        if self.broadcast_buffers and self.require_backward_grad_sync:
            self._copy_from(0, parameters=False)

    def _some_came(self) -> bool:
        return len(self._reducer.pending) + len(self._reducer.unused) < len(self._reducer.parameters)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """A region whose backward passes add gradients up without averaging them; the next one averages the sum."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    @contextmanager
    def join(
        self, divide_by_initial_world_size: bool = True, enable: bool = True, throw_on_early_termination: bool = False
    ) -> Iterator[None]:
        """A region in which ranks may have fewer batches than others: those go on with zeros in their place.

        Args:
            divide_by_initial_world_size: whether averages are over all ranks, and not over those with batches.
            enable: False for a region without effect.
            throw_on_early_termination: whether all ranks raise an error as soon as one has no more batches.

        Raises: RuntimeError: so they do.
        """
        if not enable:
            yield
            return
        self._joinable = True
        self._by_all, self._throw = divide_by_initial_world_size, throw_on_early_termination
        try:
            yield
            self._joinable = False
            notify_join(self)
        finally:
            self._joinable = False
            self._reducer.divisor = self.process_group.size()

    def _announce_join(self, reduces: bool) -> None:
        self._count_active(1.0, float(reduces))

    def _count_active(self, *own: float) -> tuple[int, int]:
        active, reducing = map(int, self._reducer.marks(own))
        if 0 < active < self.process_group.size() and self._throw:
            raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
        if active and not self._by_all:
            self._reducer.divisor = active
        return active, reducing
