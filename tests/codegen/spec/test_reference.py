"""The form of `reference` and `errors`: what may stand there, and what is said of anything else."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from specgrad.codegen.spec.model import Entry, Spec
from specgrad.codegen.spec.reference import evaluate, name_faults, same_expression
from specgrad.generated.registry import OPS

Load = Callable[[str], tuple[Spec, list[str]]]
Check = Callable[..., list[str]]

ENTRY = """\
- name: exp(Tensor self, int dim=0) -> Tensor
  elementwise: exp(self) * dim
  reference: {}
  self: grad * result
  result: auto_element_wise
"""

WRONG = {
    "np.exp(slef) * dim": "3:21: exp, reference: unknown name 'slef' (did you mean 'self'?)",
    "np.expp(self)": "3:14: exp, reference: numpy has no 'expp' (did you mean 'exp'?)",
    "scipy.special.erff(self)": "3:14: exp, reference: scipy.special has no 'erff' (did you mean 'erf'?)",
    "np.random.normal(self)": "3:14: exp, reference: 'numpy.random' is no module of a reference (these are: ",
    "np.load('a') + self": "3:14: exp, reference: 'load' reaches beyond the values: a reference only computes",
    "self.tofile('a')": "3:14: exp, reference: 'tofile' reaches beyond the values: a reference only computes",
    "(self, np.linalg)": "3:21: exp, reference: 'np.linalg' is a module, where something of it belongs",
    "torch.exp(self)": "3:14: exp, reference: unknown name 'torch'",
    "open('a') + self": "3:14: exp, reference: unknown name 'open'",
    "np.zeros(3)": "3:14: exp, reference: it reads no argument of the op",
    "exp(self) * dim": "3:14: exp, reference: unknown name 'exp'",
    "np.exp(self) * dim": "3:14: exp, reference: it says what 'elementwise' says, with its mistakes: say it in another",
}


@pytest.mark.parametrize("reference", WRONG)
def test_what_makes_no_sense_is_told(reference: str, check: Check) -> None:
    """Names, libraries, files, and the entry's own expression again."""
    problems = check(ENTRY.format(reference))
    assert any(problem.startswith(f"spec.yaml:{WRONG[reference]}") for problem in problems), problems


FORM = {
    "self.__class__": "3:14: exp, reference: '__class__': names with a leading underscore are not allowed",
    "self if": "3:21: exp, reference: syntax error",
    "(x := self)": "3:15: exp, reference: ':=' is not allowed here",
    "f'{self}'": "3:14: exp, reference: an f-string is not allowed here",
    "[self]": "3:14: exp, reference: one value is wanted here",
}


@pytest.mark.parametrize("reference", FORM)
def test_what_has_another_form_is_told(reference: str, load: Load) -> None:
    """Statements, private names and other values of YAML."""
    _, problems = load(ENTRY.format(reference))
    assert [problem.startswith(f"spec.yaml:{FORM[reference]}") for problem in problems] == [True], problems


@pytest.mark.parametrize(
    "reference",
    [
        "np.exp(self) * (dim + 0)",
        "np.moveaxis(self[..., None, ::2], dim, -1) @ scipy.linalg.expm(self)",
        "'(lambda x, *rest: sum(x[k] for k in range(dim) if k not in rest))(self, 1, *[2])'",
        "np.lib.stride_tricks.sliding_window_view(self, dim)",
        "np.pi * self",
    ],
)
def test_what_may_stand_there(reference: str, check: Check) -> None:
    """Comprehensions, lambdas, slices, constants of a library."""
    assert check(ENTRY.format(reference)) == []


@pytest.mark.parametrize(
    ("reference", "own", "is_same"),
    [
        ("np.exp(self)", "exp(self)", False),  # the function is not ours
        ("np.exp(-self)", "exp(-self)", True),
        ("self.sum(dim)", "sum(self, dim)", True),
        ("np.sum(self, dim)", "sum(self, dim)", False),
        ("scipy.special.erf(self) * 2", "erf(self) * 2", True),
        ("2 * scipy.special.erf(self)", "erf(self) * 2", False),
        ("self + other", "self + other", True),
    ],
)
def test_what_says_the_same(reference: str, own: str, is_same: bool) -> None:
    """Functions count by their names; one call of a library's on plain arguments is another witness."""
    trees = (ast.parse(text, mode="eval").body for text in (reference, own))
    assert same_expression(*trees) is is_same


