"""Running plans on NumPy arrays: what loops are given, and what is said where there is no plan."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.dispatch.kernel_ops.kernel_op import KernelOp
from specgrad.runtime.kernels.cpu import plan
from specgrad.runtime.kernels.cpu.plan import Layout, Plan, Step, run, single
from specgrad.runtime.ops.reduction import cpu, plans

Array = np.ndarray
given: list[Any] = []


def scaled_sum(x: Array, row: Array, out: Array, factor: float, count: int, first: int, last: int) -> None:
    """out[i] = factor x[i] + row[i], or without a row: as a compiled loop would."""
    given.append((x, row, factor, count, first, last))
    out[first:last] = factor * x[first:last] + (row[first:last] if row.size else 0)


def one_call(x: Layout, row: Layout | None, factor: float) -> Plan | None:
    if x.strides is not None and x.strides[-1] == 2:
        return None
    count = int(np.prod(x.shape))
    return (Step(scaled_sum, (0, 1), ((0, x.shape),), (factor,), (count,), (count, 1)),)


def test_loops_get_flat_memory_numbers_ints_and_a_range() -> None:
    """Ints are ints and numbers floats, whatever the plan says: a loop is compiled for one type of each."""
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    (result,) = run(one_call, x, np.ones(6, np.float32), True)
    np.testing.assert_array_equal(result, x + 1)
    assert result.dtype == np.float32 and result.shape == (2, 3)
    memory, _, *rest = given[-1]
    assert memory.shape == (6,) and rest == [1.0, 6, 0, 6] and [type(r) for r in rest] == [float, int, int, int]


def test_an_operand_that_is_not_given_is_an_empty_array() -> None:
    """Of the dtype of the first operand, so that no loop is compiled anew for it."""
    x = np.arange(4.0)
    np.testing.assert_array_equal(run(one_call, x, None, 2)[0], 2 * x)
    assert given[-1][1].shape == (0,) and given[-1][1].dtype == x.dtype


def test_strided_operands_are_given_from_their_first_to_their_last_element() -> None:
    """A transpose has the memory of its matrix; a scalar of NumPy's is an array."""
    x = np.arange(6.0).reshape(2, 3).T
    np.testing.assert_array_equal(run(one_call, x, None, 1)[0].reshape(-1), np.arange(6.0))
    assert run(one_call, np.float64(3), None, 2)[0] == 6


def test_results_that_only_calls_use_are_made_once() -> None:
    """A later call that names one goes on with it."""

    def fill(out: Array, spare: Array) -> None:
        spare[:] = 5

    def read(out: Array, spare: Array) -> None:
        out[:] = spare

    def two_calls(x: Layout) -> Plan:
        results = ((0, x.shape), (1, x.shape))
        return Step(fill, (), results), Step(read, (), results)

    result, _ = run(two_calls, np.zeros(3))
    np.testing.assert_array_equal(result, [5, 5, 5])


def test_without_a_plan_the_error_says_for_what() -> None:
    """Who calls brings the arrays into a layout that there is a plan for."""
    with pytest.raises(ValueError, match=r"one_call\(\): no plan for arrays \[\(3,\)\]"):
        run(one_call, np.arange(6.0)[::2], None, 1)


def test_single_is_one_call_on_all_operands() -> None:
    """With one result, and nothing for threads to share unless it is said."""
    assert single(print, 2, (3,)) == (Step(print, (0, 1), ((0, (3,)),)),)


class Forgetful(dict[Any, Any]):
    """A table that another thread clears whenever something is put into it."""

    def __setitem__(self, key: Any, value: Any) -> None:
        self.clear()


def test_another_thread_may_clear_the_plans_that_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it does when there are too many: nobody looks for a plan a second time."""
    x = np.arange(3.0)
    monkeypatch.setattr(plan, "_ready", Forgetful())
    np.testing.assert_array_equal(run(one_call, x, None, 3)[0], 3 * x)
    tensor, op = sg.ones(2, 3), KernelOp("sum", plans.sum_all, cpu.sum_all, None, {"self": "T"})
    op.cached = Forgetful()
    assert op.remember((tensor,), (tensor,)) and not op.cached


def test_tables_come_behind_results_and_indices_are_of_int64() -> None:
    """Tables as they are, before numbers and ints; a result that is said to have indices does not get the dtype."""

    def index(x: Array, out: Array, positions: Array, table: Array, other: Array, factor: float, count: int) -> None:
        assert other.tolist() == [7] and count == 2
        out[:], positions[:] = factor * x[table], table

    def one(x: Layout) -> Plan:
        tables = np.array([2, 0]), np.array([7])
        results = ((0, (2,)), (1, (2,)))
        return (Step(index, (0,), results, (3.0,), (2,), tables=tables, indices=(1,)),)

    values, positions = run(one, np.array([1, 2, 4], np.float32))
    assert values.dtype == np.float32 and values.tolist() == [12, 3]
    assert positions.dtype == np.int64 and positions.tolist() == [2, 0]
