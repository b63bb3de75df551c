"""The registry: its records leave out what is a default of their class."""

from __future__ import annotations

import dataclasses

from specgrad.codegen.emit.registry_code import DEFAULTS
from specgrad.runtime.dispatch.registry import Op


def test_what_is_left_out_is_the_default() -> None:
    """The generator's table of defaults is that of `Op`, but for functions and nodes, which are there or not."""
    fields = [field for field in dataclasses.fields(Op) if field.name not in ("node", "inplace")]
    made = {f.name: f.default_factory() for f in fields if f.default_factory is not dataclasses.MISSING}
    plain = {f.name: f.default for f in fields if f.default is not dataclasses.MISSING}
    assert made | plain == DEFAULTS
