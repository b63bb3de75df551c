"""Compare: Measurements as a table, with a row for each task and a column for each way of doing it."""

from collections.abc import Iterable

from .measurement import Measurement, ordered_unique, select_unit, trim_sigfig, unit_to_english


class Compare:
    """A table of Measurements: rows by sub_label and threads, columns by description, one table for each label.

    Args:
        results: the Measurements; those of one task are joined.

    Example:
        >>> from specgrad.utils.benchmark import Measurement, TaskSpec
        >>> task = TaskSpec("f()", "pass", label="calls", description="mine")
        >>> print(Compare([Measurement(1, [0.002], task)]))
        [----- calls -----]
                    |  mine
        1 threads: --------
              f()   |   2.0
        <BLANKLINE>
        Times are in milliseconds (ms).
    """

    def __init__(self, results: Iterable[Measurement]) -> None:
        self._results: list[Measurement] = []
        self._trim = self._warn = False
        self.extend_results(results)

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Add Measurements, `results`, to the table; a ValueError where one of them is something else."""
        for one in results:
            if not isinstance(one, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, {type(one)} instead.")
            self._results.append(one)

    def trim_significant_figures(self) -> None:
        """Show no more digits than the times leave."""
        self._trim = True

    def highlight_warnings(self) -> None:
        """Mark times whose quartiles lie far apart."""
        self._warn = True

    def colorize(self, rowwise: bool = False) -> None:
        """Colours, of rows or of all: tables are plain text here, whatever `rowwise` says."""

    def print(self) -> None:
        """Print the table."""
        print(str(self))

    def __str__(self) -> str:
        merged = Measurement.merge(self._results)
        labels = ordered_unique(one.task_spec.label for one in merged)
        return "\n".join(self._table([one for one in merged if one.task_spec.label == label]) for label in labels)

    def _table(self, group: list[Measurement]) -> str:
        unit, scale = select_unit(min(one.median for one in group))
        columns = ordered_unique(one.task_spec.description or "" for one in group)
        rows = ordered_unique(map(_row, group))
        cells = {(_row(one), one.task_spec.description or ""): self._cell(one, scale) for one in group}
        widths = [max(len(name), *(len(cells.get((row, name), "")) for row in rows)) for name in columns]
        first = max(len(_name(row)) for row in rows) + 9
        lines = [" " * first + "|" + "|".join(f"  {name:>{w}}" for name, w in zip(columns, widths, strict=True))]
        threads = None
        for row in rows:
            if row[0] != threads:
                threads = row[0]
                lines.append(f"{threads} threads: ".ljust(len(lines[0]), "-"))
            shown = [f"  {cells.get((row, name), ''):>{w}}" for name, w in zip(columns, widths, strict=True)]
            lines.append(f"      {_name(row)}".ljust(first) + "|" + "|".join(shown))
        title = f" {group[0].task_spec.label or ''} ".center(len(lines[0]) - 2, "-")
        return "\n".join([f"[{title}]", *lines, "", f"Times are in {unit_to_english(unit)}s ({unit})."])

    def _cell(self, one: Measurement, scale: float) -> str:
        time = one.median / scale
        if self._trim:
            time = trim_sigfig(time, one.significant_figures)
        mark = " (! XX%)".replace("XX", f"{100 * one.iqr / one.median:.0f}") if self._warn and one.has_warnings else ""
        return f"{time:.1f}{mark}"


def _row(one: Measurement) -> tuple[int, str | None, str]:
    return one.task_spec.num_threads, one.task_spec.env, one.as_row_name


def _name(row: tuple[int, str | None, str]) -> str:
    return f"({row[1]}) {row[2]}" if row[1] else row[2]
