"""Which tests run on a simulated device too.

In some folders each test runs on the CPU, and once more with its tensors on a simulated device: `test[cpu]` and
`test[cuda]`. Of a test with many parameters the first ones stand for all there, as a simulated thread takes
microseconds. With SPECGRAD_TEST_DEVICE=cuda any test runs there, with all parameters, and none on the CPU.

What a test marked with `pytest.mark.cpu("why")` is about is the CPU's own: it runs there alone.
"""

from __future__ import annotations

import os
from collections.abc import Hashable

import pytest

from .repository import ROOT

FOLDERS = [
    ROOT / "tests" / name
    for name in ("nn", "autograd", "extensions/checkpoint", "extensions/gradcheck", "extensions/transforms/functional")
]
DEVICES = ("cpu", "cuda")


def of_test(request: pytest.FixtureRequest) -> str:
    """Where a test runs: one of DEVICES."""
    if request.node.get_closest_marker("cpu"):
        return "cpu"
    return str(getattr(request, "param", os.environ.get("SPECGRAD_TEST_DEVICE", "cpu")))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests of the folders are made for each place, unless one is asked for."""
    test = metafunc.definition
    inside = any(folder in test.path.parents for folder in FOLDERS)
    if inside and "SPECGRAD_TEST_DEVICE" not in os.environ and not test.get_closest_marker("cpu"):
        metafunc.parametrize("target_device", DEVICES, indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of each test one on the device is kept."""
    seen: set[Hashable] = set()
    left_out: set[pytest.Item] = set()
    for item in items:
        if is_on_the_device(item):
            function = item.nodeid.partition("[")[0]
            if function in seen:
                left_out.add(item)
            seen.add(function)
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def is_on_the_device(item: pytest.Item) -> bool:
    """Whether a test has been made for the device."""
    given = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    return given.get("target_device") == "cuda"
