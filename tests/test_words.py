"""Names of functions, classes, arguments and variables use the field's words: banned ones are those that no reader of
PyTorch, NumPy or LLVM would search for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repository import ROOT

# A private word: what the field says.
BANNED = {
    "apart": "strided, disjoint",
    "asked": "queried",
    "bare": "plain",
    "carried": "bundled, prebuilt",
    "census": "stats",
    "dear": "expensive",
    "deviation": "std",
    "drawn": "sampled",
    "draws": "samples",
    "exchange": "swap",
    "exchanges": "swaps",
    "extremes": "minmax",
    "extremum": "min_or_max",
    "far": "asymptotic, large",
    "few": "a threshold with its unit",
    "found": "cached, result, match",
    "given": "args, inputs",
    "greatest": "max",
    "home": "op_library",
    "homes": "search_paths",
    "joined": "reduced, concatenated, merged",
    "judge": "evaluate",
    "kept": "saved, cached, mask",
    "laid": "layout",
    "lay": "layout",
    "least": "min, lower_bound",
    "letter": "arg_kind",
    "letters": "arg_kinds",
    "lie": "layout",
    "lies": "layout",
    "lying": "layout",
    "many": "a threshold with its unit",
    "marked": "lazy_conj",
    "middle": "median, center",
    "most": "max",
    "near": "small",
    "older": "deprecated",
    "place": "index, position, device, slot",
    "places": "indices",
    "present": "nan-skipping",
    "quotient": "ratio, mean",
    "reach": "extent, deliver",
    "rehearsal": "dry_run",
    "rehearsals": "dry_runs",
    "rehearse": "dry_run",
    "room": "buffer, capacity",
    "said": "reported",
    "savings": "saved_tensors",
    "several": "multi, foreach",
    "shelf": "size_class, free_list",
    "shelves": "size_classes",
    "slope": "derivative, grad",
    "slopes": "derivatives, grads",
    "spread": "broadcast, expand",
    "stay": "no_native",
    "strewn": "strided",
    "taken": "reserved, gathered",
    "team": "thread_group",
    "teams": "thread_groups",
    "text": "source",
    "texts": "sources",
    "thing": "obj",
    "things": "objects",
    "together": "batch, tile",
    "told": "notified",
    "turned": "transposed, rolled, conj",
    "turning": "sweep",
    "turns": "conj, neg",
    "usual": "fast_path, common",
    "walker": "run_native",
    "wanted": "needs_grad, output_mask, requested",
    "whole": "integer, full",
    "words": "slots, packed_args",
}
# Names of PyTorch's, NumPy's and Python's, and of files that exist.
ALLOWED = {
    *("add_text", "text_string", "read_text", "write_text", "text", "is_text", "op_text", "field_text"),
    *("found_inf", "_found_inf_per_device", "negative_slope", "consume_prefix_in_state_dict_if_present"),
    *("carried_inputs", "in_place", "inplace", "at_least", "most_common", "exchange_device"),
}
MAX_LEFT = 7  # names that are still to be renamed: this number only goes down


def _names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def _words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[a-z0-9]+|[A-Z]+(?![a-z])|[A-Z][a-z0-9]*", name)}


def _is_allowed(name: str) -> bool:
    return name in ALLOWED or name.endswith(("_in_place", "_inplace")) or name.startswith("at_least")


def private_names(path: Path) -> list[str]:
    return sorted({name for name in _names(path) if not _is_allowed(name) and _words(name) & BANNED.keys()})


def test_names_are_the_fields() -> None:
    """Hand-written code has no more private names than are listed as left over."""
    files = [path for top in ("codegen", "runtime", "nn") for path in sorted((ROOT / top).rglob("*.py"))]
    left = [f"{path.relative_to(ROOT)}: {name}" for path in files for name in private_names(path)]
    assert len(left) <= MAX_LEFT, left


@pytest.mark.parametrize(
    ("source", "expected"),
    [("def place_of_greatest(x): ...", ["place_of_greatest"]), ("argmax = 1", []), ("def copy_in_place(x): ...", [])],
)
def test_private_names_are_seen(source: str, expected: list[str], tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(source, encoding="utf-8")
    assert private_names(path) == expected
