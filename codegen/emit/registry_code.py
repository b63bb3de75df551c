"""What the registry tells of an entry, for tests, checks and documentation."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..spec.model import Entry
from ..spec.reference import statements
from .savings import differentiable_formulas


@dataclass(frozen=True)
class RegistryCode:
    """The fields of one record of registry.py that the schema does not give."""

    entry: Entry

    @property
    def differentiable(self) -> tuple[str, ...]:
        return tuple(differentiable_formulas(self.entry))

    @property
    def samples(self) -> tuple[str, ...]:
        return tuple(s.text for s in self.entry.samples)

    @property
    def hard(self) -> tuple[str, ...]:
        return tuple(s.text for s in self.entry.hard)

    @property
    def expression(self) -> str:
        """What an element-wise op computes, definitions written out; empty for other ops."""
        compute = self.entry.compute
        if compute.kind != "elementwise" or compute.tree is None:
            return ""
        return " ".join(compute.text.split()) if compute.written is None else ast.unparse(compute.tree)

    @property
    def reference(self) -> str:
        return "\n".join(statements(self.entry.reference))

    @property
    def refuses(self) -> tuple[tuple[str, str], ...]:
        """(call, class of the error)."""
        return tuple((refusal.call.text, refusal.error) for refusal in self.entry.refuses)

    @property
    def formula_texts(self) -> dict[str, str]:
        formulas = {**self.entry.gradients, **self.entry.forward}
        if self.entry.backward is not None:
            formulas["backward"] = self.entry.backward
        return {name: " ".join(f.text.split()) for name, f in formulas.items()}
