"""A spec outside the tree has a package: hand-written parts, a base, overloads, and names that it registers."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.codegen.__main__ import main
from specgrad.runtime.errors import NotDifferentiableError

FILES = {
    "kernels.py": "import numba\n\n@numba.njit\ndef tripled(a):\n    return 3 * a\n",
    "checks.py": "def some(name, self):\n    '''At least one element.'''\n    if not self.numel():\n"
    "        raise ValueError(f'{name}(): nothing')\n    return (self,)\n",
    "scalars.py": "def _half(x):\n    return x * type(x)(0.5)\n\ndef halved(x):\n    return _half(x)\n",
    "scalars_complex.py": "def halved(x):\n    return x * 0.5j\n",
    "formulas.py": "def spread(grad, shape):\n    full = grad.new_zeros(shape)\n"
    "    full[::2] = grad\n    return full\n",
    "views.py": "def every_other(shape, strides, offset):\n"
    "    return ((shape[0] + 1) // 2, *shape[1:]), (2 * strides[0], *strides[1:]), offset\n",
    "batching.py": "def whole(call):\n    return call.run(call.all_batch_first())\n",
}
SPEC = """\
- name: triple(Tensor self) -> Tensor
  check: some
  kernel: tripled
  dispatch: {batch: whole}
  self: grad * 3
  result: auto_linear
  samples: ["self=T(3)"]
  errors: {ValueError: "self=T(0)"}
  doc: three times

- name: smaller(Tensor self) -> Tensor
  dtype: float
  elementwise: halved(self)
  self: grad / 2
  result: auto_linear
  doc: half

- name: thin(Tensor(a) self) -> Tensor(a)
  view: every_other
  self: spread(grad, self.shape)
  result: auto_linear
  samples: ["self=T(3)"]
  doc: every other row
"""


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Writes a package and its spec, and generates; the package is imported where that succeeds."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)

    def made(name: str, spec: str, files: dict[str, str], *options: str) -> ModuleType | int:
        for file, text in {**files, "__init__.py": "", f"{name}.yaml": spec}.items():
            (tmp_path / name).mkdir(exist_ok=True)
            (tmp_path / name / file).write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        status = main([str(tmp_path / name / f"{name}.yaml"), "--no-verify", *options])
        return status or importlib.import_module(f"{name}.generated")

    yield made
    for name in set(sys.modules) - before:  # the next test has others of these names
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def test_every_kind_of_part(make: Callable[..., Any]) -> None:
    """Each computes what its module says: a jitted function and a formula are an op."""
    ops = make("own_parts", SPEC, FILES)
    x = sg.tensor([1.0, 2.0, 4.0], requires_grad=True)
    ops.thin(ops.triple(ops.smaller(x))).sum().backward()
    assert x.grad.tolist() == [1.5, 0.0, 1.5]
    assert ops.smaller(sg.tensor([2j])).tolist() == [-1 + 0j]
    assert sg.func.vmap(ops.triple)(sg.ones(2, 3)).tolist() == [[3.0] * 3] * 2
    with pytest.raises(ValueError, match=r"triple\(\): nothing"):
        ops.triple(sg.ones(0))
    assert "at least one element." in ops.triple.__doc__


SCALED = """\
- name: scaled(Tensor self, Tensor weight) -> Tensor
  dtypes: [float]
  check: none
  kernel: weighed
  self: grad * weight
  weight: grad * self
  result: self_t * weight + self * weight_t * self.ndim
  backward: weighed_backward(output_mask, grad, self, weight)
  samples: ["self=T(2), weight=T(2)"]
  doc: x y

- name: clipped(Tensor self) -> Tensor
  dtypes: [float]
  elementwise: self if self < pi else inf
  doc: infinity from pi on

- name: tail(Tensor self) -> Tensor
  dtypes: [float]
  where: {hidden: "self.masked_fill(self < 0, -inf)"}
  composite: "hidden[..., 1:]"
  samples: ["self=T(2, 3)"]
  doc: all columns but the first
"""
WEIGHED = """\
def weighed(a, b):
    return a * b

def weighed_backward(output_mask, grad, a, b):
    return grad * b.copy(), grad * a.copy()
