"""Every workload of benchmarks/ runs with specgrad."""

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import specgrad as sg
from benchmarks.kernels.cases import CASES, SHAPES, SIZES, case
from benchmarks.kernels.report import summary, table
from benchmarks.kernels.worker import Inputs
from benchmarks.machine import Machine
from benchmarks.picture import draw
from benchmarks.report import Row, overview
from benchmarks.results import Sample, difference
from benchmarks.workloads import COSTS, GROUPS
from benchmarks.workloads.registering import Cost
from tests.repository import ROOT


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True)


def test_every_workload_runs_twice() -> None:
    """A workload can be prepared and repeated without an error or a warning; the largest sizes are left out.

    What it gives are numbers, so that a comparison with another library says something.
    """
    code = """
import math
import specgrad
from benchmarks.results import samples
from benchmarks.worker import prepared
from benchmarks.workloads import WORKLOADS
for name in WORKLOADS:
    if name.endswith(("_4m", "_16m")):
        continue
    step = prepared("specgrad", specgrad, name)
    assert step is not None, name
    found = samples(step)
    assert not any(math.isnan(value) for each in found for value in each.values), name
    assert found or name in ("dropout", "loader_shuffled"), name
"""
    done = _run("-W", "error", "-c", code)
    assert done.returncode == 0, done.stderr


def test_names_and_counts() -> None:
    """A name stands for one workload, and the page on speed and the Makefile know how many there are."""
    names = [name for group in GROUPS.values() for name in group]
    assert len(set(names)) == len(names) >= 160
    assert COSTS.keys() <= set(names)
    for file in ("docs/speed.md", "Makefile"):
        assert set(re.findall(r"(\d+) workloads", (ROOT / file).read_text(encoding="utf-8"))) == {str(len(names))}
    assert f"{len(names)} workloads in {len(GROUPS)} groups" in (ROOT / "docs/speed.md").read_text(encoding="utf-8")


