"""What is wrong is told once, with what to write instead; what only follows from it is not told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specgrad.codegen.check.validate import validate
from specgrad.codegen.library.bases import SPEC
from specgrad.codegen.library.op_library import Library, OpLibrary, read_known, runtime_library
from specgrad.codegen.proof.derive import load_spec
from specgrad.codegen.spec.model import Spec

Load = Callable[[str], tuple[Spec, list[str]]]
KNOWN = read_known()

GATE = """\
- name: gate(Tensor self, float beta=1.0) -> Tensor
  dtypes: [float]
  elementwise: self * sigmoid(beta * self)

- name: gated(Tensor self) -> Tensor
  dtypes: [float]
  composite: gate(self) + 1
  samples: ["self=T(3)"]
"""


@pytest.fixture(scope="module")
def tree() -> Spec:
    return load_spec(SPEC, SPEC.name)[0]


@pytest.fixture
def problems(load: Load, tree: Spec) -> Callable[[str], list[str]]:
    """All problems of a spec outside the tree, of form and of sense."""

    def of(text: str) -> list[str]:
        spec, of_form = load(text)
        return [*of_form, *map(str, validate(spec, KNOWN, tree))]

    return of


@pytest.mark.parametrize(
    ("right", "wrong", "problem"),
    [
        ("sigmoid(", "sigmiod(", "3:23: gate, elementwise: unknown function 'sigmiod' (did you mean 'sigmoid'?)"),
        ("sigmoid(beta", "sigmoid(bta", "3:31: gate, elementwise: unknown name 'bta' (did you mean 'beta'?)"),
        ("* self)", "* self", "3:30: gate, elementwise: bracket '(' is never closed"),
        ("elementwise", "elemntwise", "3:3: gate: unknown key 'elemntwise' (did you mean 'elementwise'?)"),
        ("[float]\n  elem", "[flaot]\n  elem", "2:12: gate, dtypes: unknown value 'flaot' (did you mean 'float'?)"),
        ("gate(Tensor", "gate(Tesnor", "1:14: gate: bad schema: unknown type 'Tesnor' (did you mean 'Tensor'?)"),
        ("float beta", "number beta",
         "1:27: gate: bad schema: unknown type 'number' (one of Tensor Scalar int float bool str ScalarType Device "
         "Generator MemoryFormat ProcessGroup)"),
        ("self=T(3)", "slef=T(3)", "8:19: gated, samples: the op has no argument 'slef' (did you mean 'self'?)"),
        ("gate(self) + 1", "gaet(self) + 1", "7:14: gated, composite: unknown function 'gaet' (did you mean 'gate'?)"),
    ],
)  # fmt: skip
def test_only_the_cause_is_told(problems: Callable[[str], list[str]], right: str, wrong: str, problem: str) -> None:
    """Neither a formula that cannot be derived, nor an argument that nothing reads, nor the op in other entries."""
    assert problems(GATE.replace(right, wrong, 1)) == [f"spec.yaml:{problem}"]


HELD = ": a formula holds names, numbers, operators, comparisons, `a if c else b` and calls, strings, attributes, "


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("math.pi * self", "an expression has no modules: write pi for math.pi"),
        ("nn.functional.gelu(self)", "an expression has no modules: write gelu for nn.functional.gelu"),
        ("linalg.norm(self)", "an expression has no modules: write linalg_norm for linalg.norm"),
        ("special.erf(self)", "an expression has no modules: write erf for special.erf"),
        ("one_hot(self, 3)", "unknown function 'one_hot': it is a function in Python, nn/functional/embedding.py:"),
        ("F.layer_norm(self, [3])", "an expression has no modules, and layer_norm is a function in Python, nn/"),
        ("self * float('inf')", "unknown function 'float': it is Python's: write inf for float('inf')"),
        ("self * max(self.shape[-1], 1)", "max takes a Tensor, not numbers: operators and `a if a > b else b` take"),
        ("self.sum() / max(n, 1)", "max takes a Tensor, not numbers"),
        ("self * sum(self.shape)", "sum takes a Tensor, not numbers"),
        ("self * (n if n > 1 else 1)", ""),
        ("self[..., 1:] + inf - pi", ""),
        ("lambda x: x", f"a lambda is not allowed here{HELD}"),
    ],
)
def test_an_expression_says_what_to_write(problems: Callable[[str], list[str]], expression: str, says: str) -> None:
    """Python's names for what is there under another, and numbers where a tensor belongs."""
    text = f'- name: f(Tensor self, int n=2) -> Tensor\n  composite: "{expression}"\n  samples: ["self=T(3)"]\n'
    text += "  flags: [ignores: [n]]\n" if "n" not in expression.replace("norm", "").split("(")[-1] else ""
    found = [line for line in problems(text) if ", composite: " in line]
    assert (found == []) if not says else (len(found) == 1 and says in found[0])


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("relu(self)", "unknown function 'relu': it is an op, and `elementwise` calls functions of numbers"),
        ("self.exp()", "there are no methods here: write exp(self)"),
        ("self[0]", "a subscript is not allowed here: a scalar expression holds names, numbers, operators"),
        ("log_sigmoid(self)", ""),
    ],
)
def test_a_scalar_expression_says_what_to_write(
    problems: Callable[[str], list[str]], expression: str, says: str
) -> None:
    """Ops, methods and subscripts are for tensors; a function whose derivative is known needs no formula."""
    found = problems(f"- name: f(Tensor self) -> Tensor\n  dtypes: [float]\n  elementwise: {expression}\n")
    assert (found == []) if not says else (len(found) == 1 and says in found[0])


