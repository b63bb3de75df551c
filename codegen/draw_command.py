"""`python -m codegen pictures`: draws every pictured op and its gradient, as the framework computes them, as SVG."""

import ast
import importlib
import math
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .emit.files import Files, differences, plan
from .library.files import MANIFEST, Refused, listed, plain_bytes
from .pages.statistics import picture_files, plain_values
from .project.progress import Progress, counted
from .spec.model import Entry, Spec
from .verify.command import LIMIT, PACKAGE
from .verify.isolation import Lost, answers
from .verify.processes import Package, registry

POINTS = 481  # on the horizontal axis; few of them are left by `thinned`
STRETCH = 2.0  # how much wider than the domain of the checks a picture is
DEFAULT = (-2.0, 2.0)
CENTRE = (0.05, 0.95)  # the quantiles between which most values lie
TALL = 1.6  # how many times larger the whole range is where a curve is cut off
CUT = (0.15, 0.85)  # the quantiles at which it then is
Piece = np.ndarray  # points of one unbroken curve, (n, 2)


@dataclass(frozen=True)
class Window:
    left: float
    right: float
    bottom: float
    top: float


def grid(domain: tuple[float, float] | None) -> np.ndarray:
    low, high = domain or DEFAULT
    midpoint, half = (low + high) / 2, (high - low) / 2 * STRETCH
    return np.linspace(midpoint - half, midpoint + half, POINTS)


def window(x: np.ndarray, *curves: np.ndarray) -> Window:
    ends = [end for curve in curves for end in extent(curve[np.isfinite(curve)])]
    low, high = min(0.0, *ends), max(0.0, *ends)
    margin = 0.08 * max(high - low, 1.0)
    return Window(float(x[0]), float(x[-1]), low - margin, high + margin)


def extent(values: np.ndarray) -> tuple[float, float]:
    if not values.size:
        return 0.0, 0.0
    low, high = np.quantile(values, CENTRE)
    tall = values.max() - values.min() > TALL * (high - low)
    ends = np.quantile(values, CUT) if tall and high > low else (values.min(), values.max())
    return float(ends[0]), float(ends[1])


def pieces(x: np.ndarray, y: np.ndarray, seen: Window) -> list[Piece]:
    height = seen.top - seen.bottom
    shown = np.isfinite(y) & (y >= seen.bottom - height) & (y <= seen.top + height)
    breaks = np.flatnonzero(jumps(y, height) | ~shown[1:] | ~shown[:-1]) + 1
    parts = np.split(np.arange(len(x)), breaks)
    return [np.stack([x[part], y[part]], axis=1) for part in parts if len(part) > 1 and shown[part].all()]


def jumps(y: np.ndarray, height: float) -> np.ndarray:
    steps = np.abs(np.diff(np.nan_to_num(y, posinf=0, neginf=0)))
    around = np.pad(steps, 2)
    return steps > 3 * np.maximum(around[:-4], around[4:]) + 0.04 * height


def thinned(piece: Piece, tolerance: float) -> Piece:
    retained, todo = {0, len(piece) - 1}, [(0, len(piece) - 1)]
    while todo:
        first, last = todo.pop()
        start, step = piece[first], piece[last] - piece[first]
        inner = piece[first + 1 : last] - start
        away = np.abs(inner[:, 0] * step[1] - inner[:, 1] * step[0]) / max(float(np.hypot(*step)), 1e-12)
        if away.size and away.max() > tolerance:
            midpoint = first + 1 + int(away.argmax())
            retained.add(midpoint)
            todo += [(first, midpoint), (midpoint, last)]
    return piece[sorted(retained)]


WIDTH, HEIGHT = 360, 240
LEFT, RIGHT, TOP, BOTTOM = 36, 8, 26, 20  # margins for numbers and the title
TOLERANCE = 0.12  # of a pixel, by which a line of fewer points may be off
STEPS = (1, 2, 5)
BLUE, ORANGE = "#2563ab", "#c2570c"

HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" \
font-family="Helvetica, Arial, sans-serif" font-size="10" fill="#52606d">
  <title>{title} and its slope</title>
  <clipPath id="w"><rect x="{left}" y="{top}" width="{inner_width}" height="{inner_height}"/></clipPath>
  <rect width="{width}" height="{height}" fill="#ffffff"/>
  <text x="{left}" y="16" font-size="12" font-weight="bold" fill="#1f2933">{title}</text>
  <text x="{end}" y="16" text-anchor="end">\
