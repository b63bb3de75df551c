"""Expressions: what is parsed, what is refused and where, and what is known about the names they use."""

from __future__ import annotations

import ast

import pytest
import yaml

from specgrad.codegen.language.syntax import MAX_LEVELS, SCALAR_SYNTAX, TENSOR_SYNTAX, too_deep
from specgrad.codegen.spec.formula import (
    FORWARD_KEYWORDS,
    REVERSE_KEYWORDS,
    names,
    parse_expression,
    parse_formula,
    parse_sample,
    value_reads,
)
from specgrad.codegen.spec.model import Formula
from specgrad.codegen.spec.source import Source, SourceString


class Reports(list[str]):
    """Collects the problems that a parser reports."""

    def __call__(self, where: object, message: str) -> None:
        self.append(f"{where}: {message}")


def source_of(document: str) -> SourceString:
    """The text of the value of the only key of a YAML mapping."""
    ((_, value),) = yaml.compose(document).value
    return Source("f", document).text(value)


def line(expression: str) -> SourceString:
    """A text in which the character at offset n stands in column n + 1."""
    return SourceString(expression, "f", tuple((1, column + 1) for column in range(len(expression) + 1)))


def formula(source: str, keywords: tuple[str, ...] = REVERSE_KEYWORDS) -> tuple[Formula, Reports]:
    reports = Reports()
    return parse_formula(line(source), keywords, reports), reports


DOCUMENTS = {
    "plain": "k: grad * foo(a,\n     βeta) + c\n",
    "single quotes": "k: 'grad * foo(a, βeta)\n\n   + c'\n",
    "double quotes": 'k: "grad * \\\n   foo(a,\n βeta) + c"\n',
    "folded": "k: >-\n   grad *\n     foo(a, βeta)\n\n   + c\n",
    "literal": "k: |\n   grad * foo(a,\n   βeta) +\n    c\n",
    "literal with indentation": "k: |2\n    grad * foo(a, βeta)\n    + c\n",
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_names_stand_where_the_file_has_them(document: str):
    tree = parse_expression(source_of(document), TENSOR_SYNTAX, Reports())
    assert tree is not None
    assert [name.id for name in names(tree)] == ["grad", "foo", "a", "βeta", "c"]
    lines = document.split("\n")
    for name in names(tree):
        assert lines[name.lineno - 1][name.col_offset :].startswith(name.id)
        assert (name.end_lineno, name.end_col_offset) == (name.lineno, name.col_offset + len(name.id))


def test_quotes_inside_quotes_do_not_shift_what_follows():
    assert source_of("k: 'f(''mean'') + x'").positions[-1] == (1, 20)
    assert source_of('k: "f(\\"mean\\") + x"').positions[-1] == (1, 20)


def test_keywords_have_no_tree():
    assert formula("non_differentiable")[0].keyword == "non_differentiable"
    assert formula("auto_linear", FORWARD_KEYWORDS)[0].keyword == "auto_linear"
    assert formula("auto_linear")[0].keyword is None


def test_not_implemented_keeps_its_reason():
    parsed, reports = formula('not_implemented("who would?")')
    assert (parsed.keyword, parsed.why, parsed.tree, reports) == ("not_implemented", "who would?", None, [])


def test_not_implemented_without_a_reason_is_refused():
    _, reports = formula("not_implemented()")
    assert reports == ['f:1:1: not_implemented takes the reason: not_implemented("why")']


@pytest.mark.parametrize("source", ["0", "-1.5", "True", "'grad'"])
def test_a_constant_is_no_formula(source: str):
    parsed, reports = formula(source)
    assert reports == [f"f:1:1: {source} is a constant, where a formula belongs"]
    assert (parsed.tree, parsed.keyword) == (None, None)


FORMULA = (
    ": a formula holds names, numbers, operators, comparisons, `a if c else b` and calls, strings, attributes, "
    "subscripts, tuples and lists"
)
SCALAR = ": a scalar expression holds names, numbers, operators, comparisons, `a if c else b` and calls of functions"


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("grad * (x + y", "1:8: bracket '(' is never closed"),
        ("grad * x)", "1:9: bracket ')' closes nothing"),
        ("x) + (y", "1:2: bracket ')' closes nothing"),
        ("grad[0) + x]", "1:7: bracket ')' closes nothing"),
        ("grad * * x", "1:8: syntax error: invalid syntax"),
        ("grad *", "1:7: syntax error: the expression ends too early"),
        ("", "1:1: syntax error: the expression ends too early"),
        ("grad = x", "1:6: syntax error: invalid syntax"),
        ("grad # why", "1:6: a comment cannot stand inside an expression"),
        ("import os", "1:1: syntax error: invalid syntax"),
        ("lambda: grad", f"1:1: a lambda is not allowed here{FORMULA}"),
        ("[g for g in grads]", f"1:1: a comprehension is not allowed here{FORMULA}"),
        ("f(g for g in grads)", f"1:2: a comprehension is not allowed here{FORMULA}"),
        ("grad * {1: 2}", f"1:8: a dict is not allowed here{FORMULA}"),
        ("grad * {1}", f"1:8: a set is not allowed here{FORMULA}"),
        ("(y := grad)", f"1:2: ':=' is not allowed here{FORMULA}"),
        ("f'{grad}'", f"1:1: an f-string is not allowed here{FORMULA}"),
        ("f(*grads)", f"1:3: a starred argument is not allowed here{FORMULA}"),
        ("f(**grads)", "1:3: a starred argument is not allowed here"),
        ("grad.__class__", "1:1: '__class__': names with a leading underscore are not allowed"),
        ("__import__(x)", "1:1: '__import__': names with a leading underscore are not allowed"),
        ("grad._flat", "1:1: '_flat': names with a leading underscore are not allowed"),
        ("f(x)(y)", "1:1: only a function or a method can be called"),
        ("b'x' + grad", "1:1: a bytes literal is not allowed here"),
        ("grad << x", f"1:1: '<<' is not allowed here{FORMULA}"),
        ("x in grad", f"1:1: 'in' is not allowed here{FORMULA}"),
    ],
)
def test_a_mistake_has_its_place(source: str, problem: str):
    parsed, reports = formula(source)
    assert reports == [f"f:{problem}"]
    assert parsed.tree is None