"""


def test_numbers_slices_and_primals(make: Callable[..., Any]) -> None:
    """`inf` and `pi` are numbers, `x[..., 1:]` is a slice, and in a tangent `self` is the primal.

    A tensor that was not saved, as no gradient needs it, is named where the kernel for backward reads it.
    """
    ops = make("scaled", SCALED, {"kernels.py": WEIGHED})
    assert ops.clipped(sg.tensor([3.0, 4.0])).tolist() == [3.0, float("inf")]
    assert ops.tail(sg.tensor([[1.0, -2.0, 3.0]])).tolist() == [[-float("inf"), 3.0]]
    x, y = sg.tensor([2.0, 3.0]), sg.tensor([5.0, 7.0])
    assert sg.func.jvp(ops.scaled, (x, y), (sg.ones(2), sg.ones(2)))[1].tolist() == [7.0, 10.0]
    y.requires_grad_()
    says = r"scaled\(\): its kernel for backward got None for weight: .* \(output_mask=\(False, True\)\)"
    with pytest.raises(RuntimeError, match=says):
        ops.scaled(x, y).sum().backward()


ONE_WAY = """\
- name: one_way(Tensor self, Tensor other) -> Tensor
  dtype: float
  check: none
  kernel: multiplied
  gradients: (grad * other, grad * self)
  result: not_implemented("it is a test")
  samples: ["self=T(2), other=T(2)"]
  doc: x y
"""


def test_an_op_without_forward_mode(make: Callable[..., Any]) -> None:
    """Its gradients are there; a tangent is refused with the reason, by any path to the op."""
    ops = make("one_way", ONE_WAY, {"kernels.py": "def multiplied(a, b):\n    return a * b\n"})
    x, y = sg.tensor([2.0, 3.0], requires_grad=True), sg.tensor([5.0, 7.0])
    ops.one_way(x, y).sum().backward()
    assert x.grad.tolist() == [5.0, 7.0]
    with pytest.raises(NotDifferentiableError, match=r"one_way\(\): no forward mode: it is a test"):
        sg.func.jvp(lambda x: ops.one_way(x, y), (y,), (y,))


VIEWED = """\
- name: tripled_as(Tensor self) -> Tensor
  dtype: float
  kernel: tripled
  self: (3 * grad).view(result.shape)
  result: auto_linear
  samples: ["self=T(2, 3)"]
  doc: 3 x
