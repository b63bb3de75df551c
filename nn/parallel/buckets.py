"""Gradients of several parameters in one memory each, averaged over ranks while backward goes on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...runtime.extensions.distributed import collectives
from ...runtime.extensions.distributed.groups.process_group import ProcessGroup
from ...runtime.extensions.distributed.groups.reduce_op import ReduceOp
from ...runtime.extensions.distributed.groups.work import Work
from ...runtime.ops.creation import tensor
from ...runtime.tensor.dtypes import float64, int64
from ...runtime.tensor.grad_mode import no_grad
from ...runtime.tensor.tensor import TensorBase
from ..utils.convert_parameters import unflatten_dense_tensors

_FIRST = 2**20  # bytes of the first bucket: small, so that the first collective begins early
_LARGE = 2**19  # bytes of a gradient from which on copying it costs more than a collective of its own


def grouped(
    order: Sequence[int], kinds: Sequence[Any], sizes: Sequence[int], max_bytes: int, as_views: bool = False
) -> list[tuple[list[int], bool]]:
    """The numbers of the gradients in each bucket, and whether it is a large one that is reduced where it is.

    Buckets come in the order of their last gradients. `kinds` are dtype and device, `sizes` and `max_bytes` bytes.
    """
    groups: list[tuple[list[int], bool]] = []
    open_groups: dict[Any, tuple[list[int], int]] = {}  # by kind: the parameters so far, and bytes
    for number in order:
        if sizes[number] >= _LARGE and not as_views:
            groups.append(([number], True))
            continue
        numbers, size = open_groups.get(kinds[number], ([], 0))
        if not numbers:
            groups.append((numbers, False))
        numbers.append(number)
        size += sizes[number]
        limit = min(_FIRST, max_bytes) if numbers is groups[0][0] else max_bytes
        open_groups[kinds[number]] = (numbers, size) if size < limit else ([], 0)
    last = {number: position for position, number in enumerate(order)}
    return sorted(groups, key=lambda group: last[group[0][-1]])


class Bucket:
    """Parameters of one dtype and device whose gradients are reduced together, or `in_place` a single one."""

    def __init__(self, numbers: Sequence[int], parameters: Sequence[Any], in_place: bool = False) -> None:
        self.numbers = list(numbers)
        self.parameters = list(parameters)
        self.in_place = in_place
        self.flat: Any = None
        self.views: dict[int, Any] = {}
        self.missing = len(self.numbers)
        self.work: Work | None = None
        if not in_place:
            self.make_memory()

    def make_memory(self) -> None:
        self.flat = self.parameters[0].detach().new_zeros(sum(one.numel() for one in self.parameters))
        self.views = dict(zip(self.numbers, unflatten_dense_tensors(self.flat, self.parameters), strict=True))

    def fill(self, number: int, gradient: Any) -> None:
        if self.in_place and gradient is not None and self._as_it_is(gradient):
            self.views[number], self.flat = gradient, gradient.detach().view(-1)
            return
        if self.flat is None:
            self.make_memory()
        view = self.views[number]
        with no_grad():
            if gradient is None:
                view.zero_()
            elif gradient.data_ptr() != view.data_ptr():
                view.copy_(gradient.to_dense() if gradient.is_sparse else gradient)

    def _as_it_is(self, gradient: Any) -> bool:
        like = self.parameters[0]
        plain = not gradient.is_sparse and not gradient.requires_grad and gradient.is_contiguous()
        return plain and gradient.dtype == like.dtype and gradient.device == like.device

    def release(self) -> None:
        if self.in_place:
            self.flat, self.views = None, {}


class Reducer:
    """Averages gradients bucket by bucket: each begins when its parameters, and the buckets before it, are ready.

    The first backward pass says in which order gradients come; buckets follow that of the group's first rank from the
    second on, so that all ranks begin the same collectives in one order. With `find_unused` ranks tell each other which
    parameters had no part in the loss.
    """

    def __init__(
        self, parameters: Sequence[Any], group: ProcessGroup, max_bytes: int, as_views: bool, find_unused: bool
    ) -> None:
        self.parameters = list(parameters)
        self.group, self.max_bytes, self.as_views, self.find_unused = group, max_bytes, as_views, find_unused
        self.divisor = group.size()
        self.waiting = False  # for gradients of a backward pass
        self.order: list[int] = []  # in which gradients came in the last pass
        self.passes = 0
        self.rebuilt = False
        self.pending: set[int] = set()
        self.unused: set[int] = set()
        self.begun = 0
        self._build(range(len(self.parameters) - 1, -1, -1))

    def _build(self, order: Sequence[int]) -> None:
        """Make buckets of parameters in an order: each stands where the last of its gradients comes."""
        kinds = [(one.dtype, one.device) for one in self.parameters]
        sizes = [one.numel() * one.element_size() for one in self.parameters]
        self.buckets = [
            Bucket(numbers, [self.parameters[number] for number in numbers], in_place)
            for numbers, in_place in grouped(order, kinds, sizes, self.max_bytes, self.as_views)
        ]
        self.bucket_of = {number: bucket for bucket in self.buckets for number in bucket.numbers}

    def prepare(self, unused: Iterable[int]) -> None:
        for bucket in self.buckets:
            bucket.missing, bucket.work = len(bucket.numbers), None
        self.pending = set(range(len(self.parameters)))
        self.begun = 0
        self.order = []
        self.waiting = True
        self.unused = set(unused)
        for number in self.unused:
            self.ready(number)

    def ready(self, number: int) -> None:
        """A gradient is there, or will not come; a RuntimeError for the second time in a pass."""
        if number not in self.pending:
            raise RuntimeError(
                f"Expected to mark a variable ready only once. Parameter {number} of DistributedDataParallel had a "
                "gradient twice in one forward pass: with checkpoints that enter again, or with two backward passes"
            )
        self.pending.remove(number)
        if number not in self.unused:
            self.order.append(number)
        bucket = self.bucket_of[number]
        bucket.fill(number, self.parameters[number].grad)
        bucket.missing -= 1
        while self.begun < len(self.buckets) and not self.buckets[self.begun].missing:
            self._begin(self.buckets[self.begun])
        self.group.advance()
        if not self.pending:
            self._finish()

    def _begin(self, bucket: Bucket) -> None:
        self.begun += 1
        bucket.work = collectives.all_reduce(bucket.flat, self.way(), self.group, async_op=True)

    def way(self) -> Any:
        """How buckets are joined: the mean over ranks is rounded once, also of narrow floats."""
        return ReduceOp.AVG if self.divisor == self.group.size() else ReduceOp.SUM

    def _finish(self) -> None:
        self.waiting = False
        self.passes += 1
        used = self._used_anywhere()
        for bucket in self.buckets:
            assert bucket.work is not None
            bucket.work.wait()
            with no_grad():
                if self.way() == ReduceOp.SUM:
                    bucket.flat.div_(self.divisor)
                for number, view in bucket.views.items():
                    if number in used:
                        self._give(self.parameters[number], view)
            bucket.release()

    def _used_anywhere(self) -> set[int]:
        everybody = set(range(len(self.parameters)))
        if not self.find_unused or not everybody:
            return everybody
        marks = self.marks([0.0 if number in self.unused else 1.0 for number in sorted(everybody)])
        return {number for number in everybody if marks[number]}

    def marks(self, own: Sequence[float]) -> list[float]:
        table = tensor(list(own), dtype=float64)
        collectives.all_reduce(table, group=self.group)
        return [float(mark) for mark in table.tolist()]

    def _give(self, parameter: Any, view: Any) -> None:
        if parameter.grad is view:
            return
        if self.as_views:
            parameter.grad = view
        elif parameter.grad is None or parameter.grad.is_sparse:
            parameter.grad = view.clone()
        else:
            parameter.grad.copy_(view)

    def reduce_nothing(self) -> None:
        """Take part in the reduction of others with zeros: of a rank that has no more batches."""
        for bucket in self.buckets:
            for number in bucket.numbers:
                bucket.fill(number, None)
            collectives.all_reduce(bucket.flat, self.way(), self.group)
            bucket.release()
        if self.find_unused:
            self.marks([0.0] * len(self.parameters))
        self.passes += 1

    def rebuild(self) -> None:
        """Make buckets in the order in which gradients came on the group's first rank, once."""
        rest = [number for number in range(len(self.parameters)) if number not in self.order]
        order = tensor([*self.order, *rest], dtype=int64)
        collectives.broadcast(order, group=self.group, group_src=0)
        self._build([int(number) for number in order.tolist()])
        self.rebuilt = True


def tensors_in(value: Any) -> Iterator[Any]:
    if isinstance(value, TensorBase):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from tensors_in(one)
    elif isinstance(value, list | tuple | set):
        for one in value:
            yield from tensors_in(one)
    elif hasattr(value, "__dataclass_fields__"):
        yield from tensors_in([getattr(value, name) for name in value.__dataclass_fields__])


def unused_of(parameters: Sequence[Any], output: Any) -> list[int]:
    outputs = [one for one in tensors_in(output) if one.requires_grad]
    matches = {id(one) for one in outputs}
    waiting = [one.grad_fn for one in outputs if one.grad_fn is not None]
    seen = set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            matches.add(id(leaf))
        waiting.extend(following for following, _ in node.next_functions if following is not None)
    return [number for number, one in enumerate(parameters) if id(one) not in matches]
