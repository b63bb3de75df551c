"""What test_native_ownership.py runs in a process of its own, with SPECGRAD_NATIVE=check: prints figures, or fails."""

from __future__ import annotations

import gc
import random
import sys
import threading
from collections.abc import Callable
from typing import Any

import specgrad as sg
from specgrad.codegen.verify import guards
from specgrad.runtime.compiler.language.expressions import interrupt
from specgrad.runtime.dispatch.elementwise.general import Elementwise
from specgrad.runtime.dispatch.kernel_ops.gradient import KernelOpGradient
from specgrad.runtime.dispatch.kernel_ops.kernel_op import KernelOp
from specgrad.runtime.dispatch.view_cache import ViewOp
from specgrad.runtime.native.check_mode import native_alone

from . import native_programs as programs
from .native_programs import Operands, Program

MOST_ALLOCATIONS = 300
ERRORS = (MemoryError, RuntimeError, ValueError, IndexError, TypeError)
Act = Callable[[Operands], None]


def no_memory(_: Operands) -> None:
    raise MemoryError("an allocation that fails")


def collect(_: Operands) -> None:
    gc.collect()


def give(make: Callable[[Any], Any]) -> Act:
    """Give every operand other memory, as a finalizer or another thread may."""

    def act(operands: Operands) -> None:
        for tensor in operands:
            tensor.data = make(tensor.detach())

    return act


def empty_list(operands: Operands) -> None:
    """Empty the list that was given to an op, and forget its tensors."""
    operands.items.clear()
    gc.collect()


def forget(_: Operands) -> None:
    """Clear all tables of what has been found, as each does when it is full."""
    for table in tables():
        table.clear()


def in_a_thread(operands: Operands) -> None:
    """Another thread computes with other memory in the same tensors."""

    def compute() -> None:
        larger(operands)
        for tensor in operands:
            (tensor + tensor).sum()

    thread = threading.Thread(target=compute)
    thread.start()
    thread.join()


def tables() -> list[dict[Any, Any]]:
    """The tables of all ops."""
    found = [op.rows if isinstance(op, Elementwise) else op.cached for op in OPS]
    return found + [table for op in OPS if not isinstance(op, ViewOp) for table in op.launches.values()]


larger = give(lambda t: sg.cat([t.reshape(-1)] * 3).reshape(3 * t.shape[0], *t.shape[1:]))
ACTS: dict[str, Act] = {
    "no memory": no_memory,
    "the collector": collect,
    "the same again": give(lambda t: t.clone()),
    "larger memory": larger,
    "smaller memory": give(lambda t: t.reshape(-1)[:1].clone()),
    "no elements": give(lambda t: t.reshape(-1)[:0].clone()),
    "another dtype": give(lambda t: t.double() if t.dtype is sg.float32 else t),
    "a narrow dtype": give(lambda t: t.half() if t.dtype is sg.float32 else t.bool()),
    "another layout": give(lambda t: t.t().contiguous().t() if t.ndim == 2 else t.clone()),
    "an empty list": empty_list,
    "full tables": forget,
    "another thread": in_a_thread,
}
HARMLESS = ("the collector", "full tables")  # after which results are as without them
CHANGED = "a tensor was given other memory"  # what an op says that keeps the tensor for its gradient


def at_point(number: int, act: Act, operands: Operands) -> Callable[[], None]:
    """A hook that acts at one of the points at which Python may run."""

    def hook() -> None:
        if interrupt.points == number:
            act(operands)

    return hook


def attacked(run: Callable[[Operands], Any], number: int, act: Act, grad: bool) -> tuple[Any, Operands]:
    """What a program gives, or the error that it raises, when somebody acts at a point."""
    operands = programs.made(grad)
    interrupt.points, interrupt.hook = 0, at_point(number, act, operands)
    try:
        return run(operands), operands
    except ERRORS as error:
        return error, operands
    finally:
        interrupt.hook = None


def points_of(run: Callable[[Operands], Any], grad: bool) -> int:
    """How many points a program has, once it is found by tables."""
    for _ in range(3):
        attacked(run, -1, collect, grad)
    return interrupt.points


def numbers_of(result: Any) -> Any:
    """What a result holds; reading it also shows that it is whole."""
    values = result.detach().cpu().numpy()
    return result.dtype, values.shape, values.tobytes()


def settled(result: Any) -> Any:
    """The result, when the collector need no longer look through what computing it has left.

    It runs thousands of times, and what the compiler keeps would take it a hundred times as long as all operands do.
    """
    gc.collect()
    gc.freeze()
    return result


