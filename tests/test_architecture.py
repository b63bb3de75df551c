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

from specgrad.codegen.proof.load import load_spec
from tests.repository import ROOT

TRYING = (
    "codegen.verify",
    "codegen.mutate",
    "codegen.packaging",
    "codegen.tables",
    "codegen.packaging",
)  # what runs ops, and so imports the rest of specgrad
FOLDERS = ["codegen", "generated", "nn", "runtime"]

# Who may import whom: a module imports from its own line or a later one, also inside functions. The longest matching
# pattern counts. Every module of the runtime has a line; `*` stands for a folder's modules as well as for the folder.
ORDER = [
    ["nn", "nn.*", "nn.modules*"],
    ["nn.modules.module*", "nn.modules.utils", "nn.parameter", "nn.functional*", "nn.docstrings"],
    ["generated.tensor"],
    ["generated.ops*"],
    ["generated.functions*"],
    ["runtime", "runtime.extensions.cuda_api*", "runtime.native*", "runtime.methods.settings"]
    + ["runtime.extensions.benchmark*", "runtime.extensions.torch_compat*"],
    # What users call that is no op.
    ["runtime.extensions.transforms*", "runtime.extensions.graph_drawing*"],
    ["runtime.extensions.distributed.groups*", "runtime.extensions.distributed*"],
    ["runtime.extensions.profiler*"],
    ["runtime.methods*"],
    ["runtime.methods*"],
    ["runtime.extensions.multiprocessing*"],
    ["runtime.extensions.serialization*"],
    # What is written by hand for ops, and the parts of autograd that call ops and vmap.
    ["runtime.ops*"],
    ["runtime.autograd*"],
    ["runtime.extensions.amp*"],
    ["runtime.representations*"],
    ["runtime.extensions.vmap*", "runtime.ops.*.batching*", "runtime.extensions.transforms.arguments"],
    ["runtime.ops.creation*", "runtime.ops.numeric*", "runtime.sharing*"],
    # A call of an op: the engine calls kernels by way of dispatch, which asks the history of tensors.
    ["runtime.autograd*", "runtime.autograd.engine*", "runtime.autograd*", "runtime.autograd*"]
    + ["runtime.autograd.inplace", "runtime.autograd.*.mutation", "runtime.autograd.saved_tensor_hooks"]
    + ["runtime.autograd.not_differentiable"],
    ["runtime.dispatch*"],
    ["runtime.autograd*", "runtime.autograd.node", "runtime.autograd*"],
    ["runtime.autograd.node", "runtime.autograd.hooks"],
    [
        "runtime.tensor.host",
        "runtime.methods.printing*",
        "runtime.autograd.as_strided_formulas",
    ],  # which find ops by `namespace.op` alone
    ["runtime.tensor*", "runtime.modes*", "runtime.tensor.generator", "runtime.extensions.pytree*"],
    # Arrays.
    ["runtime.ops.*.cpu*", "runtime.ops.*.cuda*", "runtime.ops.*.plans*", "runtime.ops.optim.formulas"],
    # Memory and launches of CUDA devices: known by addresses, not by tensors. And what has no memory.
    ["runtime.device.cuda*", "runtime.device.device", "runtime.tensor.meta"],
    ["runtime.kernels*", "runtime.kernels.cpu.row_shapes", "runtime.tensor.view_shapes"],
    ["runtime.device.threads*"],
    [
        "runtime.extensions.distributed.groups*",
        "runtime.extensions.distributed.groups*",
    ],  # calls between processes, of arrays alone
    ["runtime.compiler.passes*", "runtime.compiler.jit", "runtime.compiler.jit*", "runtime.kernels.scalar*"]
    + [f"runtime.compiler.cache.{module}" for module in ("ahead", "digest", "dispatchers")],
    [
        "runtime.compiler.cache*",
        "runtime.compiler.passes.primitive_code",
        "runtime.compiler.passes.primitives",
        "runtime.compiler.language.structs",
        "runtime.device.threads.job",
    ]
    + ["runtime.shapes"],
    ["runtime.fast_path", "runtime.spec_lines", "runtime.namespace"],  # which need nothing
    [
        "runtime.errors",
        "runtime.extensions.distributed.groups.futures",
        "runtime.locks",
        "runtime.device.cuda.math_modes",
        "runtime.thread_state",
        "runtime.namespace",
    ]
    + ["runtime.extension_points", "runtime.pytree", "runtime.errors"],
]
RANK = {pattern: rank for rank, line in enumerate(ORDER) for pattern in line}

# Who sets `_rg` and `_fn`.
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


@cache
def _imports(module: str, typing: bool = True) -> frozenset[str]:
    """Every module of the project that ``module`` imports, anywhere in its text; ``typing``: for type checkers too."""
    path = SOURCES[module]
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parts = list(ast.walk(tree))
    guarded = [n for n in parts if isinstance(n, ast.If) and getattr(n.test, "id", "") == "TYPE_CHECKING"]
    left_out = set() if typing else {inner for node in guarded for inner in ast.walk(node)}
    nodes = (n for n in parts if isinstance(n, ast.Import | ast.ImportFrom) and n not in left_out)
    found = {target for node in nodes for target in _targets(node, package)}
    return frozenset(t for t in found if t in SOURCES or t == "specgrad") - {module}


def _rank(module: str) -> int | None:
    patterns = [pattern for pattern in RANK if fnmatchcase(module, pattern)]
    return RANK[max(patterns, key=len)] if patterns else None


def _backward(module: str) -> list[str]:
    """The imports of one module that go against ORDER."""
    own = _rank(module)
    ranks = {target: _rank(target) for target in _imports(module)}
    return [t for t, rank in ranks.items() if own is not None and rank is not None and rank < own]


def test_imports_go_one_way() -> None:
    """No module imports from a level above its own."""
    assert {module: back for module in SOURCES if (back := _backward(module))} == {}


def test_every_module_of_the_runtime_has_a_rank() -> None:
    """Who makes a room of the runtime says where it stands."""
    assert [module for module in SOURCES if module.split(".")[0] == "runtime" and _rank(module) is None] == []


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
        if path.name not in ("operators.py", "keys.py", "reference.py")  # symbols; words of NumPy's and Python's
        # Functions of expressions, as `runtime/kernels/scalar/` has them, and the folds of row programs.
        and path.parent.name not in ("pieces", "proof", "rows")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in ops - language
    ]
    assert found == []
