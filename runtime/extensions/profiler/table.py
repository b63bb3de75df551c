"""Events as a table of the look that PyTorch's has: right-aligned columns between lines of dashes."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

TIME_UNITS = {"us": 1.0, "ms": 1e3, "s": 1e6}


def format_time(microseconds: float, unit: str | None = None) -> str:
    if unit is None:
        unit = "s" if abs(microseconds) >= 1e6 else "ms" if abs(microseconds) >= 1e3 else "us"
    return f"{microseconds / TIME_UNITS[unit]:.3f}{unit}"


def format_bytes(size: float) -> str:
    for unit, name in ((1024**3, "GB"), (1024**2, "MB"), (1024, "KB")):
        if abs(size) >= unit:
            return f"{size / unit:.2f} {name}"
    return f"{size:.0f} B"


def format_share(part: float, total: float) -> str:
    return f"{100 * part / total:.2f}%" if total else "NaN"


def scale_of(largest: float) -> tuple[float, str]:
    for scale, suffix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K")):
        if largest >= scale:
            return scale, suffix
    return 1.0, ""


_WIDTH = 12  # of columns of figures
_GAP = "  "


class TableFormat(NamedTuple):
    """Which columns there are beside those of times, how wide texts may be, and the unit of times."""

    shown: dict[str, bool]
    name_width: int = 55
    shapes_width: int = 80
    source_width: int = 75
    unit: str | None = None


class Column(NamedTuple):
    """A heading and a cell for each row, of one line or of several."""

    title: str
    cells: list[str]
    width: int = _WIDTH


def render(
    events: Sequence[Any], layout: TableFormat, sort_by: str | None, limit: int, header: str | None, top_level: bool
) -> str:
    if not events:
        return ""
    total = sum(event.self_cpu_time_total for event in events)
    rows = [e for e in events if not top_level or e.cpu_parent is None]
    if sort_by is not None:
        if not all(hasattr(event, sort_by) for event in rows):
            raise AttributeError(f"table(): argument 'sort_by' must name a column, not {sort_by!r}")
        rows.sort(key=lambda event: getattr(event, sort_by), reverse=True)
    rows = rows if limit < 0 else rows[:limit]
    on_devices = sum(event.self_device_time_total for event in events)
    columns = [*_names(rows, layout), *_figures(rows, total, on_devices, layout), *_descriptions(rows, layout)]
    lines = [*_above(columns, header, top_level), *_body(columns, len(rows))]
    rule = _rule(columns)
    sums = [f"Self CPU time total: {format_time(total, layout.unit)}"]
    if on_devices:
        sums.append(f"Self CUDA time total: {format_time(on_devices, layout.unit)}")
    return "\n".join([*lines, rule, *sums, ""])


def _names(rows: Iterable[Any], layout: TableFormat) -> list[Column]:
    names = [event.key for event in rows]
    columns = [_string_column("Name", names, layout.name_width)]
    if layout.shown.get("overloads"):
        columns.append(_string_column("Overload Name", [e.overload_name for e in rows], layout.name_width))
    return columns


def _figures(rows: Sequence[Any], total: float, on_devices: float, layout: TableFormat) -> list[Column]:
    unit = layout.unit
    columns = [
        Column("Self CPU %", [format_share(e.self_cpu_time_total, total) for e in rows]),
        Column("Self CPU", [format_time(e.self_cpu_time_total, unit) for e in rows]),
        Column("CPU total %", [format_share(e.cpu_time_total, total) for e in rows]),
        Column("CPU total", [format_time(e.cpu_time_total, unit) for e in rows]),
        Column("CPU time avg", [format_time(e.cpu_time, unit) for e in rows]),
    ]
    if on_devices:
        columns += [
            Column("Self CUDA", [format_time(e.self_device_time_total, unit) for e in rows]),
            Column("Self CUDA %", [format_share(e.self_device_time_total, on_devices) for e in rows]),
            Column("CUDA total", [format_time(e.device_time_total, unit) for e in rows]),
            Column("CUDA time avg", [format_time(e.device_time, unit) for e in rows]),
        ]
    if layout.shown.get("memory"):
        columns.append(Column("CPU Mem", [format_bytes(e.cpu_memory_usage) for e in rows]))
        columns.append(Column("Self CPU Mem", [format_bytes(e.self_cpu_memory_usage) for e in rows]))
    columns.append(Column("# of Calls", [str(e.count) for e in rows]))
    return columns


def _descriptions(rows: Sequence[Any], layout: TableFormat) -> list[Column]:
    columns = []
    if layout.shown.get("shapes"):
        columns.append(_string_column("Input Shapes", [str(e.input_shapes) for e in rows], layout.shapes_width))
    if layout.shown.get("flops"):
        scale, suffix = scale_of(max((e.flops for e in rows), default=0))
        cells = [f"{e.flops / scale:.3f}" if e.flops else "--" for e in rows]
        columns.append(Column(f"Total {suffix}FLOPs", cells))
    if layout.shown.get("stacks"):
        columns.append(_source_column(rows, layout.source_width))
    return columns


def _string_column(title: str, strings: list[str], widest: int) -> Column:
    width = max(_WIDTH, min(widest, 4 + max(map(len, strings), default=0)))
    return Column(title, [text if len(text) < width else text[: width - 3] + "..." for text in strings], width)


def _source_column(rows: Iterable[Any], widest: int) -> Column:
    stacks = [event.stack for event in rows]
    width = max(_WIDTH, min(widest, 4 + max((len(line) for stack in stacks for line in stack), default=0)))
    cut = [[line if len(line) < width else "..." + line[3 - width :] for line in stack] for stack in stacks]
    return Column("Source Location", ["\n".join(lines) for lines in cut], width)


def _above(columns: list[Column], header: str | None, top_level: bool) -> list[str]:
    rule = _rule(columns)
    message = [] if header is None else [header]
    message += ["This report only display top-level ops statistics"] if top_level else []
    above = [line for text in message for line in ("=" * len(rule.rstrip()), text)]
    return [*above, rule, _row([column.title for column in columns], columns), rule]


def _body(columns: list[Column], count: int) -> Iterator[str]:
    for number in range(count):
        cells = [column.cells[number].split("\n") for column in columns]
        for line in zip_longest(*cells, fillvalue=""):
            yield _row(line, columns)


def _row(cells: Iterable[str], columns: list[Column]) -> str:
    return "".join(cell.rjust(column.width) + _GAP for cell, column in zip(cells, columns, strict=True))


def _rule(columns: list[Column]) -> str:
    return _row(["-" * column.width for column in columns], columns)