ONE = Sample("float32", [3], [1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    "other, message",
    [
        (ONE, ""),
        (Sample("float32", [3], [1.0, 2.0, 3.0001]), ""),
        (Sample("float32", [3], [1.0, 2.0, 3.1]), "result 0: 3 and 3.1, 1 of 3 differ"),
        (Sample("float32", [3], [1.0, 2.0, float("nan")]), "1 of 3 differ"),
        (Sample("float32", [3], [1.0, 2.0, float("inf")]), "1 of 3 differ"),
        (Sample("float64", [3], [1.0, 2.0, 3.0]), "float32 [3] and float64 [3]"),
        (Sample("float32", [3, 1], [1.0, 2.0, 3.0]), "float32 [3] and float32 [3, 1]"),
    ],
)
def test_results_that_differ_are_seen(other: Sample, message: str) -> None:
    """Roundings are no difference; another number, dtype or shape is one, and so is nan."""
    found = difference([ONE], [other])
    assert message in found and bool(found) == bool(message)


def test_integers_and_masks_are_to_be_equal() -> None:
    """There is nothing to be rounded."""
    one, other = Sample("int64", [2], [100000.0, 7.0]), Sample("int64", [2], [100001.0, 7.0])
    assert difference([one], [one]) == "" and "1 of 2 differ" in difference([one], [other])


def test_the_best_round_counts() -> None:
    """Ratios are of best times, and those below 1 are listed, the worst first, with those of more runs."""
    slow, fast = Row("slow", [[2.0, 9.0], [8.0, 1.0]]), Row("fast", [[1.0, 4.0], [3.0, 3.0]])
    assert (slow.ratio(1), fast.ratio(1)) == (0.5, 3.0)
    lines = list(overview({"group": [slow, fast]}, "torch", lambda name: [0.625, 1.5]))
    title = f"\n{'behind torch: 1 of 2 workloads':40}    again, in new processes"
    assert lines[-2:] == [title, f"{'slow':28}{0.5:12.2f}    0.62    1.50"]
    assert list(overview({"group": [fast]}, "torch", lambda name: []))[-1] == "\nbehind torch: 0 of 1 workloads"
    assert Row("absent", [[1.0, None]]).ratio(1) is None


def test_shares_of_the_machine() -> None:
    """Bytes are compared with the bandwidth that was measured with about as many, products with BLAS."""
    machine = Machine({10: 100.0, 1000: 50.0}, 200.0)
    assert Row("copy", [[0.5]], cost=Cost(moved=20)).share(0, machine) == 20 / 100 / 0.5
    assert Row("large", [[100.0]], cost=Cost(moved=900)).share(0, machine) == 900 / 50 / 100
    assert Row("matmul", [[2.0]], cost=Cost(flops=200)).share(0, machine) == 0.5
    assert Row("other", [[2.0]]).share(0, machine) is None


def test_the_picture_has_a_bar_for_each_workload(tmp_path: Path) -> None:
    """It is XML, with names, ratios and both directions, in a size that holds all rows."""
    groups = {
        group: [Row(name, [[1.0, 2.0 if index % 3 else 0.5]]) for index, name in enumerate(names)]
        for group, names in GROUPS.items()
    }
    draw(groups, "title", tmp_path / "speed.svg")
    found = ElementTree.parse(tmp_path / "speed.svg").getroot()
    sources = [each.text for each in found.iter("{http://www.w3.org/2000/svg}text")]
    assert {name for group in GROUPS.values() for name in group} <= set(sources)
    bars = [each for each in found.iter("{http://www.w3.org/2000/svg}rect") if each.get("class") != "ground"]
    assert {each.get("class") for each in bars} == {"faster", "slower"}
    width, height = map(float, found.get("viewBox", "").split()[2:])
    assert all(float(each.get("x", "")) + float(each.get("width", "")) < width for each in bars)
    assert all(float(each.get("y", "")) + float(each.get("height", "")) < height for each in bars)


def test_one_workload_is_timed() -> None:
    """The command prints a line with the workload's name and a number."""
    done = _run("-m", "benchmarks", "mul_sum_64", "--rounds", "1")
    assert done.returncode == 0, done.stderr
    line = next(line for line in done.stdout.splitlines() if line.startswith("mul_sum_64"))
    assert float(line.split()[1]) > 0


@pytest.mark.parametrize("name", ["no_such_workload"])
def test_unknown_workload(name: str) -> None:
    """A name that does not exist is refused with the names that do."""
    done = _run("-m", "benchmarks", name)
    assert done.returncode == 2 and "mul_sum_64" in done.stderr


def test_every_op_of_kernels_runs() -> None:
    """Each op computes numbers at the smallest sizes, and has a gradient unless its result has none."""
    code = """
import math
import specgrad
from benchmarks.kernels.cases import CASES
from benchmarks.kernels.worker import step_of
from benchmarks.results import samples
for op in (op for ops in CASES.values() for op in ops):
    for direction in ("forward", "backward"):
        step = step_of(specgrad, f"{op} tiny {direction}")
        assert (step is None) == (direction == "backward" and op in ("argmax", "any", "one_hot")), op
        values = [value for each in samples(step) for value in each.values] if step else [0.0]
        assert values and not any(math.isnan(value) for value in values), op
"""
    done = _run("-W", "error", "-c", code)
    assert done.returncode == 0, done.stderr
    assert len({op for ops in CASES.values() for op in ops}) == sum(map(len, CASES.values()))


def test_shapes_of_kernels() -> None:
    """A shape says sizes, layout and dtype of the inputs; softmax has a dimension to choose, rms_norm has none."""
    rows, columns = SIZES["rows"][1]
    strides = {shape: Inputs(sg, "rms_norm", shape).env["x"].stride() for shape in SHAPES}
    assert strides.pop("column") == (1, rows) and strides.pop("broadcast") == (0, 1)
    assert strides.pop("strided") == (2 * columns, 2) and strides.pop("short") == (8, 1)
    assert Inputs(sg, "softmax", "column").env["d"] == 0 and Inputs(sg, "softmax", "row").env["d"] == -1
    assert Inputs(sg, "softmax", "column").env["x"].stride() == (columns, 1)
    dtypes = {shape: Inputs(sg, "rms_norm", shape).env["weight"].dtype for shape in ("tiny", "float16")}
    assert dtypes == {"tiny": sg.float32, "float16": sg.float16}
    assert case("softmax", "threads") == case("softmax", "row") != case("softmax", "tiny")


def test_report_of_kernels() -> None:
    """The worst ratio comes first; PyTorch is ahead below 1, another checkout where it is more than 2 % faster."""
    times = {
        "flip tiny forward": [1.0, 4.0, 1.0],
        "roll row backward": [1.0, 0.5, 0.99],
        "roll row forward": [1.0, 2.0, 0.9],
    }
    rows = [Row(name, [list(each)]) for name, each in times.items()]
    lines = list(table(rows, ["specgrad", "torch", "beside"]))
    assert [line[0:4] + line.split()[2] for line in lines[1:]] == ["rollbackward", "rollforward", "flipforward"]
    message = "\n".join(summary(rows, ["specgrad", "torch", "beside"], ["specgrad", "torch", "specgrad@path"]))
    assert "1 of 3 cases are below 1.00 of torch" in message and "1 of 3 cases are below 0.98 of beside" in message
    assert re.search(r"roll +- +1.00 +2.00 +0.50 +1.00\n", message)


def test_ops_are_timed_beside_another_checkout() -> None:
    """The command prints times and ratios of one op, and ends where there is no such op."""
    options = "--shapes", "tiny", "threads", "--passes", "forward", "--seconds", "0.01", "--beside", str(ROOT)
    done = _run("-m", "benchmarks.kernels", "flip", *options)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("flip")]
    assert {line[1] for line in lines[:2]} == {"tiny", "threads"} and all(float(line[3]) > 0 for line in lines[:2])
    done = _run("-m", "benchmarks.kernels", "no_such_op")
    assert done.returncode == 2 and "--list" in done.stderr


def test_overlap_of_tensor_parallel_layers() -> None:
    """A step with overlap, one without and the sums alone are timed on two ranks, and have a ratio."""
    pytest.importorskip("mpi4py")
    done = _run("-m", "benchmarks.distributed.overlap", "8x4", "--rounds", "1", "--steps", "2")
    assert done.returncode == 0, done.stderr
    head, *rows = done.stdout.splitlines()
    assert head.endswith("ratio") and [row.split()[:4] for row in rows] == [
        ["8", "x", "4", kind] for kind in ("best", "median")
    ]
    assert all(float(number) > 0 for row in rows for number in row.split()[4:])
