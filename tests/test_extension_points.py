"""The core names extensions in one file, and each of its slots is filled by the module that it names."""

import ast
import subprocess
import sys

import pytest

from specgrad.runtime import extension_points
from tests.repository import ROOT


def test_no_core_file_names_an_extension() -> None:
    """A string that is imported later is an import all the same: only extension_points.py may have one."""
    runtime = ROOT / "runtime"
    core = [path for path in runtime.rglob("*.py") if path.relative_to(runtime).parts[0] != "extensions"]
    texts = {path.relative_to(runtime).as_posix(): path.read_text(encoding="utf-8") for path in core}
    named = {name for name, text in texts.items() if any("extensions." in string for string in _strings(text))}
    assert named <= {"extension_points.py"}


def _strings(text: str) -> list[str]:
    """The strings of a module that are no docstrings."""
    nodes = list(ast.walk(ast.parse(text)))
    documented = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    found = (node for node in nodes if isinstance(node, ast.Constant) and id(node) not in documented)
    return [node.value for node in found if isinstance(node.value, str)]


@pytest.mark.parametrize("slot", extension_points.SLOTS)
def test_slots_are_filled(slot: str) -> None:
    """The first call imports the module, which fills its slot."""
    assert extension_points.extension(slot) is not None
    assert extension_points.SLOTS[slot] in sys.modules


def test_what_is_not_needed_is_not_loaded() -> None:
    """A program without simulated devices and sparse gradients loads neither."""
    program = (
        "import sys, specgrad\n"
        "from specgrad.runtime.extension_points import SLOTS\n"
        "unneeded = {module for slot, module in SLOTS.items() if slot.startswith(('cuda', 'kernel', 'sparse'))}\n"
        "assert not unneeded & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_unknown_slots() -> None:
    """A name that the core does not ask for is an error when it is filled, not silence."""
    with pytest.raises(KeyError, match="no extension point 'vmaps'"):
        extension_points.fill("vmaps", None)
