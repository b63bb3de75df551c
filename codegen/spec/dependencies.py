"""What an entry rests on: a digest of its own text and of the texts of all ops that it may name, and so on."""

import ast
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from .model import Entry
from .names import SYMBOLS, special_methods


def dependency_digests(entries: Sequence[Entry]) -> dict[str, str]:
    """By op; without those of which it is not known where they come from."""
    known = [entry for entry in entries if entry.origin is not None]
    named: dict[str, int] = {}  # word -> the entries that it may name, a bit each
    for index, entry in enumerate(known):
        for word in _names(entry):
            named[word] = named.get(word, 0) | 1 << index
    reached = [
        _union(named.get(word, 0) for word in map(_plain, entry.origin.names if entry.origin else ())) | 1 << i
        for i, entry in enumerate(known)
    ]
    while (wider := [_union(reached[i] for i in _bits(mask)) for mask in reached]) != reached:
        reached = wider
    digests = [entry.origin.digest for entry in known if entry.origin is not None]
    combined = {mask: " ".join(digests[i] for i in _bits(mask)) for mask in set(reached)}
    pairs = zip(known, digests, reached, strict=True)
    return {e.name: hashlib.sha256(f"{own} {combined[mask]}".encode()).hexdigest() for e, own, mask in pairs}


def _names(entry: Entry) -> set[str]:
    return {_plain(name) for name in (*entry.names, *special_methods(entry.operator or ""))}


def names_in_expressions(entry: Entry) -> Iterator[str]:
    """The names in an entry's expressions, and the special methods of a composite's operators."""
    trees = [each.tree for each in entry.expressions]
    for trial in entry.trials:
        trees += trial.written
        yield trial.op.partition(".")[0]
    yield from filter(None, (entry.schema.name, entry.at_once, entry.if_written, entry.compute.text))
    for node in (node for tree in trees if tree is not None for node in ast.walk(tree)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name
            case ast.operator() | ast.unaryop() | ast.cmpop() if entry.compute.kind == "composite":
                yield from special_methods(SYMBOLS.get(type(node), ""))


def _plain(name: str) -> str:
    """`add` of `add_`, `_add` and `__add__`, which are numbered together."""
    return name.strip("_")


def _union(masks: Iterable[int]) -> int:
    result = 0
    for mask in masks:
        result |= mask
    return result


@lru_cache(maxsize=4096)
def _bits(mask: int) -> tuple[int, ...]:
    return tuple(i for i, bit in enumerate(reversed(f"{mask:b}")) if bit == "1")
