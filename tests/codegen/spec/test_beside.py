"""Test material beside a spec: YAML files by op, references as Python functions, and every mistake with its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specgrad.codegen.proof.derive import load_spec
from specgrad.codegen.spec.load import EntriesOnDemand
from specgrad.codegen.spec.model import Spec

Load = Callable[[str], tuple[Spec, list[str]]]

SPEC = """\
- tests: tests

- name: scaled.by(Tensor self, int factor) -> Tensor
  elementwise: self * factor
  self: grad * factor
  result: auto_linear
"""
KEYS = """\
scaled.by:
  samples: ["self=T(3), factor=2"]
  hard: ["self=V([0.0]), factor=0"]
  gives: {int32: int32}
  example: |
    >>> 1
    1
"""
FUNCTION = """\
import numpy as np


def scaled_by(self, factor):
    \"\"\"Every element so many times.\"\"\"
    ones = np.full(
        self.shape,
        factor,
    )
    return (
        ones
        * self
    )
"""


@pytest.fixture
def beside(load: Load) -> Callable[..., tuple[Spec, list[str]]]:
    """Loads `spec.yaml` with files beside it in the folder `tests`."""

    def load_with(spec: str = SPEC, keys: str | None = KEYS, function: str | None = None) -> tuple[Spec, list[str]]:
        Path("tests/references").mkdir(parents=True, exist_ok=True)
        for name, text in (("tests/keys.yaml", keys), ("tests/references/keys.py", function)):
            if text is not None:
                Path(name).write_text(text, encoding="utf-8")
        return load(spec)

    return load_with


Beside = Callable[..., tuple[Spec, list[str]]]


def test_an_entry_has_what_lies_beside(beside: Beside) -> None:
    """Keys of the YAML file, and a reference made of a function, with the places of both."""
    spec, problems = beside(function=FUNCTION)
    (entry,) = spec.entries
    assert problems == []
    assert [s.text for s in entry.samples + entry.hard] == ["self=T(3), factor=2", "self=V([0.0]), factor=0"]
    assert (entry.gives, entry.example) == ({"int32": "int32"}, ">>> 1\n1")
    assert {name: part.text for name, part in entry.reference.items()} == {
        "ones": "np.full(self.shape, factor)",
        "result": "ones * self",
    }
    assert str(entry.samples[0].where) == "tests/keys.yaml:2:14"
    assert str(entry.key_locations["reference"]) == "tests/references/keys.py:4:1"
    assert str(entry.reference["result"].where) == "tests/references/keys.py:11:9"


def test_one_file_may_be_named(beside: Beside) -> None:
    """Instead of the folder; the references are in the folder beside it."""
    spec, problems = beside(SPEC.replace("tests: tests", "tests: tests/keys.yaml"), function=FUNCTION)
    assert problems == [] and len(spec.entries[0].samples) == 1 and spec.entries[0].reference


def test_entries_on_demand_have_it_too(beside: Beside) -> None:
    """Those that `verify` reads one by one."""
    beside(function=FUNCTION)
    assert EntriesOnDemand(Path("spec.yaml"))["scaled.by"].samples


def test_a_change_beside_is_seen(beside: Beside) -> None:
    """What a process has read before is not taken for what lies there now."""
    beside()
    spec, _ = beside(keys=KEYS.replace("T(3)", "T(7)"))
    assert spec.entries[0].samples[0].text == "self=T(7), factor=2"


WRONG_KEYS = {
    "scaled.by: {self: grad}": "tests/keys.yaml:1:13: scaled.by: 'self' is no key of tests",
    "scaled.by: {sample: a}": "tests/keys.yaml:1:13: scaled.by: 'sample' is no key of tests (did you mean 'samples'?)",
    "scaled.to: {samples: []}": "tests/keys.yaml:1:1: scaled.to: the spec has no entry of this name (did you mean",
    "scaled.by: {samples: ['self=T(3']}": "tests/keys.yaml:1:30: scaled.by, samples: bracket '(' is never closed",
    "scaled.by: {samples: ['f=1'], samples: ['f=1']}": "tests/keys.yaml:1:31: scaled.by: key 'samples' is given twice,",
    "scaled.by: {domain: [3, 1]}": "tests/keys.yaml:1:21: scaled.by, domain: an interval [lo, hi] with lo < hi",
    "[scaled.by]": "tests/keys.yaml:1:1: expected ops with keys",
    "scaled.by: 3": "tests/keys.yaml:1:1: expected the name of an op with its keys",
    "scaled.by: {}\nscaled.by: {}": "tests/keys.yaml:2:1: scaled.by: the op is there twice, first at tests/keys",
    "scaled.by: {": "tests/keys.yaml:2:1: cannot be read: ",
    "a: \x07": "tests/keys.yaml:1:4: cannot be read: expected characters that can be seen",
}


@pytest.mark.parametrize("keys", WRONG_KEYS)
def test_mistakes_in_keys_have_their_places(keys: str, beside: Beside) -> None:
    """File, line and column."""
    _, (problem,) = beside(keys=keys + "\n")
    assert problem.startswith(WRONG_KEYS[keys])


WRONG_FUNCTIONS = {
    "def other(self):\n    return self": "1:1: other: the spec has no entry of this name",
    "def scaled_by(self):\n    return self.__class__": "2:12: scaled.by, reference: '__class__': names with a leading",
    "def scaled_by(self):\n    self += 1\n    return self": "2:5: scaled.by, reference: expected lines `name = expr",
    "def scaled_by(self, size):\n    return self * size": "1:21: scaled.by, reference: the op has no argument 'size'",
    "def scaled_by(self, factor):\n    return self": "1:21: scaled.by, reference: nothing reads the parameter 'factor'",
    "def scaled_by(self):\n    return self * factor": "1:1: scaled.by, reference: the function reads 'factor', which",
    "def scaled_by(self=1):\n    return self": "1:1: scaled.by, reference: expected plain parameters",
    "def scaled_by(self):\n    self = 1\n    return self": "2:5: scaled.by, reference: 'self' is an argument already",
    "x = 1": "1:1: expected functions, each the reference of an op",
    "def scaled_by(self)": "1:20: is no Python: expected ':'",
}


@pytest.mark.parametrize("function", WRONG_FUNCTIONS)
def test_mistakes_in_functions_have_their_places(function: str, beside: Beside) -> None:
    """File, line and column, those of an expression too."""
    _, problems = beside(function=function + "\n")
    assert problems[0].startswith(f"tests/references/keys.py:{WRONG_FUNCTIONS[function]}"), problems


def test_functions_make_sense(beside: Beside) -> None:
    """What is checked of a reference is checked of a function, at its place."""
    from specgrad.codegen.check.validate import validate
    from tests.codegen.conftest import KNOWN

    spec, problems = beside(function="def scaled_by(self):\n    é = 'é'\n    return np.expp(self) + é\n")
    assert problems == []
    assert [str(problem) for problem in validate(spec, KNOWN)] == [
        "tests/references/keys.py:3:12: scaled.by, reference: numpy has no 'expp' (did you mean 'exp'?)"
    ]


def test_what_is_said_twice_is_told(beside: Beside) -> None:
    """Inline and beside, or as a key and as a function."""
    _, problems = beside(SPEC + '  samples: ["self=T(3), factor=1"]\n')
    assert problems == [
        "tests/keys.yaml:2:3: scaled.by: key 'samples' is given twice, first at spec.yaml:7:3",
    ]
    _, problems = beside(SPEC + "  reference: self * 1 * factor\n", function=FUNCTION)
    assert problems == [
        "spec.yaml:7:3: scaled.by, reference: there is a function for this op, too, at tests/references/keys.py:4:1",
    ]


WRONG_ITEMS = {
    "- tests: nowhere\n": "1:10: tests: there is no file 'nowhere', and no folder with YAML files",
    "- tests: [tests]\n": "1:10: tests: the name of one file or folder is wanted here",
    "- {tests: tests, more: 1}\n": "1:18: unknown key 'more' beside 'tests'",
}


@pytest.mark.parametrize("item", WRONG_ITEMS)
def test_mistakes_in_the_item_have_their_places(item: str, beside: Beside) -> None:
    """A file that is not there, another value, another key, another place."""
    _, (problem,) = beside(item + SPEC.partition("\n")[2])
    assert problem.startswith(f"spec.yaml:{WRONG_ITEMS[item]}")


def test_the_item_comes_first(beside: Beside) -> None:
    """Behind others it would be missed by who reads only the beginning."""
    _, problems = beside("- section: one\n" + SPEC)
    assert problems == ["spec.yaml:2:3: tests: it belongs before all other items"]


def test_a_file_that_is_no_text(beside: Beside) -> None:
    """The file is named, not the spec."""
    beside()
    Path("tests/keys.yaml").write_bytes(b"\xff")
    _, (problem,) = load_spec("spec.yaml")
    assert str(problem).startswith("tests/keys.yaml:1:1: cannot be read: expected text in UTF-8")
