"""Modules that have moved are found by their old names: pickles that were written before still load."""

import pickle
import subprocess
import sys
from importlib import import_module

import pytest

import specgrad as sg
from specgrad.moved import MOVED
from tests.nn.vmap.layer_cases import LAYERS

OLD = {new: old for old, new in MOVED.items()} | {  # what lay in one module and lies in two now
    "nn.modules.channelshuffle": "nn.shuffling",
    "nn.modules.distance": "nn.distance",
    "nn.modules.pixelshuffle": "nn.shuffling",
    "nn.parallel.data_parallel": "nn.synchronized",
}


@pytest.mark.parametrize("old", MOVED)
def test_an_old_name_is_the_module_of_today(old: str) -> None:
    """The same object, which keeps its own name and specification."""
    new = f"specgrad.{MOVED[old]}"
    module = import_module(f"specgrad.{old}")
    assert module is import_module(new)
    assert module.__name__ == module.__spec__.name == new


OURS = [name for name, case in LAYERS.items() if type(case.make()).__module__.startswith("specgrad.")]


@pytest.mark.parametrize("name", OURS)
def test_a_layer_pickled_under_an_old_name(name: str) -> None:
    """Protocol 0 writes the names of modules as text, which is made that of before."""
    layer = LAYERS[name].make()
    home = type(layer).__module__.removeprefix("specgrad.")
    text = pickle.dumps(layer, 0)
    before = text.replace(f"cspecgrad.{home}\n".encode(), f"cspecgrad.{OLD[home]}\n".encode())
    assert before != text
    loaded = pickle.loads(before)
    assert type(loaded) is type(layer) and str(loaded) == str(layer)


@pytest.mark.parametrize("name", ["optim.adam", "distributions.normal", "distributions.transforms"])
def test_modules_within_folders(name: str) -> None:
    """A module of a public package is the one that its code lies in, found in folders of it."""
    module = import_module(f"specgrad.{name}")
    assert module.__name__ == module.__spec__.name and module.__name__.startswith("specgrad.nn.")
    assert module.__name__.rpartition(".")[2] == name.rpartition(".")[2]


def test_names_that_never_were() -> None:
    """They are errors as they are anywhere."""
    with pytest.raises(ModuleNotFoundError, match="specgrad.nn.nothing"):
        import_module("specgrad.nn.nothing")


@pytest.mark.cpu("the other process has no simulated device")
def test_a_fresh_process_loads_an_old_pickle() -> None:
    """Loading imports the package first, and then the old name."""
    text = pickle.dumps(sg.nn.Linear(2, 3), 0).replace(b"cspecgrad.nn.modules.linear\n", b"cspecgrad.nn.linear\n")
    program = f"import pickle; print(type(pickle.loads({text!r})).__name__)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "Linear"
