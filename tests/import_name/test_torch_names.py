"""PyTorch's modules that hold only names: every way to import one, and every name that its entry lists."""

import importlib
import pickle
import subprocess
import sys
from functools import reduce
from typing import Any

import pytest

import specgrad as sg
from specgrad.torch_names import NAMES
from specgrad.unavailable import SETTINGS

pytestmark = pytest.mark.cpu("nothing is computed")
OF_OPTIMIZERS = ("adam", "lbfgs", "lr_scheduler", "swa_utils", "_multi_tensor")


def _module(name: str) -> Any:
    return importlib.import_module(f"specgrad.{name}")


@pytest.mark.parametrize("name", NAMES)
def test_a_module(name: str) -> None:
    """It has what its entry names and what it lists, says so in `dir`, and has nothing else."""
    module = _module(name)
    slot_values = [word for entry in NAMES[name] for word in entry.partition(":")[2].split()]
    names = [word.partition("=")[0] for word in slot_values if word.partition("=")[0].isidentifier()]
    assert [found for found in (*names, *module.__all__, *SETTINGS.get(name, ())) if not hasattr(module, found)] == []
    assert {*names, *module.__all__} <= {*dir(module)}
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = module.no_such_name
    assert module.__name__ == module.__spec__.name == f"specgrad.{name}" and module.__doc__


@pytest.mark.parametrize("name", NAMES)
def test_the_way_to_a_module(name: str) -> None:
    """It is the attribute of the module that it lies in, unless that has a function of the name."""
    *above, last = name.split(".")
    found = getattr(reduce(getattr, above, sg), last)
    assert found is _module(name) or getattr(found, "__name__", "") == last


@pytest.mark.parametrize(
    "name", ["optim.adam", "distributions.normal", "distributions.transforms", "utils.data.sampler"]
)
def test_statements(name: str) -> None:
    """All forms of import give the same objects, which those of the home are."""
    space: dict[str, Any] = {}
    package, _, last = name.rpartition(".")
    exec(
        f"import specgrad.{name} as a\nfrom specgrad.{package} import {last} as b\nfrom specgrad.{name} import *", space
    )
    assert space["a"] is space["b"] is _module(name)
    assert all(space[listed] is getattr(space["a"], listed) for listed in space["a"].__all__)


def test_names_are_those_of_the_homes() -> None:
    """Also those that an entry does not list, where it offers all of a home."""
    assert sg.optim.adam.Adam is sg.nn.optim.Adam and sg.optim.lr_scheduler.StepLR is sg.nn.optim.lr_scheduler.StepLR
    assert sg.distributions.normal.Normal is sg.distributions.Normal
    assert callable(_module("optim.lbfgs")._strong_wolfe) and sg._VF.relu is sg.relu
    assert all(_module(f"optim.{name}").__spec__.parent == f"specgrad.optim.{name}" for name in OF_OPTIMIZERS)


def test_names_that_never_were() -> None:
    """Modules and names that are not there are errors as they are anywhere."""
    for name in ("optim.nothing", "nn.nothing", "utils.data.sampler.nothing"):
        with pytest.raises(ModuleNotFoundError, match=f"specgrad.{name}"):
            _module(name)
    with pytest.raises(ImportError, match="nothing"):
        exec("from specgrad.utils.data.sampler import nothing")


def test_settings_are_kept() -> None:
    """A program sets one, and a block of `flags` gives it back."""
    switches = sg.backends.mkldnn
    with switches.flags(enabled=False):
        assert not switches.enabled
    assert switches.enabled and sg.version.torch.startswith("2.")


def test_a_fresh_process_loads_pickles_by_these_names() -> None:
    """Loading imports the package first, and then finds the module."""
    text = pickle.dumps(sg.optim.Adam, 0).replace(b"cspecgrad.nn.optim.adam\n", b"cspecgrad.optim.adam\n")
    assert b"cspecgrad.optim.adam" in text and pickle.loads(pickle.dumps(sg.autograd.forward_ad.make_dual))
    program = f"import pickle; print(pickle.loads({text!r}).__name__)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "Adam"


def test_a_fresh_process_imports_the_deepest_first() -> None:
    """A statement needs no other one before it, and loads nothing of a home."""
    program = "import specgrad.distributed.elastic.multiprocessing.errors as e, sys; print(e.__name__, *sys.modules)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    name, *loaded = found.stdout.split()
    assert name == "specgrad.distributed.elastic.multiprocessing.errors"
    assert "specgrad.runtime.extensions.distributed.launcher.attempt" not in loaded
