"""What was measured: times of runs, their quartiles, and how they are shown."""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

_UNITS = {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}
MAX_SIGNIFICANT_FIGURES = 4
MIN_CONFIDENCE_INTERVAL = 25e-9  # seconds: what a clock can tell
IQR_WARNING = 0.1


def select_unit(t: float) -> tuple[str, float]:
    """The unit in which a time of `t` seconds is best shown, and how long it is.

    Args:
        t: seconds.

    Example:
        >>> select_unit(0.002)
        ('ms', 0.001)
    """
    exponent = min(max(3 * math.floor(math.log10(t) / 3), -9), 0) if t > 0 else -9
    return {-9: "ns", -6: "us", -3: "ms", 0: "s"}[exponent], 10.0**exponent


def unit_to_english(u: str) -> str:
    """The name of a unit of time.

    Args:
        u: its symbol: 'ns', 'us', 'ms' or 's'.
    """
    return _UNITS[u]


def trim_sigfig(x: float, n: int) -> float:
    """The number `x` rounded to `n` significant digits.

    Args:
        x, n: the number, and how many digits.

    Example:
        >>> trim_sigfig(1234.5, 2)
        1200.0
    """
    if x == 0:
        return 0.0
    scale = 10.0 ** (math.floor(math.log10(abs(x))) + 1 - n)
    return float(round(x / scale) * scale)


def ordered_unique(elements: Iterable[Any]) -> list[Any]:
    """The elements without those that came before.

    Args:
        elements: what can be keys of a dictionary.
    """
    return list(dict.fromkeys(elements))


@dataclass(frozen=True)
class TaskSpec:
    """What is measured.

    Args:
        stmt: the statement.
        setup: what is run before it, once for each run.
        global_setup: code for other languages.
        label: what the statement does.
        sub_label: with what.
        description: how, as one of several ways that are compared.
        env: where.
        num_threads: with how many threads.
    """

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or the statement where there is none."""
        name = self.label or self.stmt.strip()
        return name if self.label is None or self.sub_label is None else f"{name}: {self.sub_label}"

    def setup_str(self) -> str:
        """What is run before the statement, as text with a title; empty where it is nothing."""
        return "" if self.setup in ("", "pass") else f"setup: {self.setup.strip()}"

    def summarize(self) -> str:
        """All that is known of the task, as lines."""
        threads = f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}"
        lines = [self.title, self.description or "", self.setup_str(), threads]
        return "\n".join(line for line in lines if line)


@dataclass
class Measurement:
    """The times of several runs of a statement.

    Args:
        number_per_run: how often the statement was run each time.
        raw_times: seconds of each run.
        task_spec: what was measured.
        metadata: whatever else is known.

    Example:
        >>> m = Measurement(10, [0.2, 0.3, 0.4], TaskSpec("f()", "pass"))
        >>> round(m.median, 6), round(m.mean, 6)
        (0.03, 0.03)
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = field(default=None)

    @property
    def times(self) -> list[float]:
        """Seconds of one time that the statement ran, on average in each run."""
        return [time / self.number_per_run for time in self.raw_times]

    def _quantile(self, part: float) -> float:
        if not self.raw_times:
            raise ValueError("No raw times: nothing was measured")
        return float(np.quantile(self.times, part))

    @property
    def median(self) -> float:
        """The median of the times."""
        return self._quantile(0.5)

    @property
    def mean(self) -> float:
        """The mean of the times."""
        return float(np.mean(self.times))

    @property
    def iqr(self) -> float:
        """The distance between the quartiles of the times."""
        return self._quantile(0.75) - self._quantile(0.25)

    @property
    def significant_figures(self) -> int:
        """How many digits of the median the spread of the times leaves: one to four."""
        width = max(1.645 * self.iqr / 1.35 / math.sqrt(len(self.raw_times)), MIN_CONFIDENCE_INTERVAL)
        ratio = max(abs(self.median) / width, 1.0)
        return max(1, min(MAX_SIGNIFICANT_FIGURES, math.ceil(math.log10(ratio)) if ratio > 1 else 1))

    @property
    def has_warnings(self) -> bool:
        """Whether the times lie so far apart that the median says little."""
        return not self.meets_confidence()

    def meets_confidence(self, threshold: float = IQR_WARNING) -> bool:
        """Whether the distance between the quartiles is below `threshold` of the median."""
        return self.iqr / self.median < threshold

    @property
    def title(self) -> str:
        """What was measured, in one line."""
        return self.task_spec.title

    @property
    def env(self) -> str:
        """Where it was measured."""
        return self.task_spec.env or ""

    @property
    def as_row_name(self) -> str:
        """What a table calls its row."""
        return self.task_spec.sub_label or self.task_spec.stmt or "[Unknown]"

    def __getattr__(self, name: str) -> Any:
        if name in TaskSpec.__dataclass_fields__:
            return getattr(self.task_spec, name)
        raise AttributeError(name)

    def __repr__(self) -> str:
        unit, scale = select_unit(self.median)
        shown = f"{{:.{self.significant_figures}g}} {unit}"
        lines = [f"<{__name__.rpartition('.')[0]}.Measurement object>", self.task_spec.summarize()]
        if len(self.raw_times) > 1:
            quartiles = [shown.format(trim_sigfig(self._quantile(q) / scale, 4)) for q in (0.25, 0.75)]
            lines.append(f"  Median: {shown.format(self.median / scale)}")
            lines.append(f"  IQR:    {shown.format(self.iqr / scale)} ({quartiles[0]} to {quartiles[1]})")
        else:
            lines.append(f"  {shown.format(self.median / scale)}")
        runs = f"{len(self.raw_times)} measurement{'s' if len(self.raw_times) > 1 else ''}"
        lines.append(f"  {runs}, {self.number_per_run} runs per measurement")
        if len(self.raw_times) > 1 and self.has_warnings:
            lines.append("  WARNING: the quartiles lie far apart: something else runs on the machine")
        return "\n".join(lines)

    @staticmethod
    def merge(measurements: "Iterable[Measurement]") -> "list[Measurement]":
        """One Measurement for each task of `measurements`, with the times of all of these, per run of the statement."""
        groups: dict[TaskSpec, list[float]] = defaultdict(list)
        for one in measurements:
            groups[one.task_spec].extend(one.times)
        return [Measurement(1, times, task, None) for task, times in groups.items()]
