"""What an entry says to `verify`: that it is not to be checked, and which numbers its arguments may be."""

from __future__ import annotations

import argparse
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from specgrad.codegen.__main__ import main
from specgrad.codegen.project.project import package_of_spec, read_project
from specgrad.codegen.verify.calls.samples import in_domain
from specgrad.codegen.verify.calls.variants import variants
from specgrad.codegen.verify.command import choose
from specgrad.generated.registry import BY_NAME

OFF = """\
- name: wrong(Tensor self) -> Tensor
  dtypes: [float]
  elementwise: self * self
  self: grad * 3
  result: auto_element_wise
  verify: "off, because its kernel calls a service"
  doc: A square.
"""
NUMBERS = """\
- name: root_of(Tensor self, float alpha) -> Tensor
  dtypes: [float]
  composite: (self * 0 + alpha).sqrt() * self
  domain: {alpha: [0.5, 2]}
  samples: ["self=T(3), alpha=0.75"]
- name: any_root_of(Tensor self, float alpha) -> Tensor
  dtypes: [float]
  composite: (self * 0 + alpha).sqrt() * self
  samples: ["self=T(3), alpha=0.75"]
- name: entropy(Tensor self) -> Tensor
  dtypes: [float]
  elementwise: "0 if self <= 0 else self * log(self)"
  self: grad * (log(self) + 1)
  result: auto_element_wise
  domain: [0.25, 3]
- name: entropy_inside(Tensor self) -> Tensor
  dtypes: [float]
  elementwise: self * log(self)
  self: grad * (log(self) + self / self)
  result: auto_element_wise
  domain: [0.25, 3]
  skip_grad_args: {self: probabilities are above 0}
"""


def write(folder: Path, text: str) -> str:
    spec = folder / "ops.yaml"
    spec.write_text(text, encoding="utf-8")
    return str(spec)


