"""The kinds of values that a sample writes, beside the types of the schema."""

from __future__ import annotations

import ast

from ..spec.model import Type
from ..spec.signature import spell
from .sample_tensors import MAKERS

NUMBERS = ("int", "float", "bool", "complex")
KINDS = {  # the kinds of values that stand for a type; the types that are not here take anything
    "Tensor": ("tensor",),
    "Scalar": NUMBERS,
    "float": ("int", "float"),
    "int": ("int",),
    "bool": ("bool",),
    "str": ("str",),
    "ScalarType": ("name",),
}


def type_fault(value: ast.expr, type_: Type, or_number: bool) -> str:
    """Why a value of a sample is none of a type, or of a tensor for which a number may stand; empty where it is."""
    if isinstance(value, ast.Constant) and value.value is None:
        return "" if type_.optional else f"expected {spell(type_)}, found None"
    if not type_.is_list:
        return "" if _fits(value, type_, or_number) else f"expected {spell(type_)}, found {_kind(value)}"
    if not isinstance(value, ast.List | ast.Tuple):
        fits = type_.size is not None and _fits(value, type_, False)
        return "" if fits else f"expected {spell(type_)}, found {_kind(value)}"
    items = [item for item in value.elts if not (type_.optional_items and _kind(item) == "NoneType")]
    wrong = next((item for item in items if not _fits(item, type_, False)), None)
    return "" if wrong is None else f"expected {spell(type_)}, found a list with {_kind(wrong)}"


def _fits(value: ast.expr, type_: Type, or_number: bool) -> bool:
    kinds = KINDS.get(type_.base)
    if kinds is None or _kind(value) in kinds:
        return True
    if _kind(value) == "name":  # inf, nan and pi are numbers too
        return type_.base in ("Scalar", "float") or or_number
    return or_number and _kind(value) in NUMBERS


def _kind(value: ast.expr) -> str:
    """The kind of value that an expression of a sample gives."""
    match value:
        case ast.Constant(value=constant):
            return type(constant).__name__
        case ast.UnaryOp(operand=operand):
            return _kind(operand)
        case ast.BinOp(left=left, op=sign, right=right):
            whole = _kind(left) == _kind(right) == "int" and not isinstance(sign, ast.Div)
            return "int" if whole else "float"
        case ast.Call(func=ast.Name(id=maker)) if maker in MAKERS:
            return "tensor"
        case ast.List() | ast.Tuple():
            return "list"
    return "name"
