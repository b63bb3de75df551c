"""The rules of ARCHITECTURE.md that can be read off the sources."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest

from specgrad.codegen.proof.derive import load_spec
from tests.repository import ROOT

# The parts of the generator that run ops, and so import the rest of specgrad.
TRYING = ("codegen.verify", "codegen.mutate", "codegen.packaging", "codegen.site", "codegen.tables")
FOLDERS = ["codegen", "generated", "nn", "runtime"]

# The layers from bottom to top. A folder imports only what stands on a line above its own; those on one line do not
# import each other. A folder's own files count as the folder, a longer path wins over a shorter one.
ORDER = """
runtime/errors.py runtime/locks.py runtime/namespace.py
runtime/pytree.py runtime/thread_state.py runtime/shapes.py runtime/fast_path.py runtime/spec_lines.py
runtime/tracebacks.py runtime/unknown_names.py
runtime/extension_points.py
runtime/compiler/language
runtime/compiler/passes
runtime/compiler/cache
runtime/compiler
runtime/device/threads
runtime/device/cuda
runtime/device
runtime/kernels/scalar
runtime/kernels/llvm
runtime/kernels/cpu
runtime/kernels/cuda
runtime/kernels/cuda_launch
runtime/kernels/cuda_libraries
runtime/kernels
runtime/tensor
runtime/autograd
runtime/dispatch
runtime/dispatch/elementwise
runtime/dispatch/kernel_ops
runtime/ops/elementwise runtime/ops/complex runtime/ops/optim
runtime/ops/loss runtime/ops/scan
runtime/ops/creation runtime/ops/numeric runtime/ops/reduction
runtime/ops/attention runtime/ops/matmul runtime/ops/norm runtime/ops/recurrent runtime/ops/shape
runtime/ops/collective runtime/ops/image runtime/ops/indexing runtime/ops/linalg
runtime/ops/conv runtime/ops/distance runtime/ops/embedding runtime/ops/fft runtime/ops/sorting
runtime/ops/pooling
runtime/ops
runtime/methods
runtime/native/objects
runtime/native/elementwise
runtime/native/kernel_ops
runtime/native/views
runtime/native/graph
runtime/native/plans
runtime/native/creation runtime/native/cuda
runtime/native
runtime/extensions/amp runtime/extensions/lazy_conj runtime/extensions/masked runtime/extensions/pytree
runtime/extensions/tensorboard runtime/extensions/testing runtime/extensions/storage runtime/extensions/cuda_api
runtime/extensions/vmap
runtime/extensions/sparse runtime/extensions/transforms runtime/extensions/gradcheck runtime/extensions/checkpoint
runtime/extensions/onnx
runtime/extensions/serialization
runtime/extensions/multiprocessing
runtime/extensions/distributed/groups
runtime/extensions/profiler
runtime/extensions/graph_drawing runtime/extensions/benchmark runtime/extensions/display
runtime/extensions/distributed/launcher runtime/extensions/distributed/stores
runtime/extensions/distributed
runtime/extensions/distributed/checkpoint runtime/extensions/distributed/trace
runtime/extensions/torch_compat
runtime/extensions/simulator
runtime/extensions
runtime
generated
nn/docstrings.py nn/parameter.py nn/common_types.py nn/_reduction.py nn/packed_sequence.py
nn/functional nn/grad.py
nn/init
nn/modules
nn/utils
nn/optim
nn/data
nn/attention nn/distributions nn/masked.py nn/nested
nn/fx
nn/export
nn/parallel
nn
codegen/language
codegen/spec
codegen/proof
codegen/programs
codegen/library
codegen/check
codegen/emit
codegen/pages
codegen/project
codegen/verify
codegen/mutate
codegen/draw_command.py
codegen/tables
codegen/packaging
codegen/site
codegen
"""
LAYERS = [line.split() for line in ORDER.split("\n") if line]
RANK = {path: rank for rank, line in enumerate(LAYERS) for path in line}

# Who sets `_requires_grad` and `_grad_fn`.
HISTORY = {"runtime.tensor.tensor", "runtime.tensor.history"}


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {_name(path): path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))}


def _submodule(base: str, name: str) -> str:
    """What ``from base import name`` loads: the module ``base.name`` if there is one, else ``base``."""
    short = base.removeprefix("specgrad").removeprefix(".")
    inner = f"{short}.{name}" if short else name
    return inner if inner in SOURCES else short or "specgrad"


def _targets(node: ast.stmt, package: list[str]) -> Iterator[str]:
    """The modules of this project that one import statement may load, without the leading ``specgrad.``."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif node.level:
        base = package[: len(package) - node.level + 1] + ([node.module] if node.module else [])
        names = [_submodule(".".join(base), alias.name) for alias in node.names]
    else:
        names = [_submodule(node.module or "", alias.name) for alias in node.names]
    for name in names:
        short = name.removeprefix("specgrad.")
        if short.split(".")[0] in FOLDERS or name == "specgrad":
            yield short


