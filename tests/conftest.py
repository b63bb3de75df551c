"""Fixtures of all tests. With SPECGRAD_GUARDS=1 arrays lie between guard words: see codegen/verify/guards.py."""

import gc
import importlib.util
import os
import random
from collections.abc import Generator, Iterator
from contextlib import nullcontext
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.device.threads import job, parallel_for

from . import both_places
from .places import everything_on_the_device

# Tests start no processes that compile for them: those of several workers share what each compiles.
os.environ.setdefault("SPECGRAD_COMPILE_AHEAD", "0")
# Nor is anything said of compiling, which takes long on a busy machine.
os.environ.setdefault("SPECGRAD_COMPILE_LOG", "0")

LIBRARIES = ["specgrad"] + (["torch"] if importlib.util.find_spec("torch") else [])


@pytest.fixture(autouse=True)
def seeds() -> None:
    """A test that draws without a seed of its own draws the same numbers whatever ran before it."""
    sg.manual_seed(0)
    np.random.seed(0)
    random.seed(0)


@pytest.fixture(params=LIBRARIES)
def lib(request: pytest.FixtureRequest) -> ModuleType:
    """specgrad; and PyTorch where it is installed, so that what is expected is what PyTorch does."""
    return importlib.import_module(request.param)


@pytest.fixture(scope="module", autouse=True)
def settled() -> Iterator[None]:
    """What a module of tests leaves behind, mostly what was compiled for it, lives on: the garbage collector looks at
    it once, else each test that collects takes seconds in the end."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def target_device(request: pytest.FixtureRequest) -> Iterator[str]:
    """Where tests make their tensors: see `tests/both_places.py`."""
    chosen = both_places.of_test(request)
    with everything_on_the_device(request.module) if chosen == "cuda" else nullcontext():
        yield chosen


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "cpu(why): what the test, or each test of the module, is about is the CPU's own")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected, a million objects, lives as long as the process: the garbage collector does not look at it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


pytest_generate_tests = both_places.pytest_generate_tests
pytest_collection_modifyitems = both_places.pytest_collection_modifyitems


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """threads(number) sets the number of threads, which share work of any size then."""
    before = sg.get_num_threads()
    monkeypatch.setattr(job, "LARGE", 1)
    monkeypatch.setattr(parallel_for, "LARGE_FOR_PYTHON", 1)
    yield sg.set_num_threads
    monkeypatch.undo()
    sg.set_num_threads(before)


@pytest.fixture
def no_collector() -> Iterator[None]:
    """The garbage collector is off: what dies here dies by its reference count."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


if os.environ.get("SPECGRAD_GUARDS"):
    from specgrad.codegen.verify import guards

    guards.guard()

    @pytest.fixture(autouse=True)
    def no_damage() -> Iterator[None]:
        """No test writes outside of arrays, or to memory that has been freed."""
        before = guards.damage()
        yield
        assert guards.damage() == before