def test_an_entry_that_is_off_is_listed_with_its_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is written, its page says so, no formula of it is compared, and no mutants are made of it."""
    spec, out = write(tmp_path, OFF), tmp_path / "my_ops"
    assert main([spec, "--out", str(out)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "ops.yaml:1: wrong is not verified, because its kernel calls a service"
    assert shown[1].startswith("0 ops, 0 checks, 0 wrong, ")
    page = (out / "REFERENCE.md").read_text(encoding="utf-8")
    assert "not verified" in page and "because its kernel calls a service" in page
    assert main(["mutate", "--spec", spec]) == 0
    assert "wrong: no mutants are made of it, as it is not verified, because" in capsys.readouterr().out
    Path(spec).write_text(OFF.replace("  verify", "  # verify"), encoding="utf-8")
    assert main(["verify", "--spec", spec]) == 1
    error = capsys.readouterr().err
    assert error.startswith("verify: my_ops/ does not have wrong as ops.yaml states it: run `python -m ")
    assert len(error.splitlines()) == 1
    assert main([spec, "--out", str(out), "--no-verify"]) == 0
    capsys.readouterr()
    assert main(["mutate", "--spec", spec]) == 1
    first, total = capsys.readouterr().out.splitlines()
    assert first.startswith("wrong: no mutants are made of it, as the entry itself is refused: ops.yaml:4:9: wrong, ")
    assert total.startswith("0 ops, 0 mutants, ")


@pytest.mark.parametrize("value", ["off", '"off, because"', "false", '"because of a service"', "[off]"])
def test_an_entry_is_not_off_without_a_reason(value: str, tmp_path: Path) -> None:
    """The key has one form."""
    text = OFF.replace('"off, because its kernel calls a service"', value)
    options = argparse.Namespace(spec=Path(write(tmp_path, text)), out=tmp_path / "my_ops", base=None)
    _, problems = read_project(options)
    assert any("expected `off, because ...` with the reason" in str(p) or "one value" in str(p) for p in problems)


def test_no_entry_of_the_tree_is_off() -> None:
    """All of its ops are verified."""
    assert [name for name, op in BY_NAME.items() if op.unverified] == []


def test_an_op_that_is_not_generated_yet(capsys: pytest.CaptureFixture[str]) -> None:
    """Its entry is there, and no op: one sentence says what to do."""
    assert choose(["exp"], ["squareplus"], ["exp", "squareplus"]) is None
    assert capsys.readouterr().err == (
        "verify: 'squareplus' is not generated yet: run `python -m codegen`, which verifies it before anything is "
        "written\n"
    )


def test_the_package_of_a_spec_is_the_one_whose_manifest_names_it(tmp_path: Path) -> None:
    """Beside the spec or a folder below; two of them have to be told apart."""
    spec = tmp_path / "ops.yaml"
    manifest = "# What `python -m specgrad.codegen` wrote from {}. Run it again rather than edit these files.\n"
    manifest += f"{'0' * 64}  registry.py\n"
    for name, of in (("one", "other.yaml"), ("deep/two", "ops.yaml"), ("three", "it is no manifest")):
        (tmp_path / name).mkdir(parents=True)
        text = manifest.format(of) if of.endswith(".yaml") else of
        (tmp_path / name / "manifest.sha256").write_text(text, encoding="utf-8")
    assert package_of_spec(spec) == tmp_path / "deep" / "two"
    assert package_of_spec(tmp_path / "third.yaml") == tmp_path / "generated"
    (tmp_path / "one" / "manifest.sha256").write_text(manifest.format("ops.yaml"), encoding="utf-8")
    with pytest.raises(Exception, match="--out FOLDER has to say which package is meant"):
        package_of_spec(spec)


def op(domain: dict[str, tuple[float, float]], **fields: Any) -> Any:
    arguments = (("self", "Tensor", True, False), ("alpha", "float", True, False), ("count", "int", True, False))
    function = lambda self, alpha, count: self  # noqa: E731
    known = {"kind": "kernel", "unvaried": (), "hard": (), "function": function, "arguments": arguments, **fields}
    samples = ("self=T(3), alpha=0.75, count=4",)
    return SimpleNamespace(domain=domain, samples=samples, spec="nowhere.yaml", name="op", **known)


def test_numbers_stay_in_their_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are tried lie inside; where none of them does, the middle of the interval is."""
    inside = op({"alpha": (0.5, 2.0), "count": (3, 9)})
    assert in_domain(inside, "alpha", (0.0, 1.0, 0.5, -1.5)) == [1.0, 0.5]
    assert in_domain(inside, "count", (0, 1, -1, 2)) == [6]
    assert in_domain(inside, "self", (0.0, 1.0)) == [0.0, 1.0]
    monkeypatch.setattr("specgrad.codegen.verify.calls.variants.is_internal", lambda _: False)
    made = variants(inside)
    assert {text for text in made if "alpha=0.75" not in text} == {
        "self=T(3), alpha=1.0, count=4",
        "self=T(3), alpha=0.5, count=4",
    }
    assert "self=T(3), alpha=0.75, count=5" in made and "self=T(3), alpha=0.75, count=0" not in made
    assert "self=T(3), alpha=0.0, count=4" in variants(op({}))


def test_a_nan_that_the_entry_could_answer_says_how(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Numbers and tensors beyond what the op is called with; with a domain nothing is said."""
    assert main([write(tmp_path, NUMBERS), "--out", str(tmp_path / "my_ops")]) == 1
    lines = capsys.readouterr().out.splitlines()
    number, tensor = lines[:2]
    assert " any_root_of, gradient of self: " in number and "alpha=0.0" in number
    assert number.endswith("`domain: {alpha: [lo, hi]}`, or `skip_grad_args: {alpha: why}`)")
    assert " entropy, gradient of self: at (self=" in tensor and "the formula gives nan" in tensor
    assert tensor.endswith("`domain: {self: [lo, hi]}` with `skip_grad_args: {self: why}`)")
    assert ", 2 wrong, " in lines[-1]
