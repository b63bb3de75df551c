"""docs/adding-an-op.md can be followed: its entries pass the checks, and the ops do what it shows."""

from __future__ import annotations

import doctest
import importlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import specgrad as sg
from specgrad.codegen.__main__ import main
from specgrad.codegen.pages.statistics import code_lines, entry_lines
from specgrad.codegen.proof.derive import load_spec
from tests.repository import ROOT, copy

PAGE = (ROOT / "docs" / "adding-an-op.md").read_text(encoding="utf-8")
TREE = ("codegen", "generated", "nn", "runtime", "specgrad", "docs", "tests/spec")
USE = "import specgrad as sg; print(sg.leaky_integrate(sg.tensor([1.0, 0.0, 0.0, 1.0]), decay=0.5))"


def block(language: str) -> str:
    """The page's one block of a language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return found


def test_ops_outside_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is made and gives what the page shows (tests/test_architecture.py has the entries proved)."""
    (tmp_path / "my_ops.yaml").write_text(block("yaml"), encoding="utf-8")
    assert main([str(tmp_path / "my_ops.yaml"), "--out", str(tmp_path / "my_ops"), "--no-verify"]) == 0
    monkeypatch.syspath_prepend(str(tmp_path))
    test = doctest.DocTestParser().get_doctest(block("pycon"), {}, "adding-an-op.md", None, 0)
    runner = doctest.DocTestRunner()
    assert runner.run(test).failed == 0 and runner.tries > 4