def test_all_forbidden_syntax_is_reported():
    _, reports = formula("f(lambda: x) + {y}")
    assert reports == [
        f"f:1:3: a lambda is not allowed here{FORMULA}",
        f"f:1:16: a set is not allowed here{FORMULA}",
    ]


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("self.exp()", "1:1: there are no methods here: write exp(self)"),
        ("self[0]", f"1:1: a subscript is not allowed here{SCALAR}"),
        ("self @ other", f"1:1: '@' is not allowed here{SCALAR}"),
        ("self is None", f"1:1: 'is' is not allowed here{SCALAR}"),
        ("(self, other)", f"1:1: Tuple is not allowed here{SCALAR}"),
    ],
)
def test_a_scalar_expression_has_less_syntax(source: str, problem: str):
    reports = Reports()
    assert parse_expression(line(source), SCALAR_SYNTAX, reports) is None
    assert reports == [f"f:{problem}"]


def test_a_scalar_expression_has_arithmetic_logic_and_calls():
    source = "-exp(x) * 2 ** y // 3 % 4 if not x < y <= 1 and x != 0 or ~x & y else where(x, 1.5, y)"
    reports = Reports()
    assert parse_expression(line(source), SCALAR_SYNTAX, reports) is not None
    assert reports == []


def test_a_sample_is_the_inside_of_a_call():
    arguments = parse_sample(line("self=T(3, 4, lo=-1), dim=[0, 1]"), Reports())
    assert arguments is not None
    assert {name: ast.unparse(value) for name, value in arguments.items()} == {
        "self": "T(3, 4, lo=-1)",
        "dim": "[0, 1]",
    }
    assert arguments["dim"].col_offset == 25
    assert parse_sample(line(""), Reports()) == {}


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("T(3), dim=1", "1:1: write each argument of a sample with its name, as in self=T(3)"),
        ("**x", "1:1: write each argument of a sample with its name, as in self=T(3)"),
        ("self=T(3", "1:7: bracket '(' is never closed"),
        ("self=T(3), self=T(4)", "1:12: argument 'self' is given twice"),
        ("self=T(3).exp()", "1:6: there are no methods here: write exp(T(3))"),
        ("self=lambda: 3", "1:6: a lambda is not allowed here"),
    ],
)
def test_a_mistake_in_a_sample_has_its_place(source: str, problem: str):
    reports = Reports()
    assert parse_sample(line(source), reports) is None
    assert reports == [f"f:{problem}"]


@pytest.mark.parametrize(
    ("source", "reads"),
    [
        ("grad * x", 1),
        ("grad.expand(x.shape)", 0),
        ("grad / x.numel() + x.size(0) + x.dtype", 0),
        ("zeros_like(x) + grad.type_as(x) + len(x)", 0),
        ("grad if x is None else x", 1),
        ("helper(grad, sizes(x), x[0].shape)", 0),
        ("x.exp() + x.T", 2),
        ("helper(grad, x)", 1),
    ],
)
def test_reading_metadata_is_not_reading_the_value(source: str, reads: int):
    tree = parse_expression(line(source), TENSOR_SYNTAX, Reports())
    assert tree is not None
    assert [node.id for node in value_reads(tree, ["x"])] == ["x"] * reads


@pytest.mark.parametrize("text", ["f(self={})", "[x for x in {}]", "(lambda x={}: x)", "{}", "f(a)[{}]"])
def test_levels_are_counted_inside_of_everything(text: str) -> None:
    """Later versions of Python parse more of them than a recursion can go through."""
    for levels, deep in ((MAX_LEVELS // 2, False), (MAX_LEVELS + 1, True)):
        tree = ast.parse(text.format("-" * levels + "1"), mode="eval").body
        assert (too_deep(tree) is not None) == deep
