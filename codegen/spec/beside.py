"""The test material of a spec that lies beside it: YAML files by op name, and references that are Python functions.

The first item of a spec may name a file or a folder: `- tests: tests/spec`. A YAML file maps ops to keys of
`TEST_KEYS`. A Python file in a folder `references` has functions named like the ops: read, never run.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath

import yaml

from ..language.syntax import did_you_mean
from .fields import RENAMED, TEST_KEYS
from .model import Problem, Where, identifier_of
from .source import NodeError, Source, Unreadable, compose, first_item, read_text
from .yaml_mistakes import mistake

TESTS = "tests"  # the key of the item
REFERENCES = "references"  # the folder of Python files
Pairs = list[tuple[yaml.Node, yaml.Node]]


@dataclass(frozen=True)
class Reference:
    function: ast.FunctionDef
    source: Source

    def where(self, node: ast.AST | None = None) -> Where:
        spot = node or self.function
        return Where(self.source.file, spot.lineno, spot.col_offset + 1)  # type: ignore[attr-defined]


@dataclass
class Beside:
    """What lies beside a spec, by op, and what is wrong with it."""

    pairs: dict[str, Pairs] = field(default_factory=dict)  # op -> keys and values
    locations: dict[str, Where] = field(default_factory=dict)  # op -> where its keys begin
    references: dict[str, Reference] = field(default_factory=dict)  # identifier of an op -> its function
    problems: list[Problem] = field(default_factory=list)

    def report(self, where: Where, message: str, op: str = "") -> None:
        self.problems.append(Problem(where, op, "", message))


def sources_beside(path: Path, spec: Source) -> tuple[Source, ...]:
    named = first_item(spec.content, TESTS)
    if named is None:
        return ()
    root = path.resolve().parent / named
    shown = PurePath(spec.file).parent / named
    folder = root if root.is_dir() else root.parent
    files = [*(sorted(root.glob("*.yaml")) if root.is_dir() else [root]), *sorted(folder.glob(f"{REFERENCES}/*.py"))]
    base = shown if root.is_dir() else shown.parent
    return tuple(_read(base / file.relative_to(folder).as_posix(), file) for file in files if file.is_file())


def _read(shown: PurePath, file: Path) -> Source:
    try:
        return Source(str(shown), read_text(file))
    except Unreadable as error:
        error.file = str(shown)
        raise


def is_tests_item(node: yaml.Node) -> bool:
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    keys = {key.value for key, _ in pairs if isinstance(key, yaml.ScalarNode)}
    return TESTS in keys and not keys & {"name", "section"}


def check_item(node: yaml.MappingNode, number: int, source: Source, beside: tuple[Source, ...]) -> Iterator[Problem]:
    for key, value in node.value:
        if key.value != TESTS:
            yield Problem(source.where(key), "", "", f"unknown key '{key.value}' beside '{TESTS}'")
        elif number:
            yield Problem(source.where(key), "", TESTS, "it belongs before all other items")
        elif not isinstance(value, yaml.ScalarNode):
            yield Problem(source.where(value), "", TESTS, "the name of one file or folder is wanted here")
        elif not beside:
            message = f"there is no file '{value.value}', and no folder with YAML files"
            yield Problem(source.where(value), "", TESTS, message)


def read_beside(sources: tuple[Source, ...]) -> Beside:
    result = Beside()
    for source in sources:
        if source.file.endswith(".py"):
            _read_functions(source, result)
        else:
            _read_keys(source, result)
    return result


def _read_keys(source: Source, result: Beside) -> None:
    try:
        root = compose(source.content, source)
    except yaml.YAMLError as error:
        return result.problems.append(no_yaml(error, source))
    if root is not None and not isinstance(root, yaml.MappingNode):
        return result.report(source.where(root), "expected ops with keys, `exp: {samples: [...]}`")
    for op, keys in root.value if root is not None else ():
        where = source.where(op)
        if not isinstance(op, yaml.ScalarNode) or not isinstance(keys, yaml.MappingNode):
            result.report(where, "expected the name of an op with its keys")
        elif op.value in result.pairs:
            result.report(where, f"the op is there twice, first at {result.locations[op.value]}", op.value)
        else:
            result.locations[op.value] = where
            result.pairs[op.value] = [pair for pair in keys.value if _is_test_key(source, op.value, pair[0], result)]


def no_yaml(error: yaml.YAMLError, source: Source) -> Problem:
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return Problem(Where(source.file, 1, 1), "", "", f"cannot be read: {error}")
    plain = (mark.line, mark.column, getattr(error, "problem", None) or str(error))
    cause = None if isinstance(error, NodeError) else mistake(source.lines, error)
    line, column, what = cause or plain
    return Problem(Where(source.file, line + 1, column + 1), "", "", f"cannot be read: {what}")


def _is_test_key(source: Source, op: str, key: yaml.Node, result: Beside) -> bool:
    name = key.value if isinstance(key, yaml.ScalarNode) else ""
    if RENAMED.get(name, name) in TEST_KEYS:
        return True
    hint = did_you_mean(name, TEST_KEYS) or f": those of tests are {' '.join(TEST_KEYS)}"
    result.report(source.where(key), f"'{name}' is no key of tests{hint}", op)
    return False


def _read_functions(source: Source, result: Beside) -> None:
    try:
        body = ast.parse(source.content).body
    except SyntaxError as error:
        return result.report(Where(source.file, error.lineno or 1, error.offset or 1), f"is no Python: {error.msg}")
    for node in body:
        where = Where(source.file, node.lineno, node.col_offset + 1)
        match node:
            case ast.FunctionDef(name=name) if name in result.references:
                result.report(where, f"'{name}' is defined twice, first at {result.references[name].where()}")
            case ast.FunctionDef(name=name):
                result.references[name] = Reference(node, source)
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant(value=str())):
                pass
            case _:
                result.report(where, "expected functions, each the reference of an op")


def strangers_beside(beside: Beside, ops: set[str]) -> Iterator[Problem]:
    for op, where in beside.locations.items():
        if op not in ops:
            yield Problem(where, op, "", f"the spec has no entry of this name{did_you_mean(op, ops)}")
    names = {identifier_of(op) for op in ops}
    for name, reference in beside.references.items():
        if name not in names:
            yield Problem(reference.where(), name, "", f"the spec has no entry of this name{did_you_mean(name, names)}")