def _imports(module: str, typing: bool = True) -> frozenset[str]:
    """Every module of the project that ``module`` imports, anywhere in its text; ``typing``: for type checkers too."""
    all_of_them, at_run_time = _both_imports(module)
    return all_of_them if typing else at_run_time


@cache
def _both_imports(module: str) -> tuple[frozenset[str], frozenset[str]]:
    path = SOURCES[module]
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    parts = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    guarded = [n for n in parts if isinstance(n, ast.If) and getattr(n.test, "id", "") == "TYPE_CHECKING"]
    of_checkers = {inner for node in guarded for inner in ast.walk(node)}
    nodes = [n for n in parts if isinstance(n, ast.Import | ast.ImportFrom)]
    found = {n: {t for t in _targets(n, package) if t in SOURCES or t == "specgrad"} - {module} for n in nodes}
    at_run_time = {target for n, targets in found.items() if n not in of_checkers for target in targets}
    return frozenset(target for targets in found.values() for target in targets), frozenset(at_run_time)


def _layer(module: str) -> str:
    """The entry of ORDER that a module belongs to: the longest that holds its file."""
    path = SOURCES[module].relative_to(ROOT).as_posix()
    return max((entry for entry in RANK if path == entry or path.startswith(f"{entry}/")), key=len)


def _upwards(module: str) -> list[str]:
    """The imports of one module that go against ORDER: to a layer above its own, or to one on the same line."""
    own = _layer(module)
    layers = {target: _layer(target) for target in _imports(module) if target in SOURCES}
    return [t for t, layer in layers.items() if RANK[layer] > RANK[own] or (RANK[layer] == RANK[own] and layer != own)]


def test_folders_are_layers() -> None:
    """A folder imports only folders below it, also inside functions and for type checkers."""
    assert {module: up for module in SOURCES if (up := _upwards(module))} == {}


def test_every_entry_of_the_order_exists() -> None:
    """A folder that moved or went leaves the order too."""
    assert [entry for entry in RANK if not (ROOT / entry).exists()] == []


def test_no_two_folders_of_a_layer_import_each_other() -> None:
    """Folders inside one layer import one way too."""
    edges = {
        (a, b)
        for module in SOURCES
        for target in _imports(module)
        if target in SOURCES and _layer(module) == _layer(target)
        if not (_is_package(module) or _is_package(target))
        for a, b in [_parting(module, target)]
        if a and b
    }
    assert sorted((a, b) for a, b in edges if a < b and (b, a) in edges) == []


def _parting(module: str, target: str) -> tuple[str, str]:
    """The two folders in which two modules lie, where their paths part; "" for a file there."""
    one, other = module.split("."), target.split(".")
    same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    folder = [".".join(parts[: same + 1]) if len(parts) > same + 1 else "" for parts in (one, other)]
    return folder[0], folder[1]


def test_who_sets_the_history_of_tensors() -> None:
    """The slots for a tensor's place in the graph are set in few modules, besides generated and native code."""
    setters = {module for module in SOURCES if module.startswith(("runtime", "nn")) and _sets_history(module)}
    assert setters == HISTORY


