"""Expressions as kernels have them: elements indexed, constants in the kernel's dtype, and no branch in a loop."""

from __future__ import annotations

import ast

import pytest

from specgrad.codegen.library.modules import RUNTIME
from specgrad.codegen.proof.scalar_code import typed

KERNELS = sorted((RUNTIME.parent / "generated" / "kernels").rglob("[a-z]*.py"))


@pytest.mark.parametrize(
    ("text", "requested"),
    [
        ("x if x > 0 else 2 * x", "either(x[i] > T(0), x[i], T(2) * x[i])"),
        ("x if alpha == 1 else exp(x)", "x[i] if alpha == T(1) else exp(x[i])"),
        ("(1 if isnan(y) else 0) if k == 0 else x", "either(isnan(y[i]), T(1), T(0)) if k == T(0) else x[i]"),
        ("1 if x == 0 else 2 if abs(y) < k else y", "either(x[i] == T(0), T(1), either(abs(y[i]) < k, T(2), y[i]))"),
    ],
)
def test_a_choice_between_elements_is_no_branch(text: str, requested: str) -> None:
    """What differs between elements is chosen from two values; what is the same for all of them is a branch."""
    assert typed(ast.parse(text, mode="eval").body, {"x", "y"}) == requested


def test_no_generated_kernel_branches_on_an_element() -> None:
    """A loop with a branch in it is vector code for some processors and not for others."""
    seen = 0
    for path in KERNELS:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            seen += isinstance(node, ast.FunctionDef)
            if isinstance(node, ast.IfExp):
                assert not any(isinstance(part, ast.Subscript) for part in ast.walk(node.test)), path
    assert seen > 600
