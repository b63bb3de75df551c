"""The record of one op in `generated/registry.py`: what tests, `verify`, docs and benchmarks need to know of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .spec_lines import entry_place, spec_path


@dataclass(frozen=True)
class Op:
    """One entry of a spec. `arguments` are (name, type, required, keyword only)."""

    name: str
    function: Callable[..., Any]
    kind: str
    schema: str
    arguments: tuple[tuple[str, str, bool, bool], ...]
    inputs: tuple[str, ...] = ()  # the arguments that have a gradient
    outputs: tuple[bool, ...] = (True,)  # whether each is differentiable
    result_dtype: tuple[str, ...] = ("same",)
    samples: tuple[str, ...] = ()
    hard: tuple[str, ...] = ()
    domain: dict[str, tuple[float, float]] = field(default_factory=dict)
    dtypes: tuple[str, ...] = ("bool", "int", "float", "complex")
    dtype: str = "promote"
    kink: tuple[str, ...] = ("average",)
    complex: bool = True
    formulas: dict[str, str] = field(default_factory=dict)
    node: Any = None
    masks: tuple[int, ...] = ()
    inplace: Callable[..., Any] | None = None
    commutative: bool = False
    replaces: bool = False  # in place every element keeps its value or gets one that does not depend on it
    gives: dict[str, str] = field(default_factory=dict)  # the dtypes of outputs, for some of tensors
    expression: str = ""  # of an element-wise op
    unvaried: tuple[str, ...] = ()  # arguments of which `verify` tries no other values
    takes_number: bool = False  # there is a kernel for `x <operator> number`
    reference: str = ""  # what the op gives, in terms of NumPy
    onnx: str = ""  # what the op gives, in ONNX operators
    check: str = ""
    shape: str = ""  # the rule of the shapes of a kernel's results
    refuses: tuple[tuple[str, str], ...] = ()  # calls that must raise, and the class of the error
    autocast: dict[str, str] = field(default_factory=dict)  # type of device -> what its tensors are cast to
    sparse: str = ""  # the function of representations/sparse/rules/ that computes for sparse tensors
    marked: str = ""  # the function of representations/marked/rules.py that computes for such views
    example: str = ""

    @property
    def where(self) -> str:
        """The entry's place, `derivatives.yaml:92`; the file alone where it is not found there."""
        return entry_place(self.function.__module__, self.name)

    @property
    def spec(self) -> str:
        """The path of the spec."""
        return spec_path(self.function.__module__)