"""


def test_a_gradient_that_reads_the_shape_of_the_result(make: Callable[..., Any]) -> None:
    """Which is no argument of the op, whose calls are recorded nevertheless."""
    ops = make("viewed", VIEWED, FILES)
    x = sg.ones(2, 3, requires_grad=True)
    ops.tripled_as(x).sum().backward()
    assert x.grad.tolist() == [[3.0] * 3] * 2


def test_a_name_that_specgrad_has_is_refused(make: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    """With both places; so is a helper named like an op, and one that two modules define."""
    files = {"kernels.py": "def cumsum(a):\n    return a\n", "formulas.py": "def exp(x):\n    return x\n"}
    assert make("clashing", SPEC.replace("tripled", "cumsum"), {**FILES, **files}) == 1
    shown = capsys.readouterr().err
    assert "clashing/kernels.py:1:1: cumsum: there is a kernel of this name at runtime/ops/scan/cpu.py:" in shown
    assert "clashing/formulas.py:1:1: exp: there is an op of this name at derivatives.yaml:" in shown


def test_a_module_that_is_no_python_is_refused(make: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert make("broken_parts", SPEC, {**FILES, "kernels.py": "def tripled(a:\n    return a\n"}) == 1
    assert "broken_parts/kernels.py:1:12: is no Python: " in capsys.readouterr().err


def test_parts_out_of_reach_are_pointed_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Generated code can import modules of the package that it lies in, and no others."""
    (tmp_path / "ops.yaml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "kernels.py").write_text(FILES["kernels.py"], encoding="utf-8")
    assert main([str(tmp_path / "ops.yaml"), "--out", str(tmp_path / "ops"), "--no-verify"]) == 1
    shown = capsys.readouterr().err
    assert "there is no kernel 'tripled' (kernels.py:4 has one: put an __init__.py beside it, and " in shown


MORE = """\
- name: add.Scaled(Tensor self, Tensor other, Tensor scale) -> Tensor
  variants: [function]
  elementwise: self + other * scale
  self: grad
  other: grad * scale
  scale: grad * other
  result: auto_element_wise
  doc: x + s y

- name: nine_times(Tensor self) -> Tensor
  namespace: special
  composite: add(triple(self), triple(self), 2 * triple(ones_like(self)) / 3 - 1) + triple(self)
  samples: ["self=T(3)"]
  doc: nine times
"""


def test_a_base_and_its_overloads(make: Callable[..., Any]) -> None:
    """Formulas call the base's ops; a function picks between own overloads and the base's, whose own stays as it is."""
    make("ground", SPEC, FILES)
    ops = make("upper", MORE, {}, "--base", "ground")
    x, y = sg.tensor([1.0, 2.0]), sg.tensor([10.0, 20.0])
    assert ops.add(x, y, y).tolist() == [101.0, 402.0]
    assert ops.add(x, y, alpha=2).tolist() == [21.0, 42.0] == sg.add(x, y, alpha=2).tolist()
    assert ops.add(x, 1).tolist() == [2.0, 3.0]
    assert ops.nine_times(x).tolist() == [9.0, 18.0]
    with pytest.raises(TypeError, match="scale: Tensor(.|\n)*alpha: "):
        ops.add(x, "y")
    with pytest.raises(TypeError):
        sg.add(x, y, y)
    assert make("upper", MORE, {}).BASE == "ground", "the base of the last time"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "  variants: [function]\n",
            "",
            "Tensor.add stays as it is: an overload that a package adds needs",
        ),
        (
            ", Tensor scale",
            ", *, Scalar scale=1",
            "nothing tells its arguments from those of add.Tensor at deriv",
        ),
        ("add.Scaled", "add", "specgrad has an op of this name: 'add' is the name of add.Tensor, at derivatives.yaml:"),
        ("  namespace: special\n", "  operator: '@'\n", "'@' is the operator of matmul, at derivatives.yaml:"),
    ],
)
def test_what_a_base_has_stays(
    old: str, new: str, says: str, make: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """Overloads that hide the base's, methods and operators that it has are refused, and it is said where they are."""
    make("ground", SPEC, FILES)
    assert make("refused_upper", MORE.replace(old, new), {}, "--base", "ground") == 1
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("name", ["nowhere_at_all", "numpy", "not a name"])
def test_a_base_that_is_none(name: str, make: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert make("without_base", MORE, {}, "--base", name) == 1
    assert f"--base {name}: expected " in capsys.readouterr().err


def test_register_and_unregister(make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are there from `register()`, which may be called twice, to `unregister()`; none is replaced."""
    ops = make("own_parts", SPEC, FILES)
    x = sg.ones(2)
    assert not hasattr(x, "triple")
    ops.register()
    ops.register()
    assert x.triple().tolist() == [3.0, 3.0]
    assert sg.func.vmap(lambda row: row.triple())(sg.ones(2, 3)).tolist() == [[3.0] * 3] * 2
    ops.unregister()
    assert not hasattr(x, "triple")
    monkeypatch.setattr(sg.Tensor, "thin", len, raising=False)
    with pytest.raises(
        ValueError, match=r"Tensor\.thin is builtins\.len and would be own_parts\.generated\.ops\.ops\.thin"
    ):
        ops.register()
    assert not hasattr(x, "triple")


def test_namespaces(make: Callable[..., Any]) -> None:
    """What an entry wants in a namespace is a function of the package, and there after `register()`."""
    make("ground", SPEC, FILES)
    ops = make("upper", MORE, {}, "--base", "ground")
    ops.register()
    assert sg.special.nine_times is ops.nine_times and not hasattr(np, "nine_times")
    ops.unregister()
    assert not hasattr(sg.special, "nine_times")


def test_two_packages_may_have_ops_of_one_name(make: Callable[..., Any]) -> None:
    """Each one's formulas mean its own."""
    text = "- name: grow(Tensor self) -> Tensor\n  composite: self * 2\n  samples: ['self=T(3)']\n  doc: more\n\n"
    twice = text.replace("grow(", "grow_twice(").replace("self * 2", "grow(grow(self))")
    one, other = make("grower_one", text + twice, {}), make("grower_other", text.replace("2", "3") + twice, {})
    assert one.grow_twice(sg.ones(1)).item() == 4.0 and other.grow_twice(sg.ones(1)).item() == 9.0


def test_a_package_of_another_format_says_so(make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any name is missing: with both versions and the command that generates it again."""
    ops = make("own_parts", SPEC, FILES)
    monkeypatch.setattr(sg.generated, "FORMAT", "another")
    with pytest.raises(ImportError, match=r"^own_parts.* was generated by .*\(format another\): run `python -m"):
        importlib.reload(ops)


def test_the_format_follows_templates_and_the_runtime() -> None:
    """It changes with a template and with a parameter of what generated code calls."""
    from specgrad.codegen.library.digests import format_of

    code = {"ops.py": "from specgrad.runtime.shapes import broadcast_shapes\n"}
    other = {"ops.py": "from specgrad.runtime.shapes import gathered\n"}
    templates = [Path(__file__)]
    assert format_of(templates, code, ()) == format_of(templates, code, ()) != format_of([], code, ())
    assert format_of(templates, code, ()) != format_of(templates, other, ())


def test_the_folder_where_one_stands_makes_no_difference(
    make: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written in one folder is fresh in another, also where packages lie beside it that it imports."""
    make("own_parts", SPEC, FILES)
    (tmp_path / "elsewhere" / "specgrad").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert main([str(tmp_path / "own_parts" / "own_parts.yaml"), "--check"]) == 0
