"""What every rank does and compares with NumPy: run by processes under mpiexec, and by threads that stand for ranks."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import distributed as dist

CHECKS: dict[str, Callable[[int, int], None]] = {}
KINDS = ("float32", "float64", "bfloat16", "float16", "int64", "int8", "uint8", "bool", "complex64")
OPS = ("SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR")


def check(function: Callable[[int, int], None]) -> Callable[[int, int], None]:
    """Register what is called with this process's rank and the number of ranks."""
    CHECKS[function.__name__] = function
    return function


def _fitting(kind: str) -> tuple[str, ...]:
    if kind == "complex64":
        return ("SUM", "AVG")
    return OPS[:5] if "float" in kind else ("SUM", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR")


def _numbers(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> np.ndarray:
    """Small whole numbers, of which narrow dtypes hold sums and products of three exactly."""
    numbers = rng.integers(0, 2 if kind == "bool" else 5, shape)
    return numbers + 1j * rng.integers(-3, 3, shape) if kind == "complex64" else numbers


def _tensor(numbers: np.ndarray, kind: str, separate: bool) -> Any:
    """A tensor of a dtype, with gaps between its elements if `apart`."""
    dtype = getattr(sg, kind)
    found = sg.tensor(numbers.tolist(), dtype=dtype).reshape(numbers.shape)
    if not separate or not numbers.ndim:
        return found
    wide = sg.zeros((*numbers.shape, 2), dtype=dtype)
    wide[..., 1] = found
    return wide[..., 1]


def _plain(tensor: Any) -> np.ndarray:
    return np.array(tensor.tolist(), complex if tensor.is_complex() else float).reshape(tuple(tensor.shape))


def _concatenated(every: list[np.ndarray], op: str, kind: str) -> np.ndarray:
    stack = np.stack(every)
    if kind == "bool":
        stack = stack.astype(bool)
        ways = {"SUM": np.any, "MAX": np.any, "BOR": np.any, "PRODUCT": np.all, "MIN": np.all, "BAND": np.all}
        return ways[op](stack, 0) if op in ways else np.logical_xor.reduce(stack, 0)
    entire = stack if op in ("SUM", "AVG", "PRODUCT", "MIN", "MAX") else stack.astype(int)
    ways = {"SUM": np.sum, "AVG": np.mean, "PRODUCT": np.prod, "MIN": np.min, "MAX": np.max}
    bits = {"BAND": np.bitwise_and, "BOR": np.bitwise_or, "BXOR": np.bitwise_xor}
    return ways[op](entire, 0) if op in ways else bits[op].reduce(entire, 0)


def _same(tensor: Any, expected: np.ndarray, kind: str, what: str) -> None:
    tolerance = {"bfloat16": 2.0**-8, "float16": 2.0**-10, "float32": 1e-6, "complex64": 1e-6}.get(kind, 1e-12)
    np.testing.assert_allclose(_plain(tensor), expected, rtol=tolerance, atol=0, err_msg=what)


class Draw:
    """One call: a group, a dtype, a shape, a way of joining, and what each rank has; the same on all ranks."""

    def __init__(self, number: int, groups: list[Any], size: int) -> None:
        self.rng = np.random.default_rng(number)
        self.group, self.ranks = groups[self.rng.integers(len(groups))]
        self.kind = str(self.rng.choice(KINDS))
        self.op = str(self.rng.choice(_fitting(self.kind)))
        self.shape = tuple(self.rng.integers(0, 4, self.rng.integers(0, 4)).tolist())
        self.separate = bool(self.rng.integers(2))
        self.root = int(self.rng.choice(self.ranks))
        self.every = [_numbers(self.rng, self.kind, self.shape) for _ in self.ranks]
        self.lists = [[_numbers(self.rng, self.kind, self.shape) for _ in self.ranks] for _ in self.ranks]
        self.what = f"{number}: {self.kind} {self.shape} {self.op} {self.ranks}"

    def tensor(self, numbers: np.ndarray) -> Any:
        return _tensor(numbers, self.kind, self.separate)

    def empty(self) -> list[Any]:
        return [self.tensor(np.zeros(self.shape)) for _ in self.ranks]

    def expect(self, tensor: Any, expected: np.ndarray) -> None:
        _same(tensor, expected, self.kind, self.what)


def _all_reduce(draw: Draw, me: int) -> None:
    x = draw.tensor(draw.every[me])
    dist.all_reduce(x, getattr(dist.ReduceOp, draw.op), draw.group)
    draw.expect(x, _concatenated(draw.every, draw.op, draw.kind))


def _reduce(draw: Draw, me: int) -> None:
    x = draw.tensor(draw.every[me])
    dist.reduce(x, draw.root, getattr(dist.ReduceOp, draw.op), draw.group)
    at_root = draw.ranks[me] == draw.root
    draw.expect(x, _concatenated(draw.every, draw.op, draw.kind) if at_root else draw.every[me])


def _broadcast(draw: Draw, me: int) -> None:
    x = draw.tensor(draw.every[me])
    dist.broadcast(x, draw.root, draw.group)
    draw.expect(x, draw.every[draw.ranks.index(draw.root)])


def _all_gather(draw: Draw, me: int) -> None:
    into = draw.empty()
    dist.all_gather(into, draw.tensor(draw.every[me]), draw.group)
    for found, expected in zip(into, draw.every, strict=True):
        draw.expect(found, expected)


def _all_gather_into_tensor(draw: Draw, me: int) -> None:
    into = draw.tensor(np.zeros((len(draw.ranks), *draw.shape)))
    dist.all_gather_into_tensor(into, draw.tensor(draw.every[me]), draw.group)
    draw.expect(into, np.stack(draw.every))


def _gather(draw: Draw, me: int) -> None:
    into = draw.empty() if draw.ranks[me] == draw.root else None
    dist.gather(draw.tensor(draw.every[me]), into, draw.root, draw.group)
    for found, expected in zip(into or [], draw.every, strict=False):
        draw.expect(found, expected)


def _scatter(draw: Draw, me: int) -> None:
    x = draw.empty()[0]
    own = [draw.tensor(one) for one in draw.every] if draw.ranks[me] == draw.root else None
    dist.scatter(x, own, draw.root, draw.group)
    draw.expect(x, draw.every[me])


def _reduce_scatter(draw: Draw, me: int) -> None:
    x = draw.empty()[0]
    op = getattr(dist.ReduceOp, draw.op)
    dist.reduce_scatter(x, [draw.tensor(one) for one in draw.lists[me]], op, draw.group)
    expected = _concatenated([own[me] for own in draw.lists], draw.op, draw.kind)
    draw.expect(x, expected)
    y = draw.empty()[0]
    dist.reduce_scatter_tensor(y, draw.tensor(np.stack(draw.lists[me])), op, draw.group)
    draw.expect(y, expected)


def _all_to_all(draw: Draw, me: int) -> None:
    into = draw.empty()
    dist.all_to_all(into, [draw.tensor(one) for one in draw.lists[me]], draw.group)
    for found, sent in zip(into, draw.lists, strict=True):
        draw.expect(found, sent[me])


def _all_to_all_single(draw: Draw, me: int) -> None:
    rows = draw.rng.integers(0, 3, (len(draw.ranks), len(draw.ranks)))  # from, to
    parts = [[_numbers(draw.rng, draw.kind, (int(count), 2)) for count in own] for own in rows]
    into = draw.tensor(np.zeros((int(rows[:, me].sum()), 2)))
    given = draw.tensor(np.concatenate(parts[me]))
    dist.all_to_all_single(into, given, rows[:, me].tolist(), rows[me].tolist(), draw.group)
    draw.expect(into, np.concatenate([own[me] for own in parts]))


COLLECTIVES = (_all_reduce, _reduce, _broadcast, _all_gather, _all_gather_into_tensor, _gather, _scatter)
COLLECTIVES += (_reduce_scatter, _all_to_all, _all_to_all_single)


@check
def random_collectives(rank: int, size: int) -> None:
    """200 calls of random collectives, dtypes, shapes, layouts and groups give NumPy's answers."""
    chosen = [list(range(size)), [0, size - 1], [size - 1]]
    groups = [(dist.new_group(ranks), ranks) for ranks in chosen]
    for number in range(200):
        draw = Draw(number, groups, size)
        if rank in draw.ranks:
            COLLECTIVES[number % len(COLLECTIVES)](draw, draw.ranks.index(rank))


@check
def sums_are_rounded_once_and_alike(rank: int, size: int) -> None:
    """bfloat16 sums are float32 sums rounded once; all ranks, and a second run, have the same bits."""
    rng = np.random.default_rng(3)
    for kind in (sg.bfloat16, sg.float32):
        every = [sg.tensor(rng.standard_normal(1001).astype(np.float32)).to(kind) for _ in range(size)]
        found = []
        for _ in range(2):
            x = every[rank].clone()
            dist.all_reduce(x)
            found.append(x)
        assert sg.equal(*found)
        copies = [sg.zeros(1001, dtype=kind) for _ in range(size)]
        dist.all_gather(copies, found[0])
        assert all(sg.equal(copy, found[0]) for copy in copies)
        if kind is sg.bfloat16:
            total = every[0].float()
            for one in every[1:]:
                total = total + one.float()
            assert sg.equal(found[0], total.to(kind))


@check
def nan_is_the_greatest_and_the_least(rank: int, size: int) -> None:
    """MIN and MAX are NaN on all ranks where one rank has NaN."""
    for op in (dist.ReduceOp.MIN, dist.ReduceOp.MAX):
        x = sg.tensor([float("nan") if rank == size - 1 else 1.0, 2.0])
        dist.all_reduce(x, op)
        assert x.isnan().tolist() == [True, False]


@check
def premultiplied_sum(rank: int, size: int) -> None:
    """PREMUL_SUM multiplies each rank's numbers by its factor."""
    for kind in (sg.float32, sg.float16):
        x = sg.full((3,), rank + 1.0, dtype=kind)
        dist.all_reduce(x, dist._make_nccl_premul_sum(0.5))
        assert x.tolist() == [0.5 * sum(range(1, size + 1))] * 3


@check
def asynchronous_calls(rank: int, size: int) -> None:
    """Calls under way complete in any order of waiting, also those of several steps between others."""
    tensors = [
        sg.full((50,), float(rank + step), dtype=kind) for step in range(4) for kind in (sg.float32, sg.bfloat16)
    ]
    works = [dist.all_reduce(x, async_op=True) for x in tensors]
    assert works[-1] is not None and works[-1].wait() is True and works[-1].is_completed()
    for work, x in reversed([*zip(works, tensors, strict=True)]):
        assert work is not None and work.get_future().wait()[0] is x and work.is_success()
    for number, x in enumerate(tensors):
        assert x.tolist() == [sum(one + number // 2 for one in range(size))] * 50


@check
def writes_are_counted(rank: int, size: int) -> None:
    """A tensor that was saved for backward and then received is an error in backward."""
    x = sg.ones(2, requires_grad=True)
    saved = x.detach().clone()
    y = (x * saved).sum()
    dist.broadcast(saved, 0)
    dist.all_reduce(saved)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


@check
def messages(rank: int, size: int) -> None:
    """Messages are received in order, by source and by tag, from anyone, and in batches."""
    if rank == 0:
        seen = set()
        for _ in range(size - 1):
            x = sg.zeros(2, 2, dtype=sg.int32)
            sender = dist.recv(x)
            assert x.tolist() == [[sender] * 2] * 2
            seen.add(sender)
        assert seen == set(range(1, size))
    else:
        dist.send(sg.full((2, 2), rank, dtype=sg.int32).t(), 0)
    dist.barrier()  # what is received from anyone above came before what follows
    right, left = (rank + 1) % size, (rank - 1) % size
    into = [sg.zeros(3).to(sg.bfloat16) for _ in range(2)]
    ops = [dist.P2POp(dist.irecv, into[1 - tag], left, tag=tag) for tag in (0, 1)]
    ops += [dist.P2POp(dist.isend, sg.full((3,), rank + 10.0 * tag).to(sg.bfloat16), right, tag=tag) for tag in (0, 1)]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    assert [x.tolist() for x in into] == [[left + 10.0] * 3, [float(left)] * 3]
    with pytest.raises(ValueError, match="should not be the same"):
        dist.send(sg.ones(1), rank)


@check
def objects(rank: int, size: int) -> None:
    """Objects of plain classes and tensors go round; a class that nobody declared safe is refused."""
    every: list[Any] = [None] * size
    dist.all_gather_object(every, {"rank": rank, "x": sg.full((rank,), 1.0), "text": "a" * rank})
    assert [one["rank"] for one in every] == [*range(size)] and every[-1]["x"].tolist() == [1.0] * (size - 1)
    notified = [rank, "b" * rank]
    dist.broadcast_object_list(notified, size - 1)
    assert notified == [size - 1, "b" * (size - 1)]
    gathered: list[Any] | None = [None] * size if rank == 0 else None
    dist.gather_object((rank,), gathered)
    assert gathered is None or gathered == [(one,) for one in range(size)]
    own = [None]
    dist.scatter_object_list(own, [["part", one] for one in range(size)] if rank == 0 else None)
    assert own == [["part", rank]]
    with pytest.raises(Exception, match="datetime"):
        dist.all_gather_object(every, datetime.timedelta(seconds=1))
    if rank == 0:
        dist.send_object_list([1, "two"], 1)
    elif rank == 1:
        received: list[Any] = [None, None]
        assert dist.recv_object_list(received, 0) == 0 and received == [1, "two"]


@check
def groups(rank: int, size: int) -> None:
    """Who is in a group has a rank in it; who is not is told so."""
    group = dist.new_group([size - 1, 0], sort_ranks=False)
    if rank in (0, size - 1):
        assert dist.get_rank(group) == (0 if rank else 1) and dist.get_world_size(group) == 2
        assert dist.get_process_group_ranks(group) == [size - 1, 0]
        assert dist.get_group_rank(group, 0) == 1 and dist.get_global_rank(group, 0) == size - 1
        with pytest.raises(ValueError, match="is not part of group"):
            dist.get_group_rank(group, 7)
    else:
        assert group == dist.GroupMember.NON_GROUP_MEMBER and dist.get_rank(group) == -1
        with pytest.warns(UserWarning, match="does not belong to the given group"):
            assert dist.all_reduce(sg.ones(1), group=group) is None
    assert dist.group.WORLD is dist.GroupMember.WORLD and dist.get_backend() == "mpi"
    with pytest.raises(ValueError, match="duplicate"):
        dist.new_group([0, 0])
    with pytest.raises(ValueError, match="twice"):
        dist.init_process_group("mpi")


@check
def bad_arguments(rank: int, size: int) -> None:
    """Mistakes that one rank sees by itself are errors before anything is sent."""
    x = sg.ones(2)
    wrong: list[tuple[type[Exception], str, Callable[[], Any]]] = [
        (TypeError, "Expected parameter `tensor`", lambda: dist.all_reduce(3)),
        (TypeError, "argument 'op'", lambda: dist.all_reduce(x, "sum")),
        (ValueError, "complex", lambda: dist.all_reduce(x + 1j, dist.ReduceOp.MAX)),
        (RuntimeError, "non-integral", lambda: dist.all_reduce(x, dist.ReduceOp.BAND)),
        (RuntimeError, "floating-point", lambda: dist.all_reduce(x.long(), dist.ReduceOp.AVG)),
        (ValueError, "Must specify", lambda: dist.broadcast(x)),
        (RuntimeError, "invalid tensor size", lambda: dist.all_gather([sg.ones(3)] * size, x)),
        (ValueError, "different dtypes", lambda: dist.all_gather([x.double()] * size, x)),
        (ValueError, "has 1 tensors", lambda: dist.all_gather([x], x)),
        (ValueError, "world_size times", lambda: dist.all_gather_into_tensor(sg.ones(1), x)),
        (RuntimeError, "Number of tensor splits", lambda: dist.all_to_all_single(x, x, [1] * 9)),
        (ValueError, "isend", lambda: dist.P2POp(dist.all_reduce, x, 0)),
        (ValueError, "strided tensor with memory", lambda: dist.all_reduce(sg.ones(2, device="meta"))),
    ]
    for kind, message, call in wrong:
        with pytest.raises(kind, match=message):
            call()