def _sets_history(module: str) -> bool:
    nodes = ast.walk(ast.parse(SOURCES[module].read_text(encoding="utf-8")))
    return any(
        isinstance(n, ast.Attribute) and n.attr in ("_requires_grad", "_grad_fn") and isinstance(n.ctx, ast.Store)
        for n in nodes
    )


def test_runtime_imports_neither_generated_nor_nn() -> None:
    """The runtime knows no op and no layer: it can be imported when generated/ is empty."""
    wrong = {m: _of(_imports(m), "generated", "nn", "specgrad") for m in SOURCES if m.startswith("runtime")}
    assert {module: names for module, names in wrong.items() if names} == {}


def test_nothing_imports_codegen() -> None:
    """The generator is a tool: no installed program needs it, nor YAML or Jinja."""
    wrong = {m: _of(_imports(m), "codegen") for m in SOURCES if not m.startswith("codegen")}
    assert {module: names for module, names in wrong.items() if names} == {}


def test_codegen_runs_without_what_it_writes() -> None:
    """Only verifying and mutating touch the rest of specgrad, so a broken generated/ can always be made again."""
    wrong = {m: _of(_imports(m), "generated", "nn", "runtime", "specgrad") for m in SOURCES}
    assert {m for m, names in wrong.items() if names and m.startswith("codegen") and not m.startswith(TRYING)} == set()
    program = "import sys, codegen.__main__; sys.exit('specgrad' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT).returncode == 0, "the command imports specgrad"


def _of(names: set[str], *folders: str) -> list[str]:
    return sorted(name for name in names if name.split(".")[0] in folders)


def _reachable(module: str) -> set[str]:
    """Every module of the project that importing ``module`` may load."""
    found, todo = set(), [module]
    while todo:
        current = todo.pop()
        if current in SOURCES and current not in found:
            found.add(current)
            todo += _imports(current)
    return found


def test_kernels_know_arrays_only() -> None:
    """Kernels never see a Tensor: nothing that they import, however indirectly, knows one."""
    kernels = [m for m in SOURCES if m.startswith("runtime.kernels") or fnmatchcase(m, "runtime.ops.*.cpu*")]
    assert [m for m in kernels if "runtime.tensor.tensor" in _reachable(m)] == []


def test_no_circles() -> None:
    """What a module imports, also inside functions, does not import it in turn, however indirectly."""
    modules = {m for m in SOURCES if not _is_package(m)}
    waiting = {module: _imports(module, typing=False) & modules for module in modules}
    while free := {module for module, needed in waiting.items() if not needed & waiting.keys()}:
        for module in free:
            del waiting[module]
    assert sorted(waiting) == []


def _is_package(module: str) -> bool:
    return SOURCES[module].name == "__init__.py"


def test_no_file_of_left_overs() -> None:
    """There is no utils.py, but for PyTorch's own: a function lives in the module that says what it is about."""
    found = [path for path in SOURCES.values() if path.name in ("utils.py", "misc.py", "common.py")]
    assert found == [ROOT / "nn/modules/utils.py"]


MAPS = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"]
MAPS += sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))
MAPS += sorted(
    str(path.relative_to(ROOT))
    for top in ("codegen", "generated", "nn", "runtime")
    for path in (ROOT / top).rglob("*.md")
)
FIRST = "codegen|derivatives|docs|examples|generated|nn|runtime|specgrad|tests"
PATH = re.compile(rf"`((?:{FIRST})/[\w./*<>-]+)`")
TO_WRITE = {"runtime/ops/scan/cpu_leaky.py"}  # by who reads the guide


@pytest.mark.parametrize("page", MAPS)
def test_paths_that_the_maps_name_exist(page: str) -> None:
    """Where something is said to be, there it is; `<family>` and `*` stand for any name."""
    named = PATH.findall((ROOT / page).read_text(encoding="utf-8"))
    paths = {re.sub(r"<\w+>", "*", path).rstrip("/") for path in named}
    assert sorted(path for path in paths - TO_WRITE if not list(ROOT.glob(path))) == []


