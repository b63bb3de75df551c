"""What a profiler shows: averages, tables, stacks."""

from typing import Any

import pytest

import specgrad as sg
from specgrad.profiler import record_function
from specgrad.runtime.extensions.profiler.table import format_bytes, format_share, format_time, scale_of
from tests.extensions.profiler.programs import profiled


def rows(table: str) -> list[list[str]]:
    """The cells of a table's body; columns are at least two blanks apart."""
    body = table.split("\n")
    rules = [number for number, line in enumerate(body) if line.startswith("---")]
    return [[cell for cell in line.split("  ") if cell.strip()] for line in body[rules[1] + 1 : rules[2]]]


# ---- averages ------------------------------------------------------------------------------------------------------


def test_averages_are_sums_over_events() -> None:
    """One row per name, in the order of first calls; counts and times are those of the events taken together."""
    x = sg.ones(2, 3)
    prof = profiled(lambda: [x.sin() for _ in range(3)] and x.cos() is None)
    sin, cos = prof.key_averages()
    events = [event for event in prof.events() if event.name == "aten::sin"]
    assert (sin.key, sin.count, cos.key, cos.count) == ("aten::sin", 3, "aten::cos", 1)
    assert sin.cpu_time_total == pytest.approx(sum(event.cpu_time_total for event in events))
    assert sin.cpu_time == pytest.approx(sin.cpu_time_total / 3)
    total = prof.total_average()
    assert (total.key, total.count) == ("Total", 4)
    assert total.self_cpu_time_total == pytest.approx(prof.self_cpu_time_total)
    assert "key=aten::sin" in repr(sin) and "name=aten::sin" in repr(events[0])


def test_groups_by_shape_stack_and_overload() -> None:
    """What is asked for keeps events of one name apart."""
    x, y = sg.ones(2, 3), sg.ones(4)

    def program() -> None:
        x.sin()
        y.sin()
        y.sin()

    prof = profiled(program, record_shapes=True, with_stack=True)
    assert [average.count for average in prof.key_averages()] == [3]
    separate = prof.key_averages(group_by_input_shape=True)
    assert [(average.count, average.input_shapes) for average in separate] == [(1, [[2, 3]]), (2, [[4]])]
    lines = [average.stack[0] for average in prof.key_averages(group_by_stack_n=1)]
    assert len(lines) == 3 and all("test_results.py" in line and "program" in line for line in lines)
    mul = profiled(lambda: (x * x, x.sum(), x.sum(1)))
    assert [a.overload_name for a in mul.key_averages(group_by_overload_name=True)][-1] == "dim_IntList"


def test_stack_of_backward_is_that_of_the_op() -> None:
    """Where a gradient is slow, one wants to know which line of the model it belongs to."""
    x = sg.ones(2, requires_grad=True)

    def forward() -> Any:
        return x.sin().sum()

    prof = profiled(lambda: forward().backward(), with_stack=True)
    found = {event.name: event.stack for event in prof.events()}
    assert "forward" in found["SinBackward0"][0]
    assert found["SinBackward0"] == found["aten::sin"] != []


# ---- tables --------------------------------------------------------------------------------------------------------


def test_table_looks_as_pytorchs() -> None:
    """The same program gives PyTorch's columns, of its widths, its rules, and its last line, for all options."""
    torch = pytest.importorskip("torch")

    def tables(library: Any) -> list[list[str]]:
        x = library.ones(2, 3)
        with (
            library.profiler.profile(
                activities=[library.profiler.ProfilerActivity.CPU],
                record_shapes=True,
                profile_memory=True,
                acc_events=True,
            ) as prof,
            library.profiler.record_function("a name of sixty letters" + "_" * 37),
        ):
            x.sin()
        averages = prof.key_averages()
        return [
            averages.table(sort_by="cpu_time_total").split("\n"),
            averages.table(header="heading", row_limit=1, max_name_column_width=20).split("\n"),
            prof.key_averages(group_by_input_shape=True).table().split("\n"),
            averages.table(top_level_events_only=True, time_unit="ms").split("\n"),
        ]

    for ours, theirs in zip(tables(sg), tables(torch), strict=True):
        assert len(ours) == len(theirs)
        for own, other in zip(ours, theirs, strict=True):
            if not any(arg_kind.isdigit() for arg_kind in other):  # all that is not measured
                assert own == other
            assert len(own) == len(other) or own.startswith("Self CPU time total")
        assert [row[0] for row in rows("\n".join(ours))] == [row[0] for row in rows("\n".join(theirs))]


