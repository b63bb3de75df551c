"""Expressions of numbers that would come to something without bound are refused before anything computes them."""

from __future__ import annotations

import ast

import pytest

from specgrad.codegen.language.syntax import constant_fault


def faults(text: str) -> list[str]:
    return [fault for node in ast.walk(ast.parse(text, mode="eval")) if (fault := constant_fault(node))]


@pytest.mark.parametrize(
    "text",
    [
        "9**9**9",
        "2**63",
        "(self + 2**64) ** 2",
        "(-((-(10**19))**64))**64",
        "(9 if 1 else 8)**(10**18)",
        "(9 if 1 else 8)**(8 if 1 else 9)**9**9",
        "(2 or 3)**(10**18)",
        "*".join(["(2**64)"] * 70),
        "([1] if 1 else [2]) * 10**9",
        "((1,) + (2,)) * 10**9",
        "[1, 2][:1] * 10**9",
    ],
)
def test_what_grows_without_bound_is_refused(text: str) -> None:
    """However the operands are written."""
    assert faults(text)


@pytest.mark.parametrize(
    "text", ["2**62 - 1", "self ** (9 - 1)", "(self + 2**62) ** 2", "x * (3**39) * (3**39)", "-1.5 * x"]
)
def test_what_formulas_need_is_accepted(text: str) -> None:
    """Numbers of the size of a dtype's, and anything over tensors."""
    assert faults(text) == []
