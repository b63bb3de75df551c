"""The pictures of functions and slopes: as fresh as the code, and right in what they leave out."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from specgrad.codegen.draw_command import (
    draw_pictures,
    function_and_gradient,
    grid,
    pictures_command,
    pieces,
    same_picture,
    thinned,
    ticks,
    window,
)
from specgrad.codegen.project.project import TREE
from specgrad.codegen.spec.model import Spec

FOLDER = TREE / "docs" / "pictures" / "ops"


def test_the_committed_pictures_are_fresh(spec: Spec, capsys: pytest.CaptureFixture[str]) -> None:
    """docs/pictures/ops holds what functions and gradients give now; `python -m codegen pictures` repairs it."""
    assert pictures_command(spec, FOLDER, only_check=True) == 0, capsys.readouterr().out


def test_pictures_are_small_and_well_formed(spec: Spec) -> None:
    """Every file is XML of few kilobytes, and most functions of one number have one."""
    sources = draw_pictures(spec)
    assert len(sources) > 40
    assert all(ElementTree.fromstring(text).tag.endswith("svg") and len(text) < 6000 for text in sources.values())


def test_what_is_drawn_is_the_function_and_its_gradient(spec: Spec) -> None:
    """Of tanh 1 - tanh(x)^2, and nothing where the function has no value."""
    entries = spec.by_name()
    x = np.array([-2.0, 0.5])
    y, derivative = function_and_gradient(entries["tanh"], x)
    assert np.allclose(y, np.tanh(x)) and np.allclose(derivative, 1 - np.tanh(x) ** 2)
    y, derivative = function_and_gradient(entries["log"], x)
    assert np.isnan([y[0], derivative[0]]).all() and np.allclose([y[1], derivative[1]], [np.log(0.5), 2])


def test_a_folder_is_filled_and_cleaned(spec: Spec, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Pictures are written once; what no op asks for goes, what others drew stays; a check only tells."""
    one, other = (Spec(spec.file, tuple(e for e in spec.entries if e.name == name)) for name in ("tanh", "sin"))
    (tmp_path / "own.svg").write_text("<svg/>", encoding="utf-8")
    assert pictures_command(one, tmp_path, only_check=True) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["own.svg"]
    for written in (1, 0):
        assert pictures_command(one, tmp_path, only_check=False) == 0
        assert f"1 picture, {written} written" in capsys.readouterr().out
    assert pictures_command(one, tmp_path, only_check=True) == 0
    assert pictures_command(other, tmp_path, only_check=False) == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["manifest.sha256", "own.svg", "sin.svg"]


def test_the_last_digit_may_differ() -> None:
    """Another processor may round another way, by a tenth of a pixel; more is another picture."""
    assert same_picture("M1.2 3L4 5", "M1.3 3L4 5")
    assert not same_picture("M1.2 3L4 5", "M1.4 3L4 5")
    assert not same_picture("M1.2 3L4 5", "M1.2 3L4 5L6 7")
    assert not same_picture("M1.2 3", None)


@pytest.mark.parametrize(("function", "parts"), [(np.sign, 2), (np.abs, 1), (np.floor, 8), (np.exp, 1)])
def test_curves_break_at_jumps_only(function: np.ufunc, parts: int) -> None:
    """Steps are not joined; kinks and steep curves are."""
    x = grid(None)
    y = function(x)
    assert len(pieces(x, y, window(x, y))) == parts


def test_curves_end_where_there_is_no_value() -> None:
    """And a pole does not decide how much of the plane is seen."""
    x = grid(None)
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(x < 1, np.nan, 1 / (x - 1))
    seen = window(x, y)
    (curve,) = pieces(x, y, seen)
    assert seen.top < 3 and curve[0, 0] > 1 and curve[-1, 0] == 4


def test_thinned_lines_stay_near() -> None:
    """A straight line needs two points, a parabola few."""
    x = np.linspace(0, 100, 201)
    assert len(thinned(np.stack([x, 2 * x], axis=1), 0.1)) == 2
    curve = np.stack([x, x * x / 100], axis=1)
    small_count = thinned(curve, 0.1)
    assert 5 < len(small_count) < 30
    assert np.abs(np.interp(x, small_count[:, 0], small_count[:, 1]) - curve[:, 1]).max() < 0.3


@pytest.mark.parametrize(("low", "high", "found"), [(-1, 1, [-1, -0.5, 0, 0.5, 1]), (0, 70, list(range(0, 71, 10)))])
def test_ticks_are_round_numbers(low: float, high: float, found: list[float]) -> None:
    assert ticks(low, high) == found