def attack_op(name: str, program: Program, acts: list[str], points: Callable[[int], list[int]], grad: bool) -> int:
    """Attack one op; the result is that of the operands before or after, or an error. How often it was attacked."""
    before, count = settled(numbers_of(program(programs.made(grad)))), 0
    for act in acts:
        for number in points(points_of(program, grad)):
            found, operands = attacked(program, number, ACTS[act], grad)
            count += 1
            if isinstance(found, Exception):
                assert act not in HARMLESS, f"{name}, {act} at point {number}: {found!r}"
                continue
            after = before
            if act not in (*HARMLESS, "no memory", "an empty list") and name not in programs.WRITES:
                after = numbers_of(program(operands)) if fits(program, operands) else None
            value = numbers_of(found)
            known = value in (before, after) or name in programs.WRITES
            assert known, f"{name}, {act} at point {number}: neither the result of before nor that of after"
        assert numbers_of(program(programs.made(grad))) == before, f"{name} after {act}"
    return count


def fits(program: Program, operands: Operands) -> bool:
    """Whether a program runs at all on what the attack has left."""
    try:
        program(operands)
    except ERRORS:
        return False
    return True


def with_gradients(program: Program) -> Callable[[Operands], Any]:
    """A program and its backward pass: all gradients in one tensor."""

    def run(operands: Operands) -> Any:
        leaves = [tensor for tensor in operands if tensor.requires_grad]
        found = sg.autograd.grad(program(operands), leaves, allow_unused=True)
        return sg.cat([gradient.detach().reshape(-1).double() for gradient in found if gradient is not None])

    return run


def attack_graph(name: str, program: Program, acts: list[str], points: Callable[[int], list[int]]) -> int:
    """Attack a program with gradients: it ends with whole gradients or an error, and is right the next time."""
    run, count = with_gradients(program), 0
    before = settled(numbers_of(run(programs.made(True))))
    for act in acts:
        for number in points(points_of(run, True)):
            found, _ = attacked(run, number, ACTS[act], True)
            count += 1
            if isinstance(found, Exception):
                assert act not in HARMLESS, f"{name}, {act} at point {number}: {found!r}"
            elif act in HARMLESS or act == "no memory":
                assert numbers_of(found) == before, f"{name}, {act} at point {number}"
            else:
                numbers_of(found)
        assert numbers_of(run(programs.made(True))) == before, f"{name} after {act}"
    return count


def without_memory(name: str, program: Program) -> int:
    """Let each allocation of CPython fail once while a program runs; how many did, 0 where CPython cannot do that."""
    try:
        from _testcapi import remove_mem_hooks, set_nomemory
    except ImportError:
        return 0
    run, number, failed = with_gradients(program), 0, True
    before = numbers_of(run(programs.made(True)))
    while failed and number < MOST_ALLOCATIONS:
        operands, failed = Operands(True), False
        set_nomemory(number, number + 1)
        try:
            run(operands)
        except ERRORS:
            failed = True
        finally:
            remove_mem_hooks()
        number += 1
    assert numbers_of(run(programs.made(True))) == before, f"{name} after allocations that failed"
    return number


def race(rng: random.Random, rounds: int) -> int:
    """Another thread gives the operands other memory, and shapes, all the time; no result is anything but whole."""
    operands, done, count = Operands(), threading.Event(), 0
    acts = [act for name, act in ACTS.items() if "memory" in name and act is not no_memory]

    @native_alone()
    def change() -> None:
        while not done.is_set():
            rng.choice(acts)(operands)
            vars(operands).update(vars(Operands()))

    thread = threading.Thread(target=change)
    thread.start()
    for _ in range(rounds):
        for program in programs.OPS.values():
            try:
                numbers_of(program(operands))
            except ERRORS:
                count += 1
    done.set()
    thread.join()
    return rounds * len(programs.OPS)


def main(seed: int, max_count: int, first: int, step: int) -> None:
    """Attack every `step`-th program from number `first` on, at `most` points of each for each act."""
    rng = random.Random(seed)
    guards.guard()

    def points(count: int) -> list[int]:
        return sorted(rng.sample(range(1, count + 1), min(max_count, count)))

    attacks = failures = 0
    for name, program in list({**programs.OPS, **programs.WRITES}.items())[first::step]:
        for grad in (False, True):
            attacks += attack_op(name, program, list(ACTS), points, grad)
    for name, program in list(programs.GRAPHS.items())[first::step]:
        attacks += attack_graph(name, program, list(ACTS), points)
        failures += without_memory(name, program)
    with programs.on_device():
        for name, program in list({**programs.ON_DEVICES, **programs.WRITES}.items())[first::step]:
            attacks += attack_op(name, program, list(ACTS), points, True)
        for name, program in list(programs.GRAPHS_ON_DEVICES.items())[first::step]:
            attacks += attack_graph(name, program, list(ACTS), points)
    sys.setswitchinterval(1e-6)
    races = race(rng, max_count)
    assert not any(guards.damage().values()), guards.damage()
    print(f"attacks={attacks} failed_allocations={failures} races={races}")


KINDS = (Elementwise, KernelOp, KernelOpGradient, ViewOp)
OPS = [obj for obj in gc.get_objects() if isinstance(obj, KINDS)]
if __name__ == "__main__":
    with native_alone():
        main(*map(int, sys.argv[1:]))