<tspan fill="{blue}">function</tspan> <tspan fill="{orange}">slope</tspan></text>
"""


def picture(title: str, seen: Window, function: Sequence[Piece], derivative: Sequence[Piece]) -> str:
    view = View(seen)
    sizes = {"width": WIDTH, "height": HEIGHT, "left": LEFT, "top": TOP, "end": WIDTH - RIGHT}
    inner = {"inner_width": WIDTH - LEFT - RIGHT, "inner_height": HEIGHT - TOP - BOTTOM}
    parts = [HEAD.format(title=title, blue=BLUE, orange=ORANGE, **sizes, **inner), *view.axes()]
    parts += ['  <g clip-path="url(#w)" fill="none" stroke-width="2">\n']
    parts += [f'    <path d="{view.path(function)}" stroke="{BLUE}"/>\n']
    parts += [f'    <path d="{view.path(derivative)}" stroke="{ORANGE}" stroke-dasharray="5 3"/>\n']
    return "".join([*parts, "  </g>\n</svg>\n"])


class View:
    def __init__(self, seen: Window) -> None:
        self.seen = seen
        self.x_scale = (WIDTH - LEFT - RIGHT) / (seen.right - seen.left)
        self.y_scale = (HEIGHT - TOP - BOTTOM) / (seen.top - seen.bottom)

    def x(self, value: float) -> float:
        return LEFT + (value - self.seen.left) * self.x_scale

    def y(self, value: float) -> float:
        return TOP + (self.seen.top - value) * self.y_scale

    def path(self, curve: Sequence[Piece]) -> str:
        seen = self.seen
        corner, scale = np.array([seen.left, seen.top]), np.array([self.x_scale, -self.y_scale])
        lines = [thinned((piece - corner) * scale + (LEFT, TOP), TOLERANCE) for piece in curve]
        return "".join("M" + "L".join(f"{short(x)} {short(y)}" for x, y in line) for line in lines)

    def axes(self) -> Iterator[str]:
        seen = self.seen
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        xs, ys = ticks(seen.left, seen.right), ticks(seen.bottom, seen.top)
        yield line("#e4e7eb", [f"M{short(self.x(v))} {TOP}V{bottom}" for v in xs])
        yield line("#e4e7eb", [f"M{LEFT} {short(self.y(v))}H{right}" for v in ys])
        zeros = [f"M{short(self.x(0))} {TOP}V{bottom}"] * (seen.left < 0 < seen.right)
        yield line("#9aa5b1", [*zeros, f"M{LEFT} {short(self.y(0))}H{right}"])
        yield from (f'  <text x="{short(self.x(v))}" y="{HEIGHT - 7}" text-anchor="middle">{v:g}</text>\n' for v in xs)
        yield from (f'  <text x="{LEFT - 4}" y="{short(self.y(v) + 3.5)}" text-anchor="end">{v:g}</text>\n' for v in ys)


def line(color: str, commands: Sequence[str]) -> str:
    return f'  <path d="{"".join(commands)}" stroke="{color}"/>\n'


def ticks(low: float, high: float) -> list[float]:
    rough = (high - low) / 7
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((s * power for s in STEPS if s * power >= rough), 10 * power)
    return [round(k * step, 10) + 0.0 for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def short(value: float) -> str:
    return f"{round(float(value), 1) + 0.0:g}"


COMMAND = "codegen pictures"
REPAIR = f"python -m {COMMAND}"
NUMBER = re.compile(r"-?\d+\.?\d*")
LAST_DIGIT = 0.11  # by which a coordinate may differ where another processor rounds otherwise


def pictures_command(spec: Spec, root: Path, only_check: bool, package: Package = PACKAGE, repair: str = REPAIR) -> int:
    new = draw_pictures(spec, package) if package == PACKAGE else draw_isolated(spec, package)
    results = {}
    for name, text in new.items():
        old = (plain_bytes(root / name) or b"").decode("utf-8", errors="replace")
        results[name] = old if same_picture(text, old) else text
    files = listed(results, COMMAND, spec.file)
    if only_check:
        lines = differences(root, files)
        sys.stdout.writelines(lines)
        print(f"run `{repair}`\n" * bool(lines), end="", file=sys.stderr)
        return 1 if lines else 0
    planned = plan(root, files)
    planned.carry_out()
    for what, names in (("wrote", planned.changed), ("removed", planned.gone), ("left", planned.retained)):
        print("".join(f"{what} {root.name}/{name}\n" for name in names), end="")
    written = [name for name in planned.changed if name != MANIFEST]
    print(f"{counted(len(files) - 1, 'picture')}, {len(written)} written, {len(planned.gone)} removed")
    return 0


def draw_isolated(spec: Spec, package: Package) -> Files:
    ((_, result),) = answers([(draw_pictures, (spec, package))], LIMIT, 1)
    if isinstance(result, Lost):
        raise Refused(f"pictures: drawing {result.how}")
    return result


def draw_pictures(spec: Spec, package: Package = PACKAGE) -> Files:
    entries = spec.by_name()
    files = picture_files(entries)
    results: Files = {}
    with Progress(len(files), "pictures") as progress:
        for name, file in files.items():
            results[file] = drawing(entries[name], package)
            progress.step()
    return results


def drawing(entry: Entry, package: Package) -> str:
    x = grid(entry.domain.get("self"))
    y, gradient = function_and_gradient(entry, x, package)
    seen = window(x, y, gradient)
    return picture(entry.schema.name, seen, pieces(x, y, seen), pieces(x, gradient, seen))


def function_and_gradient(
    entry: Entry, points: np.ndarray, package: Package = PACKAGE
) -> tuple[np.ndarray, np.ndarray]:
    specgrad = importlib.import_module("specgrad")
    op = registry(package)[entry.name]
    held = {name: ast.literal_eval(value) for name, value in plain_values(entry).items()}
    x = specgrad.tensor(points, requires_grad=True)
    result = op.function(x, **held)
    if not result.requires_grad:
        return result.numpy(), np.full_like(points, np.nan)
    (gradient,) = specgrad.autograd.grad(result.sum(), [x])
    values = result.detach().numpy()
    return values, np.where(np.isnan(values), np.nan, gradient.numpy())


def same_picture(text: str, old: str | None) -> bool:
    if old is None or NUMBER.sub("", text) != NUMBER.sub("", old):
        return False
    pairs = zip(NUMBER.findall(text), NUMBER.findall(old), strict=True)
    return all(abs(float(a) - float(b)) < LAST_DIGIT for a, b in pairs)
