"""What gets installed: one import name, everything in it that the generator needs, and pinned tools."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from platform import machine

import pytest

from specgrad.runtime.compiler.passes.target import levels
from tests.repository import ROOT, copy

BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"
SOURCES = ["codegen", "generated", "nn", "runtime", "specgrad"]
FILES = ["LICENSE", "README.md", "derivatives.yaml", "pyproject.toml", "tests/spec"]
LESSER = {"x86_64": "x86-64", "aarch64": "cortex-a35"}  # processors of no level


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A copy of the sources: an old build/ would leak into what is built of them."""
    folder = tmp_path_factory.mktemp("tree")
    copy(folder, *SOURCES, *FILES)
    return folder


@pytest.fixture(scope="module")
def wheel(tree: Path) -> list[str]:
    """The names in a wheel built from them."""
    command = [sys.executable, "-c", BUILD, str(tree / "dist")]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return zipfile.ZipFile(tree / "dist" / done.stdout.split()[-1]).namelist()


def test_wheel_has_one_top_level_name(wheel: list[str]) -> None:
    """Nothing but specgrad/ and its metadata lands in site-packages."""
    tops = {name.split("/")[0] for name in wheel}
    assert tops == {"specgrad", next(top for top in tops if top.endswith(".dist-info"))}


def test_wheel_has_every_module_and_data_file(wheel: list[str]) -> None:
    """Every Python file, stub, template and registry of the tree, the spec, and the type marker are in the wheel."""
    requested = {"specgrad/derivatives.yaml", "specgrad/py.typed"}
    for folder in SOURCES:
        prefix = "" if folder == "specgrad" else "specgrad/"
        for suffix in ("*.py", "*.pyi", "*.j2", "*.jsonl"):
            requested |= {prefix + str(p.relative_to(ROOT)) for p in (ROOT / folder).rglob(suffix)}
    files = [*(ROOT / "tests/spec").glob("*.yaml"), *(ROOT / "tests/spec").glob("references/*.py")]
    requested |= {f"specgrad/{path.relative_to(ROOT)}" for path in files}
    assert requested - set(wheel) == set()


USES = """
import sys
from numba.core import event
import specgrad as sg
class Seen(event.Listener):
    def on_start(self, event): print("compiled", event.data["dispatcher"])
    def on_end(self, event): pass
with event.install_listener("numba:compile", Seen()):
    x = sg.tensor([-1.0, 2.0], requires_grad=True)
    x.relu().backward(sg.ones(2))
print(x.grad.tolist(), sg.__file__)
"""


@pytest.fixture(scope="module")
def carrying(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel that carries machine code for what relu needs, for the best level of this processor."""
    folder = tmp_path_factory.mktemp("carrying")
    folders = ["--out", str(folder / "dist"), "--retained", str(folder / "retained")]
    command = [sys.executable, "-m", "codegen", "wheel", "relu", "--levels", levels()[0].name, *folders]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (path,) = (folder / "dist").iterdir()
    return path


def used(wheel: Path, folder: Path, **more: str) -> tuple[list[str], list[Path]]:
    """What a program prints that uses the wheel, and the files that it keeps."""
    zipfile.ZipFile(wheel).extractall(folder / "site")
    more |= {"PYTHONPATH": str(folder / "site"), "SPECGRAD_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-P", "-c", USES]
    done = subprocess.run(command, cwd=folder, env=os.environ | more, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), [*(folder / "cache").rglob("*")]


def test_a_wheel_that_carries_machine_code(carrying: Path, tmp_path: Path) -> None:
    """It is one for this platform and Python, and its user compiles nothing of what it carries."""
    assert re.search(r"-cp3\d+-cp3\d+-\w+\.whl$", carrying.name) and "-none-" not in carrying.name
    printed, retained = used(carrying, tmp_path)
    assert (tmp_path / "site/specgrad/runtime/compiler/cache/machine_code" / f"{levels()[0].name}.kernels").is_file()
    assert printed == [f"[0.0, 1.0] {tmp_path / 'site/specgrad/__init__.py'}"]
    assert not retained


def test_a_processor_below_the_levels_compiles(carrying: Path, tmp_path: Path) -> None:
    """As in a clone: code for a better processor is not even looked at."""
    printed, retained = used(carrying, tmp_path, NUMBA_CPU_NAME=LESSER[machine()], NUMBA_CPU_FEATURES="")
    assert len(printed) > 1 and all(line.startswith("compiled") for line in printed[:-1]) and retained
    assert printed[-1] == f"[0.0, 1.0] {tmp_path / 'site/specgrad/__init__.py'}"


def test_links_are_relative_and_point_to_the_folders() -> None:
    """specgrad/ reaches its four folders and the spec by relative links, so a clone works anywhere."""
    for name in ["codegen", "generated", "nn", "runtime", "derivatives.yaml"]:
        assert os.readlink(ROOT / "specgrad" / name) == f"../{name}"
    assert os.readlink(ROOT / "specgrad" / "tests" / "spec") == "../../tests/spec"


def test_every_requirement_is_pinned() -> None:
    """constraints.txt has an exact version for everything pyproject.toml asks for, in every extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    queried = project["dependencies"] + sum(project["optional-dependencies"].values(), [])
    pins = re.findall(r"^([\w-]+)==", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    names = {_plain(re.match(r"[\w-]+", one).group()) for one in queried}
    assert names - {"specgrad"} <= {_plain(pin) for pin in pins}  # an extra may contain another


def test_an_editable_install_is_a_path(tree: Path) -> None:
    """A line of a .pth file, which type checkers and editors follow; they run no code that finds modules."""
    command = [sys.executable, "-c", BUILD.replace("build_wheel", "build_editable"), str(tree / "editable")]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(tree / "editable" / done.stdout.split()[-1]) as file:
        paths = [name for name in file.namelist() if "dist-info" not in name]
        assert [file.read(name).decode().strip() for name in paths] == [str(tree)]


def test_the_generator_asks_for_little() -> None:
    """Who generates code installs ruff and mpmath beside what specgrad itself needs, not the tools of the tests."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert extras["generate"] == ["mpmath", "ruff"] and "specgrad[generate]" in extras["test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    needs = dict(re.findall(r"^([\w-]+): (\S+) ##", makefile, re.MULTILINE))
    assert {needs[target] for target in ("gen", "gen-check", "verify", "lint")} == {"$(GENERATOR)"}


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def test_make_help_lists_every_target() -> None:
    """``make`` alone prints one line for each target there is."""
    phony = (
        re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE).group(1).split()
    )
    message = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert re.findall(r"^  make (\S+)", message, re.MULTILINE) == phony
