"""What nvidia-cudnn-frontend 1.32.0 says of the functions and enumerations that specgrad names: `cudnn_record.txt`.

Where that package is installed, `python -m tests.kernels.cuda_libraries.cudnn_record` writes the file again.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import Any

PATH = Path(__file__).with_name("cudnn_record.txt")
OPERATIONS = "conv_fprop conv_dgrad conv_wgrad bias sdpa sdpa_backward"
STEPS = (
    "__init__ tensor validate build_operation_graph create_execution_plans deselect_numeric_notes check_support "
    "build_plans get_workspace_size execute"
)
SETTERS = "set_output set_uid set_data_type set_dim set_stride"
MODULE = "backend_version create_handle set_stream"
ENUMERATIONS = "data_type numerical_note heur_mode"


def recorded() -> Iterator[str]:
    """The lines of the file as the installed package has them; an operation has one for each way to call it."""
    cudnn = importlib.import_module("cudnn")
    compiled = importlib.import_module("cudnn._compiled_module")
    tensor = importlib.import_module("cudnn.graph_types").Tensor
    for name in OPERATIONS.split():
        yield from documented(getattr(compiled.backend_graph, name), name)
    yield from documented(compiled.backend_version, "backend_version")
    for owner, names in ((cudnn.pygraph, STEPS), (tensor, SETTERS), (cudnn, MODULE)):
        for name in names.split():
            if inspect.isfunction(getattr(owner, name)):
                yield f"{name}{inspect.signature(getattr(owner, name))}"
    for name in ENUMERATIONS.split():
        yield f"{name}: " + " ".join(getattr(cudnn, name).__members__)


def documented(function: Any, name: str) -> Iterator[str]:
    """The signatures at the beginning of a docstring, without the modules of types."""
    for line in function.__doc__.splitlines():
        if not line.startswith(f"{name}("):
            return
        yield line.replace("cudnn._compiled_module.", "").replace("collections.abc.", "")


@functools.cache
def signatures(name: str) -> list[ast.arguments]:
    """The parameters of a function in each way to call it, without `self`."""
    found = []
    for line in PATH.read_text().splitlines():
        if line.startswith(f"{name}("):
            (function,) = ast.parse(f"def {line}: ...").body
            assert isinstance(function, ast.FunctionDef)
            function.args.args = [each for each in function.args.args if each.arg != "self"]
            found.append(function.args)
    return found


def hold(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """See that some signature takes a call: numbers, names and kinds of arguments."""
    complaints = [complaint(reserved, arguments, keywords) for reserved in signatures(name)]
    assert "" in complaints, f"{name}(): {complaints}"


def complaint(reserved: ast.arguments, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> str:
    """What is wrong with a call by one signature; empty where nothing is."""
    if len(arguments) > len(reserved.args):
        return f"takes {len(reserved.args)} arguments"
    positional_kinds = {one.arg: value for one, value in zip(reserved.args, arguments, strict=False)}
    given, parameters = positional_kinds | keywords, [*reserved.args, *reserved.kwonlyargs]
    required = [one.arg for one in reserved.args[: len(reserved.args) - len(reserved.defaults)]]
    strange = given.keys() - {one.arg for one in parameters}
    missing = [name for name in required if name not in given]
    if strange or missing or positional_kinds.keys() & keywords.keys():
        return f"does not know {strange}, or lacks {missing}"
    kinds = {one.arg: ast.unparse(one.annotation) if one.annotation else "Any" for one in parameters}
    wrong = [name for name, value in given.items() if not fits(value, kinds[name])]
    return f"{wrong} are no {[kinds[name] for name in wrong]}" if wrong else ""


def fits(value: Any, kind: str) -> bool:
    """Whether a value is of a type by its name; of classes of the package's own, an object of that name is."""
    kind = kind.strip("'")
    if kind.startswith("Optional["):
        return value is None or fits(value, kind.removeprefix("Optional[")[:-1])
    if " | " in kind:
        return any(fits(value, each) for each in kind.split(" | "))
    if kind in ("Any", "object"):
        return value is not None
    if kind == "None":
        return value is None
    if kind.startswith(("Sequence[", "List[")):
        item = kind.partition("[")[2][:-1]
        return isinstance(value, list) and all(fits(each, item) for each in value)
    if kind == "List":
        return isinstance(value, list)
    return kind.startswith(("Dict[", "Union[")) or type(value).__name__.lower() == kind.rpartition(".")[2].lower()


def enumeration(name: str) -> type[IntEnum]:
    """An enumeration, by the name that it has in the file."""
    line = next(line for line in PATH.read_text().splitlines() if line.startswith(f"{name}: "))
    return IntEnum(name, line.partition(": ")[2].split())  # type: ignore[return-value]


if __name__ == "__main__":
    PATH.write_text("".join(f"{line}\n" for line in recorded()))
