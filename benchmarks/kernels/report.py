"""What ``python -m benchmarks.kernels`` prints: all cases, the worst ratio first, and geometric means by op."""

from collections.abc import Iterator, Sequence

from benchmarks.report import NAME, Row, format_ratio, geometric_mean, microseconds

from .cases import PASSES, SHAPES

LIMITS = {"torch": 1.0}  # a smaller ratio is behind; another checkout is equal but for noise
NOISE = 1 / 1.02


def limit(library: str) -> float:
    """The ratio to a library below which a case is behind."""
    return LIMITS.get(library, NOISE)


def is_behind(row: Row, libraries: Sequence[str]) -> bool:
    """Whether a case is slower than in any other library."""
    return any((row.ratio(i) or 1.0) < limit(library) for i, library in enumerate(libraries) if i)


def worst(row: Row, count: int) -> float:
    """The smallest ratio of a case; what no other library runs comes last."""
    return min((ratio for i in range(1, count) if (ratio := row.ratio(i)) is not None), default=float("inf"))


def table(rows: Sequence[Row], labels: Sequence[str]) -> Iterator[str]:
    """A line a case: microseconds of each library and the ratios to the first one, the worst first."""
    names = "".join(f"{label:>12}" for label in labels)
    yield f"{'op':{NAME}}{'shape':12}{'pass':10}{names}" + "".join(f"{label + ' x':>12}" for label in labels[1:])
    for row in sorted(rows, key=lambda row: worst(row, len(labels))):
        op, shape, direction = row.name.split()
        times = "".join(microseconds(row.seconds(i)) for i in range(len(labels)))
        ratios = "".join(format_ratio(row.ratio(i)) for i in range(1, len(labels)))
        differs = f"   DIFFERS: {row.wrong}" if row.wrong else ""
        yield f"{op:{NAME}}{shape:12}{direction:10}{times}{ratios}{differs}"


def mean_of(rows: Sequence[Row], index: int, *names: str) -> str:
    """The geometric mean of the ratios of the cases that have all these names."""
    chosen = (row for row in rows if set(names) <= set(row.name.split()))
    ratios = [ratio for row in chosen if (ratio := row.ratio(index)) is not None]
    return f"{geometric_mean(ratios):10.2f}" if ratios else f"{'-':>10}"


def summary(rows: Sequence[Row], labels: Sequence[str], libraries: Sequence[str]) -> Iterator[str]:
    """For each other library: geometric means by op and shape, and how many cases are behind."""
    names = [row.name.split() for row in rows]
    ops = list(dict.fromkeys(op for op, _, _ in names))
    shapes = [shape for shape in SHAPES if any(shape == each for _, each, _ in names)]
    for index, label in list(enumerate(labels))[1:]:
        yield f"\n{label + ' x':{NAME}}" + "".join(f"{name:>10}" for name in (*shapes, *PASSES, "all"))
        for op in ops:
            cells = [mean_of(rows, index, op, each) for each in (*shapes, *PASSES)]
            yield f"{op:{NAME}}" + "".join(cells) + mean_of(rows, index, op)
        cells = [mean_of(rows, index, each) for each in (*shapes, *PASSES)]
        yield f"{'all':{NAME}}" + "".join(cells) + mean_of(rows, index)
        ratios = [ratio for row in rows if (ratio := row.ratio(index)) is not None]
        bound = limit(libraries[index])
        behind = sum(ratio < bound for ratio in ratios)
        yield f"\n{behind} of {len(ratios)} cases are below {bound:.2f} of {label}"
