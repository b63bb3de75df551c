"""What is loaded when it is first named: nothing of it by importing, all of it by name."""

import importlib
import subprocess
import sys

import pytest

import specgrad as sg
from specgrad import later
from specgrad.torch_names import NAMES
from specgrad.unavailable import SETTINGS

pytestmark = pytest.mark.cpu("nothing is computed")
PACKAGES = ["", ".backends", ".nn", ".nn.functional", ".nn.utils", ".utils", ".utils.checkpoint", ".utils.data"]


def test_importing_loads_none_of_it() -> None:
    """Neither modules nor the homes of functions that few programs ask for."""
    code = "import specgrad, sys; print(*(name for name in sys.modules if name.startswith('specgrad.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.removeprefix("specgrad.") for name in done.stdout.split()}
    rooms = ("compilers", "environment", "measuring", "stand_in", "summaries", "testing", "trees", "futures")
    assert loaded & {*later.MODULES} == set()
    assert loaded & {f"runtime.extensions.distributed.groups.{capacity}" for capacity in rooms} == set()
    assert loaded & {"nn.attention", "nn.grad", "nn.parallel", "nn.utils.prune", "nn.data.pipes"} == set()


def test_importing_finds_no_names_of_the_table() -> None:
    """Modules that hold names of others are empty."""
    code = "import specgrad, sys\nfor name in sys.argv[1:]: print(name, *vars(sys.modules[f'specgrad.{name}']))"
    done = subprocess.run([sys.executable, "-c", code, *NAMES], capture_output=True, text=True, check=True)
    found = {line.split()[0]: {*line.split()[1:]} for line in done.stdout.splitlines()}
    own = {"__name__", "__doc__", "__package__", "__loader__", "__spec__", "__path__", "__getattr__", "__dir__"}
    filled = [name for name, names in found.items() if names - own - {*SETTINGS.get(name, ())}]
    assert filled == []


@pytest.mark.parametrize("name", [*later.MODULES, *later.NAMES])
def test_names(name: str) -> None:
    """Every name leads somewhere, and is listed."""
    assert getattr(sg, name) is getattr(sg, name) or name.startswith("has_")
    assert name in dir(sg)


@pytest.mark.parametrize("package", PACKAGES)
def test_what_packages_list(package: str) -> None:
    """What `__all__` lists is there, and in `dir`."""
    module = importlib.import_module(f"specgrad{package}")
    assert [name for name in module.__all__ if not hasattr(module, name) or name not in dir(module)] == []


def test_names_that_are_not_there() -> None:
    """Other names are an AttributeError."""
    for package in PACKAGES:
        with pytest.raises(AttributeError, match="no_such_name"):
            _ = importlib.import_module(f"specgrad{package}").no_such_name
