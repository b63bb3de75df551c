"""The `out=` of public functions: which take it, and as what."""

from __future__ import annotations

from ..spec.model import Entry


def takes_out(entry: Entry) -> bool:
    """Whether the function of an entry takes `out=`: its outputs are new tensors, and it is none of the layers'."""
    types = [r.type for r in entry.schema.returns]
    fresh = entry.compute.kind != "view" and all(t.is_tensor and not t.is_list and t.alias is None for t in types)
    writes_first = bool(entry.schema.arguments) and entry.schema.arguments[0].type.writes
    public = "function" in entry.variants and entry.namespace != "nn.functional"
    return fresh and public and not writes_first


def out_hint(entry: Entry) -> str:
    """The annotation of `out`: a tensor, or one for each output."""
    return "Tensor | None" if len(entry.schema.returns) == 1 else "Sequence[Tensor] | None"


def out_words(entries: list[Entry]) -> str:
    """What a docstring says of `out`, of a function that these entries share."""
    several = {len(entry.schema.returns) > 1 for entry in entries}
    kinds = {
        frozenset({False}): "tensor or None, by keyword, takes the result",
        frozenset({True}): "tuple of tensors or None, by keyword, one for each result",
    }
    shown = kinds.get(frozenset(several), "tensor, tuple of one for each result, or None, by keyword")
    return f"{shown}; default None."
