"""Reads specs whose entries get the formulas that they leave out: what every command but `derive` works on."""

from pathlib import Path

from ..language.scalar_functions import NONE, Functions
from ..spec.load import EntriesOnDemand, read_spec
from ..spec.model import Problem, Spec
from .derive import completed


def load_spec(path: str | Path, shown: str | None = None, own: Functions = NONE) -> tuple[Spec, list[Problem]]:
    return read_spec(path, shown, own, completed)


def load_on_demand(path: Path, own: Functions = NONE) -> EntriesOnDemand:
    return EntriesOnDemand(path, own, completed)
