"""What the registry tells of an entry, for tests, checks and documentation."""

from __future__ import annotations

from dataclasses import dataclass

from .model import Entry
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
        """What an element-wise op computes; empty for other ops."""
        return " ".join(self.entry.compute.text.split()) if self.entry.compute.kind == "elementwise" else ""

    @property
    def formula_texts(self) -> dict[str, str]:
        formulas = {**self.entry.gradients, **self.entry.forward}
        if self.entry.backward is not None:
            formulas["backward"] = self.entry.backward
        return {name: " ".join(f.text.split()) for name, f in formulas.items()}