def test_table_sorts_and_limits() -> None:
    """The largest first; ties stay in order; -1 shows all rows; an unknown attribute is an error."""
    x = sg.ones(2)
    averages = profiled(lambda: (x.sin(), x.cos(), x.cos(), x.exp())).key_averages()
    assert [row[0].strip() for row in rows(averages.table(sort_by="count"))] == ["aten::cos", "aten::sin", "aten::exp"]
    assert len(rows(averages.table(row_limit=2))) == 2
    assert len(rows(averages.table(row_limit=-1))) == 3
    assert averages.table(sort_by="cuda_time_total") == averages.table()  # no other device: all the same
    with pytest.raises(AttributeError, match="speed"):
        averages.table(sort_by="speed")


def test_table_of_nothing() -> None:
    """A recording without events has an empty table."""
    assert profiled(lambda: None).key_averages().table() == ""


def test_table_figures() -> None:
    """Shares are of the sum of own times, which the last line states; a row's texts are its figures."""
    x = sg.ones(2)

    def program() -> None:
        with record_function("range"):
            x.sin()

    prof = profiled(program)
    averages = prof.key_averages()
    full = prof.self_cpu_time_total
    for row, average in zip(rows(averages.table()), averages, strict=True):
        cells = [cell.strip() for cell in row]
        assert cells[0] == average.key
        assert cells[1] == f"{100 * average.self_cpu_time_total / full:.2f}%"
        assert cells[2:6:2] == [format_time(average.self_cpu_time_total), format_time(average.cpu_time_total)]
        assert cells[6] == str(average.count)
    assert averages.table().endswith(f"Self CPU time total: {format_time(full)}\n")
    assert "ms" not in averages.table(time_unit="us") and str(averages) == averages.table()


def test_table_shows_stacks_and_operations() -> None:
    """With them recorded there are columns for them; long lines lose their beginning."""
    a = sg.ones(10, 20)
    prof = profiled(lambda: a @ sg.ones(20, 50), with_stack=True, with_flops=True)
    table = prof.key_averages(group_by_stack_n=2).table(max_src_column_width=30)
    assert "Source Location" in table and "...test_profiler" not in table.split("\n")[1]
    assert "Total KFLOPs" in table and "20.000" in table  # 2 * 10 * 20 * 50
    assert all(len(line) == len(table.split("\n")[0]) for line in table.split("\n")[:-2])


def test_units() -> None:
    """Times, sizes, shares and counts are written in the largest unit of which there is one."""
    assert [format_time(t) for t in (0.5, 999.0, 1e3, 2.5e6)] == ["0.500us", "999.000us", "1.000ms", "2.500s"]
    assert [format_time(1500.0, unit) for unit in ("us", "ms", "s")] == ["1500.000us", "1.500ms", "0.002s"]
    assert [format_bytes(s) for s in (0, -512, 1536, 3 * 2**20, 2**30)] == [
        "0 B",
        "-512 B",
        "1.50 KB",
        "3.00 MB",
        "1.00 GB",
    ]
    assert (format_share(1, 8), format_share(1, 0)) == ("12.50%", "NaN")
    assert [scale_of(n) for n in (10, 2e3, 3e12)] == [(1.0, ""), (1e3, "K"), (1e12, "T")]