def test_paths_that_the_format_of_the_spec_names_exist() -> None:
    """`*` and words in angle brackets stand for any name."""
    header = (ROOT / "derivatives.yaml").read_text(encoding="utf-8").partition("\n- ")[0]
    header += (ROOT / "docs" / "spec.md").read_text(encoding="utf-8")
    paths = {
        re.sub(r"<\w+>", "*", path).rstrip("/.")
        for path in re.findall(r"\b(?:runtime|tests|codegen)/[\w./*<>]+", header)
    }
    assert len(paths) > 5
    assert sorted(path for path in paths if not list(ROOT.glob(path))) == []


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def _blocks(language: str) -> list[str]:
    """The code blocks of a language in the README and the pages of docs/."""
    parts = [part for page in PAGES for part in page.read_text(encoding="utf-8").split(f"```{language}\n")[1:]]
    return [part.split("```")[0] for part in parts]


@pytest.mark.parametrize("code", _blocks("python"))
def test_readme_code_runs(code: str) -> None:
    """Every Python block of the README and of docs/ runs as it stands."""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("spec", _blocks("yaml"))
def test_readme_spec_is_accepted(spec: str, tmp_path: Path) -> None:
    """The op that the README adds passes every check of the generator."""
    path = tmp_path / "ops.yaml"
    path.write_text(spec, encoding="utf-8")
    command = [sys.executable, "-m", "specgrad.codegen", str(path), "--out", str(tmp_path / "ops")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_generator_knows_no_op_by_name() -> None:
    """What the generator must know of an op, the entry says; only words of the spec's own language are in the code."""
    spec, _ = load_spec(ROOT / "derivatives.yaml")
    ops = {e.schema.name for e in spec.entries} | {alias for e in spec.entries for alias in e.aliases}
    # A kind of op, rules and kinds of dtypes, "all dtypes", attribute of tensors, a key, the conjugate of formulas.
    language = {"view", "real", "complex", "all", "imag", "where", "conj"}
    found = [
        f"{path.name}:{node.lineno}: {node.value}"
        for path in sorted((ROOT / "codegen").rglob("*.py"))
        if path.name not in ("names.py", "fields.py", "reference.py")  # symbols; words of NumPy's and Python's
        # Functions of expressions, as `runtime/kernels/scalar/` has them, and the folds of row programs.
        and path.parent.name not in ("tables", "proof", "programs", "language")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in ops - language
    ]
    assert found == []


ROOT_FILES = "ARCHITECTURE.md CHANGELOG.md CITATION.cff CODE_OF_CONDUCT.md CONTRIBUTING.md LICENSE MANIFEST.in Makefile"
ROOT_FILES += " README.md constraints.txt derivatives.yaml mkdocs.yml pyproject.toml .gitattributes .gitignore"
ROOT_FOLDERS = "benchmarks codegen docs examples generated nn runtime specgrad tests .ci .github"
ROOT_NAMES = {*ROOT_FILES.split(), *ROOT_FOLDERS.split()}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="what is committed is told by git")
def test_the_root_has_what_it_may_have() -> None:
    """No file of somebody's work was committed beside the folders."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {name.partition("/")[0] for name in listed.split("\0") if name} - ROOT_NAMES == set()


OF_TESTS = {
    "attack",
    "golden",
    "import_name",
    "ported",
    "programs",
    "spec",
    "typing",
}  # what concerns the whole, and data


def test_tests_mirror_the_tree() -> None:
    """A folder of tests bears the name of what it tests: a layer of runtime/, a family, an extension."""
    folders = {path.name: path for top in (ROOT, ROOT / "runtime") for path in top.iterdir() if path.is_dir()}
    for folder in (path for path in (ROOT / "tests").iterdir() if path.is_dir() and path.name not in OF_TESTS):
        if folder.name != "__pycache__":
            assert folder.name in folders, folder
    for name in ("ops", "extensions"):
        own = {path.name for path in (ROOT / "tests" / name).iterdir() if path.is_dir()}
        assert own - {"__pycache__"} <= {path.name for path in (ROOT / "runtime" / name).iterdir()}