def test_a_jitted_function_and_a_formula_are_an_op(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a package of its own the page's entry is accepted, and its gradient is the op itself."""
    package = tmp_path / "jitted_ops"
    package.mkdir()
    files = {"__init__.py": "", "kernels.py": block("python jitted"), "jitted_ops.yaml": block("yaml jitted")}
    for name, text in files.items():
        (package / name).write_text(text, encoding="utf-8")
    assert main([str(package / "jitted_ops.yaml"), "--no-verify"]) == 0
    monkeypatch.syspath_prepend(str(tmp_path))
    ops = importlib.import_module("jitted_ops.generated")
    x = sg.ones(1, 3, requires_grad=True)
    ops.damped(x, 1.0).sum().backward()
    assert x.grad.equal(ops.damped(sg.ones(1, 3), 1.0)) and x.grad[0].tolist() == pytest.approx([1, 1 / 2, 1 / 3])


def test_the_page_counts_the_lines_of_the_example(tmp_path: Path) -> None:
    """The lines that the page gives for entries of a package, and for the Python beside them, are those there are."""
    package = ROOT / "examples" / "physics_ops" / "src" / "physics_ops"
    spec = package / "physics_ops.yaml"
    lines = entry_lines(spec.read_text(encoding="utf-8"), load_spec(spec)[0].entries)
    (tmp_path / "damped.yaml").write_text(block("yaml jitted"), encoding="utf-8")
    (tmp_path / "damped.py").write_text(block("python jitted"), encoding="utf-8")
    lines |= entry_lines(block("yaml jitted"), load_spec(tmp_path / "damped.yaml")[0].entries)
    beside = {"snake": [package / "scalars.py"], "damped": [tmp_path / "damped.py"], "bent": [], "roughness": []}
    beside["heat_step"] = [package / f"{name}.py" for name in ("kernels", "checks", "batching")]
    rows = {name: f"(`{name}`) | {lines[name]} | {sum(map(code_lines, files))} |" for name, files in beside.items()}
    assert {name: row in PAGE for name, row in rows.items()} == dict.fromkeys(rows, True), rows


def test_the_page_counts_the_lines_of_packages() -> None:
    """Entries, and modules without layers and the first lines of the package."""
    for name in ("activation_ops", "row_ops"):
        package = ROOT / "examples" / name / "src" / name
        spec = package / f"{name}.yaml"
        lines = entry_lines(spec.read_text(encoding="utf-8"), load_spec(spec)[0].entries)
        python = sum(code_lines(path) for path in package.glob("*.py") if path.stem not in ("__init__", "layers"))
        assert f"| `{name}` | {len(lines)} | {sum(lines.values())} | {python} |" in PAGE, (lines, python)


def test_own_derivatives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page's function and entry are accepted and proved without a formula; with a wrong one they are not."""
    package = tmp_path / "cubic_ops"
    package.mkdir()
    files = {"__init__.py": "", "scalars.py": block("python derivatives"), "cubic_ops.yaml": block("yaml derivatives")}
    for name, text in files.items():
        (package / name).write_text(text, encoding="utf-8")
    spec = str(package / "cubic_ops.yaml")
    assert main([spec]) == 0, capsys.readouterr()
    assert main(["prove", "--spec", spec]) == 0
    assert capsys.readouterr().out.endswith("1 proved, 0 equal in numbers, 0 wrong\n")
    (package / "scalars.py").write_text(files["scalars.py"].replace("3 * result", "2 * result"), encoding="utf-8")
    assert main([spec]) == 1
    assert "scalars.py:4:14: solved_cubic, derivative by x: at x=" in capsys.readouterr().out


def test_section_with_defaults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The entries of the section are accepted and proved, and the one that says where it appears has its own word."""
    (tmp_path / "waves.yaml").write_text(block("yaml section"), encoding="utf-8")
    assert main([str(tmp_path / "waves.yaml"), "--out", str(tmp_path / "waves")]) == 0, capsys.readouterr()
    bend, parts = load_spec(tmp_path / "waves.yaml")[0].entries
    assert (bend.variants, parts.variants) == (("function",), ("function", "method"))
    assert (bend.inherited, parts.inherited) == (("variants", "dtype", "dtypes", "result"), ("dtypes",))


def test_dtypes_that_come_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The entry is accepted as it stands; with another rule the line of its statement is named."""
    path, text = tmp_path / "half.yaml", block("yaml gives")
    path.write_text(text, encoding="utf-8")
    assert main([str(path), "--out", str(tmp_path / "half")]) == 0, capsys.readouterr()
    path.write_text(text.replace("dtype: float\n", "dtype: accumulate\n"), encoding="utf-8")
    assert main([str(path), "--out", str(tmp_path / "half")]) == 1
    line = next(number for number, line in enumerate(text.splitlines(), 1) if line.startswith("  dtype_table:"))
    assert f"half.yaml:{line}:16: half_angle, dtypes: (self=T(3, 4)) gives int64 for int32" in capsys.readouterr().out


def test_an_op_inside_autocast(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The entry is accepted as it stands; what stands in the place of its word is refused at its place."""
    path, text = tmp_path / "gram.yaml", block("yaml autocast")
    path.write_text(text, encoding="utf-8")
    assert main([str(path), "--out", str(tmp_path / "gram")]) == 0, capsys.readouterr()
    path.write_text(text.replace("autocast: lower", "autocast: lowest"), encoding="utf-8")
    assert main([str(path), "--out", str(tmp_path / "gram")]) == 1
    assert "half_gram, autocast: unknown value 'lowest' (did you mean 'lower'?)" in capsys.readouterr().err


def test_an_op_that_takes_sparse_tensors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The op of a user's package is computed on values, as its entry says; what stands for the rule is checked."""
    path, text = tmp_path / "soft.yaml", block("yaml sparse")
    path.write_text(text, encoding="utf-8")
    assert main([str(path), "--out", str(tmp_path / "soft_ops")]) == 0, capsys.readouterr()
    monkeypatch.syspath_prepend(tmp_path)
    x = sg.sparse_coo_tensor([[0, 2]], [-2.0, 3.0], (3,))
    assert importlib.import_module("soft_ops").softened(x).to_dense().tolist() == [-4.0, 0.0, 9.0]
    path.write_text(text.replace("each_value", "each_valu"), encoding="utf-8")
    assert main([str(path), "--out", str(tmp_path / "soft_ops")]) == 1
    assert "there is no rule for sparse tensors 'each_valu' (did you mean 'each_value'?)" in capsys.readouterr().err


def test_op_without_formulas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The entry is accepted and proved with the formula that it leaves out, and the command shows that."""
    (tmp_path / "swish.yaml").write_text(block("yaml derived"), encoding="utf-8")
    assert main([str(tmp_path / "swish.yaml"), "--out", str(tmp_path / "swish")]) == 0, capsys.readouterr()
    capsys.readouterr()
    (swish,) = load_spec(tmp_path / "swish.yaml")[0].entries
    (command,) = re.findall(r'`python -m codegen (derive "[^`]*)`', PAGE)
    assert main(shlex.split(command)) == 0
    assert f"\n  self: {swish.gradients['self'].text}\n" in capsys.readouterr().out


def test_op_with_a_row_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A norm without a kernel by hand is proved, on both devices."""
    (tmp_path / "unit.yaml").write_text(block("yaml rows"), encoding="utf-8")
    assert main([str(tmp_path / "unit.yaml"), "--out", str(tmp_path / "unit")]) == 0, capsys.readouterr()
    assert (tmp_path / "unit/kernels/programs/cuda_unit_rows.py").is_file()


def test_op_with_an_indexed_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A recurrence without a kernel or a formula by hand is proved, on both devices."""
    (tmp_path / "decaying.yaml").write_text(block("yaml indexed"), encoding="utf-8")
    assert main([str(tmp_path / "decaying.yaml"), "--out", str(tmp_path / "decaying")]) == 0, capsys.readouterr()
    assert (tmp_path / "decaying/kernels/programs/cuda_decaying_sum_backward.py").is_file()


def test_op_with_named_parts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The entry is accepted and proved, and each definition is a local variable of the generated function."""
    (tmp_path / "entropy.yaml").write_text(block("yaml where"), encoding="utf-8")
    assert main([str(tmp_path / "entropy.yaml"), "--out", str(tmp_path / "entropy")]) == 0, capsys.readouterr()
    source = (tmp_path / "entropy" / "ops" / "ops.py").read_text(encoding="utf-8")
    assert source.count("    scores = query @ key.transpose(-2, -1) / query._shape[-1] ** 0.5\n") == 1
    assert source.count("    weights = scores.softmax(-1)\n") == 1


def test_op_with_oracles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The entry is accepted; with another reference, or a call that is not wrong, it is refused."""
    text, spec = block("yaml oracles"), tmp_path / "centred.yaml"
    edits = {"'constant'": "'linear'", 'dim=1"}': 'dim=0"}'}
    for old, new, status in (("", "", 0), *((old, new, 1) for old, new in edits.items())):
        spec.write_text(text.replace(old, new) if old else text, encoding="utf-8")
        assert main([str(spec), "--out", str(tmp_path / "centred")]) == status, capsys.readouterr()


def test_op_with_a_reference_in_parts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The entry is accepted; with another power in the reference it is refused."""
    text, spec = block("yaml parts"), tmp_path / "cubed.yaml"
    for old, status in ((" * distances\n", 1), ("", 0)):
        spec.write_text(text.replace(old, "\n") if old else text, encoding="utf-8")
        assert main([str(spec), "--out", str(tmp_path / "cubed")]) == status, capsys.readouterr()


def test_op_with_a_kernel(tmp_path: Path) -> None:
    """In a copy of the tree the entry is accepted, proved, and computes."""
    copy(tmp_path, *TREE)
    (tmp_path / "runtime" / "ops" / "scan" / "cpu_leaky.py").write_text(block("python kernel"), encoding="utf-8")
    spec = (ROOT / "derivatives.yaml").read_text(encoding="utf-8")
    before, following, after = spec.partition("- section: sorting\n")  # the section that follows the scans
    (tmp_path / "derivatives.yaml").write_text(f"{before}{block('yaml entry')}\n{following}{after}", encoding="utf-8")
    shown = run(tmp_path, "-m", "codegen")
    assert "wrote docs/ops.md" in shown and shown.startswith("1 op, ") and " 0 wrong, " in shown
    assert run(tmp_path, "-c", USE) == "tensor([1.0000, 0.5000, 0.2500, 1.1250])\n"


def test_the_op_of_the_readme(tmp_path: Path) -> None:
    """In a copy of the tree it goes through where the README puts it, and a wrong sign is refused, as shown there."""
    copy(tmp_path, *TREE, "constraints.txt")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (entry,) = re.findall(r"^```yaml\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    right, wrong = re.findall(r"^```console\n\$ \S+ -m codegen\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    before, following, after = (ROOT / "derivatives.yaml").read_text("utf-8").partition("- section: special\n")
    for text, shown in ((entry.replace("1 + beta", "1 - beta"), wrong), (entry, right.replace("...\n", ""))):
        (tmp_path / "derivatives.yaml").write_text(f"{before}{text}\n{following}{after}", encoding="utf-8")
        output = run(tmp_path, "-m", "codegen", status=shown is wrong)
        expected, found = (re.sub(r", \d+ s$", "", each, flags=re.MULTILINE) for each in (shown, output))
        assert found.startswith(expected), output
        is_there = "def swish(" in (tmp_path / "generated/ops/activation.py").read_text(encoding="utf-8")
        assert is_there == (shown is not wrong)
    use = "import specgrad as torch; print(torch.swish(torch.ones(2)), torch.zeros(1).swish(beta=2.0))"
    assert run(tmp_path, "-c", use) == "tensor([0.7311, 0.7311]) tensor([0.])\n"


NAMESPACED = """
- name: bent_swish(Tensor self) -> Tensor
  namespace: nn.functional
  flags: [precise: false]
  elementwise: self * sigmoid(1.5 * self)

"""
EXAMPLE = """
bent_swish:
  reference: self / (1 + np.exp(-1.5 * self))
  example: |
    >>> sg.nn.functional.bent_swish(sg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8176])
"""


def test_an_op_of_a_namespace(tmp_path: Path) -> None:
    """Its example finds it where the entry puts it, before and after it is written; it is nowhere else."""
    copy(tmp_path, *TREE, "constraints.txt")
    before, following, after = (ROOT / "derivatives.yaml").read_text("utf-8").partition("- section: special\n")
    (tmp_path / "derivatives.yaml").write_text(f"{before}{NAMESPACED}{following}{after}", encoding="utf-8")
    with (tmp_path / "tests/spec/activation.yaml").open("a", encoding="utf-8") as material:
        material.write(EXAMPLE)
    assert " 0 wrong" in run(tmp_path, "-m", "codegen")
    use = "import specgrad as sg; print(sg.nn.functional.bent_swish(sg.zeros(1)), hasattr(sg, 'bent_swish'))"
    assert run(tmp_path, "-c", use) == "tensor([0.]) False\n"


def run(folder: Path, *arguments: str, status: int = 0) -> str:
    """What a Python program prints that finds specgrad in a folder and nowhere else.

    The first one leaves bytecode for those after it, whatever the environment says: six processes import the copy.
    """
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("language", "names"), [("yaml", ["logcosh", "total_variation"]), ("yaml entry", ["leaky_integrate"])]
)
def test_the_table_counts_the_lines(language: str, names: list[str], tmp_path: Path) -> None:
    """The lines of YAML that the page gives for each op are those of its entry."""
    path = tmp_path / "ops.yaml"
    path.write_text(block(language), encoding="utf-8")
    lines = entry_lines(path.read_text(encoding="utf-8"), load_spec(path)[0].entries)
    assert {name: f"| `{name}` | {lines[name]} |" in PAGE for name in names} == dict.fromkeys(names, True), lines
