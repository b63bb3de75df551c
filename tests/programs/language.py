"""The whole language, by name and by kind."""

from __future__ import annotations

from .alias_ops import ALIASES
from .arithmetic_ops import ARITHMETIC
from .index_ops import INDEXING
from .step import Op
from .view_ops import VIEWS
from .writing_ops import WRITING

OPS: dict[str, Op] = {**VIEWS, **ALIASES, **ARITHMETIC, **WRITING, **INDEXING}
KINDS = ("view", "view", "view", "new", "new", "write", "write", "write", "write", "views", "alias")  # as often
IN_INFERENCE = ("view", "views", "write")  # what makes no tensors with memory of their own
BY_KIND = {kind: [op for op in OPS.values() if op.kind == kind] for kind in set(KINDS)}
NEED_ROWS = [
    OPS[name] for name in ("index", "assign.list", "assign.list.number", "index_put_", "index_add_", "index_fill_")
]