BLOCKS = {
    "{x: np.exp(self), result: x * (dim + 0)}": "",
    "{x: 'lambda y: np.exp(y)', z: x(self), result: z * (dim + 0)}": "",
    "{x: np.exp(self)}": "3:14: exp, reference: expected 'result' as the last name",
    "{result: self, x: self}": "3:15: exp, reference: 'result' is an output already",
    "{self: np.exp(self), result: self}": "3:15: exp, reference: 'self' is an argument already",
    "{x: self, x: self, result: x}": "3:24: exp, reference: 'x' is defined twice",
    "{x: [self], result: x}": "3:18: exp, x: an expression is wanted here, not a list or a mapping",
    "{x: y * 2, y: self, result: x * y}": "3:18: exp, reference: unknown name 'y'",
    "{x: self * 2, result: self + dim}": "3:18: exp, reference: nothing uses 'x'",
    "{x: 2, result: x * dim * 3}": "",
    "{x: 2, result: x * 3}": "3:29: exp, reference: it reads no argument of the op",
    "{x: np.exp(self), result: x * dim}": "3:40: exp, reference: it says what 'elementwise' says",
}


@pytest.mark.parametrize("reference", BLOCKS)
def test_parts_with_names(reference: str, check: Check, load: Load) -> None:
    """Each by the names above it, used, and none that stands for something else; written out they say something new."""
    _, problems = load(ENTRY.format(reference))
    problems = problems or check(ENTRY.format(reference))
    requested = BLOCKS[reference]
    assert [p for p in problems if p.startswith(f"spec.yaml:{requested}")] if requested else problems == [], problems


def test_a_reference_is_computed_line_by_line() -> None:
    """Functions among its parts see the arguments and the parts above them; nothing of Python's own is in reach."""
    lines = "n = len(self)\ntwice = lambda k: [k * n, *self]\n[twice(k)[0] for k in self]"
    assert evaluate(lines, {"self": [1, 2]}) == [2, 4]
    with pytest.raises(NameError):
        evaluate("open('a')", {})


def test_names_that_an_expression_binds() -> None:
    """They are known inside, whatever binds them."""
    tree = ast.parse("[a + b for a, b in zip(self, self)] + (lambda c, *d: [c, d])(1)", mode="eval").body
    assert list(name_faults(tree, ["self"])) == []


SUM = """\
- name: sum(Tensor self, int dim) -> Tensor
  kernel: sum_dim
  check: one_dim
  self: spread(grad, self.shape)
  result: auto_linear
  samples: ["self=T(3, 4), dim=1"]
  {}
"""


def test_refused_calls_by_class(entry: Callable[[str], Entry]) -> None:
    """A list for any error, or a call or a list of them for each class."""
    found = entry(
        SUM.format('errors: {IndexError: "self=T(), dim=1", ValueError: ["self=T(2), dim=1", "self=T(3), dim=1"]}')
    )
    assert [(each.call.text, each.error) for each in found.refuses] == [
        ("self=T(), dim=1", "IndexError"),
        ("self=T(2), dim=1", "ValueError"),
        ("self=T(3), dim=1", "ValueError"),
    ]
    assert [each.error for each in entry(SUM.format('errors: ["self=T(), dim=1"]')).refuses] == [""]


REFUSES = {
    "kink: average": (
        "3:10: sum, check: nothing shows that the check 'one_dim' refuses anything: give `errors`, a list of calls "
        "that it must refuse, written like the samples (self=T(3, 4), dim=1)"
    ),
    'errors: ["self=T(3)"]': "7:13: sum, errors: the sample misses dim",
    'errors: ["self=T(3), dmi=1"]': "7:28: sum, errors: the op has no argument 'dmi' (did you mean 'dim'?)",
    'errors: {IndexError: "self=T(3), dim=T(1)"}': "7:40: sum, errors: dim: expected int, found tensor",
}


@pytest.mark.parametrize("line", REFUSES)
def test_a_check_shows_what_it_refuses(line: str, check: Check) -> None:
    """By calls of the op, of the right types: what is of another type is refused before any check."""
    assert f"spec.yaml:{REFUSES[line]}" in check(SUM.format(line))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            'errors: {IndexErorr: "self=T(3), dim=1"}',
            "7:12: sum, errors: unknown word 'IndexErorr' (did you mean 'IndexError'?)",
        ),
        ("errors: []", "7:11: sum, errors: an empty list says nothing"),
        (
            'errors: {IndexError: "T(3)"}',
            "7:25: sum, errors: write each argument of a sample with its name",
        ),
    ],
)
def test_refusals_of_another_form(line: str, says: str, load: Load) -> None:
    """Classes that nobody catches, nothing, and no call."""
    _, problems = load(SUM.format(line))
    assert any(problem.startswith(f"spec.yaml:{says}") for problem in problems), problems


def test_a_section_gives_refusals_to_entries_with_a_check(load: Load) -> None:
    """What has no check refuses nothing."""
    section = '- section: Sums\n  defaults: {errors: {IndexError: "self=T(3), dim=1"}}\n'
    spec, problems = load(
        section + SUM.format("doc: x") + SUM.format("doc: y").replace("sum(", "sums(").replace("  check: one_dim\n", "")
    )
    assert problems == []
    assert [len(entry.refuses) for entry in spec.entries] == [1, 0]


def test_all_values_have_a_witness() -> None:
    """Each entry of the tree says in other words what it gives."""
    assert [op.name for op in OPS if not op.reference] == []