@pytest.mark.parametrize(
    ("outputs", "expression", "says"),
    [
        ("(Tensor a, Tensor b)", "self + 1", "2 outputs in the schema, the composite gives 1"),
        ("(Tensor a, Tensor b)", "self.exp()", "2 outputs in the schema, the composite gives 1"),
        ("(Tensor a, Tensor b)", "(self, self, self) if self.ndim else (self, self)", "the composite gives 3"),
        ("(Tensor a, Tensor b)", "self.max(0)", ""),
        ("(Tensor a, Tensor b)", "(self, self)", ""),
        ("Tensor", "self.topk(2)", "1 output in the schema, the composite gives 2"),
        ("Tensor", "self.split(1)[0]", ""),
    ],
)
def test_outputs_are_counted(problems: Callable[[str], list[str]], outputs: str, expression: str, says: str) -> None:
    """Where the number of outputs can be told from the expression, it is that of the schema."""
    text = f"- name: f(Tensor self) -> {outputs}\n  dtypes: [float]\n  composite: {expression}\n"
    found = [
        line for line in problems(text + '  samples: ["self=T(3)"]\n') if " outputs " in line or " output " in line
    ]
    assert (found == []) if not says else (len(found) == 1 and says in found[0])


def test_an_unknown_kernel_says_where_one_goes(load: Load, tmp_path: Path) -> None:
    """In the tree the folder of the family, in a package a module beside the spec, else a package is wanted."""
    spec, _ = load(
        "- name: f(Tensor self) -> Tensor\n  kernel: zzqq\n  self: grad\n  result: auto_linear\n"
        '  samples: ["self=T(3)"]\n'
    )
    package = OpLibrary(tmp_path, "", relative=True, label="mine")
    libraries = {
        ": write it in runtime/ops/<family>/cpu.py": (runtime_library(True),),
        f": write it in {tmp_path.name}/kernels.py": (runtime_library(), package),
        ": a spec with functions of its own lies in a package, with an __init__.py": (runtime_library(),),
    }
    for says, own in libraries.items():
        assert f"there is no kernel 'zzqq'{says}" in str(validate(spec, Library(own).known())[0])
