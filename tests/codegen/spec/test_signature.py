"""The schema grammar: what each construct parses to, and the place of each mistake."""

from __future__ import annotations

import pytest

from specgrad.codegen.spec.model import Argument, Return, Type
from specgrad.codegen.spec.signature import SchemaError, parse_schema, spell


def test_names_an_op_and_its_overload():
    schema = parse_schema("max.dim(Tensor self) -> Tensor")
    assert (schema.name, schema.overload, schema.full_name) == ("max", "dim", "max.dim")
    assert parse_schema("abs(Tensor self) -> Tensor").full_name == "abs"


@pytest.mark.parametrize(
    ("source", "parsed"),
    [
        ("Tensor", Type("Tensor")),
        ("Tensor?", Type("Tensor", optional=True)),
        ("Tensor[]", Type("Tensor", is_list=True)),
        ("Tensor?[]", Type("Tensor", is_list=True, optional_items=True)),
        ("Tensor(a)", Type("Tensor", alias="a")),
        ("Tensor(a!)", Type("Tensor", alias="a", writes=True)),
        ("int[2]", Type("int", is_list=True, size=2)),
        ("int[1]?", Type("int", is_list=True, size=1, optional=True)),
        ("Scalar", Type("Scalar")),
        ("ScalarType?", Type("ScalarType", optional=True)),
    ],
)
def test_reads_a_type(source: str, parsed: Type):
    schema = parse_schema(f"op({source} x) -> {source}")
    assert schema.arguments == (Argument("x", parsed),)
    assert schema.returns == (Return("result", parsed),)


def test_spells_a_type_as_it_is_written():
    for source in ("Tensor", "int[2]?", "Tensor?[]", "Scalar?", "int[]"):
        assert spell(parse_schema(f"op({source} x) -> Tensor").arguments[0].type) == source


@pytest.mark.parametrize(
    ("type_", "default"),
    [
        ("int", "-1"),
        ("float", "1e-05"),
        ("float", "0.5"),
        ("bool", "False"),
        ("Scalar", "1"),
        ("Scalar?", "None"),
        ("str", "'mean'"),
        ("int[2]", "1"),
        ("int[]", "[0, 1]"),
        ("int[]?", "None"),
        ("int[]", "[]"),
        ("Device?", "None"),
    ],
)
def test_keeps_the_source_of_a_default(type_: str, default: str):
    assert parse_schema(f"op({type_} x={default}) -> Tensor").arguments[0].default == default


def test_arguments_after_a_star_are_keyword_only():
    schema = parse_schema("op(Tensor self, *, int a=0, int b) -> Tensor")
    assert [a.keyword_only for a in schema.arguments] == [False, True, True]


def test_names_the_outputs():
    def outputs(source: str) -> list[str]:
        return [output.name for output in parse_schema(f"op() -> {source}").returns]

    assert outputs("Tensor") == ["result"]
    assert outputs("(Tensor, Tensor)") == ["result0", "result1"]
    assert outputs("(Tensor values, Tensor indices)") == ["values", "indices"]
    assert outputs("()") == []


@pytest.mark.parametrize(
    ("source", "offset", "message"),
    [
        ("op(Tensr x) -> Tensor", 3, "unknown type 'Tensr' (did you mean 'Tensor'?)"),
        ("op(Tensor x -> Tensor", 12, "expected ',', found '->'"),
        ("op(Tensor x) Tensor", 13, "expected '->', found 'Tensor'"),
        ("op(Tensor x)", 12, "expected '->', found the end of the schema"),
        ("op(Tensor) -> Tensor", 9, "expected the name of an argument, found ')'"),
        ("(Tensor x) -> Tensor", 0, "expected the name of the op, found '('"),
        ("op.(Tensor x) -> Tensor", 3, "expected the name of the overload, found '('"),
        ("op(Tensor x, Tensor x) -> Tensor", 20, "argument 'x' is named twice"),
        ("op(int x=1, int y) -> Tensor", 16, "argument 'y' has no default but follows one that has"),
        ("op(int x=None) -> Tensor", 9, "'None' is no default of type int"),
        ("op(bool x=1) -> Tensor", 10, "'1' is no default of type bool"),
        ("op(int[2]? x=[0, a]) -> Tensor", 13, "'[0, a]' is no default of type int[2]?"),
        ("op(int[] x=[0", 13, "expected ',', found the end of the schema"),
        ("op(int[] x=[0,", 14, "expected ']', found the end of the schema"),
        ("op(int x=", 9, "'' is no default of type int"),
        ("op(int[a] x) -> Tensor", 7, "expected ']', found 'a'"),
        ("op(Tensor(!) x) -> Tensor", 10, "expected the letter of an alias, found '!'"),
        ("op() -> (Tensor a, Tensor a)", 26, "output 'a' is named twice"),
        ("op() -> Tensor a", 15, "expected the end of the schema, found 'a'"),
        ("op(*, *, int a) -> Tensor", 6, "expected a type, found '*'"),
    ],
)
def test_a_mistake_has_its_place(source: str, offset: int, message: str):
    with pytest.raises(SchemaError) as caught:
        parse_schema(source)
    assert (caught.value.offset, caught.value.message) == (offset, message)
