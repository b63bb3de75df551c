"""The generator's command line: `python -m codegen` renders derivatives.yaml into generated/ and docs/.

python -m codegen                     render all, verify changed entries, write what changed, delete what is gone
python -m codegen --check             write nothing; print a diff and exit 1 when generated/ is stale, exit 2 when that
                                      cannot be told because ruff, which lays it out, is missing or another
python -m codegen --list              one line per entry
python -m codegen verify [OP...]      check every formula numerically
python -m codegen derive EXPRESSION   an entry for a scalar expression, with its formulas
python -m codegen prove [OP...]       prove the gradient formulas of element-wise ops
python -m codegen mutate [OP...]      change entries, one thing at a time, and list the changes that no check notices
python -m codegen explain OP          what the generator knows of one op
python -m codegen pictures [--check]  draw the functions of docs/pictures/ops/ and their derivatives
python -m codegen accuracy [OP...]    the largest errors of element-wise ops; --write writes docs/accuracy.md
python -m codegen dtypes [--check]    the dtypes that ops give, as the golden file of the tests
python -m codegen cubins [--check]    compile the CUDA kernels that come with specgrad, where they have changed
python -m codegen modules [--check]   lower the CPU kernels that programs begin with, where they have changed
python -m codegen pieces [--check]    fit the functions that are computed by pieces, and write their tables
python -m codegen site [--out FOLDER] build the documentation, out/site/html/index.html
python -m codegen statistics          the figures of the documents; --write puts them there, --check names stale ones
python -m codegen wheel [NAME...]     build a wheel for this platform that carries machine code for levels of processors
python -m codegen SPEC [--out FOLDER] the same for a spec outside the tree, checks included; --base PACKAGE: what its
                                      ops are made of besides specgrad's
python -m codegen verify|prove|mutate|explain|pictures --spec SPEC [...]
python -m codegen new NAME [FOLDER]   a package of your own ops, ready to test, build and publish
"""

import argparse
import gc
import importlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from .emit.files import (
    Files,
    Formatter,
    NotPython,
    OtherLayout,
    WritePlan,
    differences,
    installed,
    layout_of,
    other_layout,
    pinned,
    plan,
    write_new,
)
from .language.syntax import did_you_mean
from .library.bases import SPEC
from .library.files import Refused, read_manifest
from .pages.statistics import picture_files
from .project.progress import counted
from .project.project import Project, add_options, merge_specs, op_library_of, read_project
from .project.trial import changed_ops, is_wrong_in_tree
from .spec.excerpt import with_excerpt
from .spec.memo import MEMO
from .spec.model import MAX_PROBLEMS, Problem, Spec
from .verify.proofs import prove as proved

COMMAND = __package__  # in a tree `codegen`, where specgrad is installed `specgrad.codegen`
# Commands that are imported when they are run: some import the framework, which may be broken.
ELSEWHERE = {
    "accuracy": (".verify.accuracy", "accuracy_command"),
    "derive": (".proof.derive", "derive_command"),
    "dtypes": (".verify.dtype_tables", "dtypes_command"),
    "cubins": (".packaging.cubins", "cubins_command"),
    "modules": (".packaging.llvm_modules", "modules_command"),
    "pieces": (".tables.command", "pieces_command"),
    "site": (".site.command", "site_command"),
    "statistics": (".site.figures", "statistics_command"),
    "wheel": (".packaging.wheel", "wheel_command"),
}


def main(argv: list[str] | None = None) -> int:
    try:
        with uncollected():
            return run(list(sys.argv[1:] if argv is None else argv))
    except NotPython as error:
        show(error.problems)
    except (OtherLayout, Refused, OSError) as error:
        print(f"codegen: {error}", file=sys.stderr)
        return 2 if isinstance(error, OtherLayout) else 1
    return 1


@contextmanager
def uncollected() -> Iterator[None]:
    """Inside, no garbage is collected: there is hardly any, and the collector walks syntax trees again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def own_commands() -> dict[str, Callable[[list[str]], int]]:
    return {each.__name__: each for each in (verify, prove, mutate, explain, pictures, new)}


def run(argv: list[str]) -> int:
    name = "".join(argv[:1])
    if name in ELSEWHERE:
        module, function = ELSEWHERE[name]
        return int(getattr(importlib.import_module(module, __package__), function)(argv[1:]))
    if name in (commands := own_commands()):
        return commands[name](argv[1:])
    options = parse(argv)
    with MEMO.opened((options.spec or SPEC).name):
        return generation(options)


def generation(options: argparse.Namespace) -> int:
    project = read(options)
    if project is None:
        return 1
    if options.list:
        for entry in project.spec.entries:
            print(f"{entry.where.file}:{entry.where.line}: {entry.compute.kind:11s} {entry.schema.text}")
    else:
        return write(project, options)
    return 0


def write(project: Project, options: argparse.Namespace) -> int:
    formatter, expected = layouts(project, options.check)
    parts = project.files(formatter)
    if options.check:
        return max([check(root, files, project.command, expected, formatter) for root, files in parts.items()])
    planned = [plan(root, files) for root, files in parts.items()]
    if not options.no_verify and is_wrong(project, parts[project.root]):
        print("nothing was written", file=sys.stderr)
        return 1
    generate(planned)
    if formatter is None and not project.in_tree:
        print("not formatted, which would take ruff; the code works the same")
    return 0 if project.in_tree or options.no_verify else draw(project, only_check=False)


def layouts(project: Project, only_check: bool) -> tuple[Formatter | None, str]:
    if not project.in_tree:
        expected = read_manifest(project.root).layout if only_check else ""
        return (installed() if expected or not only_check else None), expected
    formatter, expected = installed(), pinned()
    other = expected not in ("", layout_of(formatter))
    if other and (formatter is None or not only_check):  # another ruff may lay it out as this one does
        raise other_layout("generated/" + " cannot be compared" * only_check, expected, formatter)
    return formatter, expected


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=f"python -m {COMMAND}", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add_options(parser, named=False)
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 when stale")
    parser.add_argument("--list", action="store_true", help="list the entries")
    parser.add_argument(
        "--no-verify", action="store_true", help="skip the checks, of changed entries in the tree, and pictures"
    )
    options = parser.parse_args(argv)
    if options.spec is not None and not options.spec.suffix and not options.spec.exists():
        hint = did_you_mean(str(options.spec), [*own_commands(), *ELSEWHERE])
        parser.error(f"there is no command and no spec '{options.spec}'{hint}")
    placed = options.out is not None or options.list
    if options.spec is None and (options.out or options.base):
        parser.error("--out and --base need a spec outside the tree")
    if options.spec is not None and not placed and op_library_of(options.spec) is None:
        parser.error("a spec outside the tree needs --out FOLDER, unless it lies in a package")
    return options


def read(options: argparse.Namespace) -> Project | None:
    project, problems = read_project(options)
    renamed = project.spec.renamed if project is not None else ()
    first = {each.message: each for each in reversed(renamed)}
    for message, each in sorted(first.items(), key=lambda item: item[1].where):
        count = sum(other.message == message for other in renamed)
        print(f"{each.where}: warning: {message}{f' ({count} places)' if count > 1 else ''}", file=sys.stderr)
    return None if show(problems, options.spec) else project


def show(problems: list[Problem], spec: Path | None = None) -> bool:
    for problem in sorted(set(problems))[:MAX_PROBLEMS]:
        print(with_excerpt(problem, (spec or SPEC).parent), file=sys.stderr)
    if problems:
        print(f"{counted(len(set(problems)), 'problem')}; nothing was written", file=sys.stderr)
    return bool(problems)


def generate(plans: list[WritePlan]) -> None:
    for each in plans:
        each.carry_out()
        for name in each.changed:
            print(f"wrote {each.root.name}/{name}")
        for name in each.gone:
            print(f"removed {each.root / name}")
        for name in each.retained:
            print(f"left {each.root / name}, which was changed since it was written")
        print(f"{counted(len(each.files), 'file')}, {len(each.changed)} written, {len(each.gone)} removed")


def is_wrong(project: Project, files: Files) -> bool:
    if project.in_tree:
        names = changed_ops(project.root, files)
        return bool(names) and is_wrong_in_tree(project.root, files, names)
    from .verify.command import Package, wrong_in_spec
    from .verify.command import verify as verify_package

    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder).resolve() / project.root.name
        write_new(trial, files)
        package = Package.of(trial, project.op_library, project.path)
        return verify_package(package, known_wrong=wrong_in_spec(project)) != 0


def check(root: Path, files: Files, repair: str, expected: str, formatter: Formatter | None) -> int:
    lines = compared(root, files, expected, formatter)
    sys.stdout.writelines(lines)
    if lines:
        print(f"{root.name}/ is stale: run `{repair}` and commit the result", file=sys.stderr)
    return 1 if lines else 0


def compared(root: Path, files: Files, expected: str, formatter: Formatter | None) -> list[str]:
    lines = differences(root, files)
    if lines and expected not in ("", layout_of(formatter)):
        raise other_layout(f"{root.name}/ cannot be compared", expected, formatter)
    return lines


def is_stale(project: Project, command: str) -> bool:
    """Of files that are not what the spec says a command would say little."""
    formatter, expected = layouts(project, True)
    files = project.files(formatter)[project.root]
    if not compared(project.root, files, expected, formatter):
        return False
    names = ", ".join(changed_ops(project.root, files))
    what = f"does not have {names} as {project.path.name} states it" if names else "is stale"
    print(f"{command}: {project.root.name}/ {what}: run `{project.command}`, which verifies first", file=sys.stderr)
    return True


def parser_of(command: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m {COMMAND} {command}")
    parser.add_argument("names", nargs="*", metavar="OP", help="an op, with all its overloads, or one overload")
    add_options(parser)
    return parser


def verify(argv: list[str]) -> int:
    from .verify.command import LIMIT, seconds, verify_command, verify_project

    parser, about = parser_of("verify"), f"how long an op may take (default: {LIMIT:g})"
    parser.add_argument("--limit", type=seconds, default=LIMIT, metavar="SECONDS", help=about)
    options = parser.parse_args(argv)
    with MEMO.opened((options.spec or SPEC).name):
        if options.spec is None:
            return verify_command(options.names, options.limit)
        project = read(options)
        if project is None or is_stale(project, "verify"):
            return 1
        return verify_project(project, options.names, options.limit)


def pictures(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog=f"python -m {COMMAND} pictures")
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 when stale")
    add_options(parser)
    options = parser.parse_args(argv)
    project = read(options)
    return 1 if project is None else draw(project, options.check)


def draw(project: Project, only_check: bool) -> int:
    from .draw_command import pictures_command
    from .verify.command import package_of

    if not picture_files(project.spec.by_name()) and not project.pictures.exists():
        return 0
    package, repair = package_of(project), project.command_for("pictures")
    return pictures_command(project.spec, project.pictures, only_check, package, repair)


def new(argv: list[str]) -> int:
    from .project.scaffold import new_package

    parser = argparse.ArgumentParser(prog=f"python -m {COMMAND} new")
    parser.add_argument("name", help="the name of the package, as it is imported")
    parser.add_argument("folder", nargs="?", type=Path, help="where its files are put (default: a folder of its name)")
    options = parser.parse_args(argv)
    return run([str(new_package(options.name, options.folder or Path(options.name)))])


def prove(argv: list[str]) -> int:
    options = parser_of("prove").parse_args(argv)
    project = read(options)
    if project is None:
        return 1
    lines, wrong = proved(with_numbers(project), options.names, merge_specs(project.renderer.bases))
    print("\n".join(lines))
    return 1 if wrong else 0


def with_numbers(project: Project) -> Spec:
    if not project.functions:
        return project.spec
    from .verify.functions import claims, running

    functions = running(claims(project.renderer.library.op_libraries, project.functions), project.functions)
    return replace(project.spec, entries=tuple(replace(e, functions=functions) for e in project.spec.entries))


def mutate(argv: list[str]) -> int:
    from .mutate.command import mutate_command
    from .mutate.command import parse as options_of

    options = options_of(argv)
    project = read(options)
    stale = project is None or (not project.in_tree and is_stale(project, "mutate"))
    return 1 if project is None or stale else mutate_command(options, project)


def explain(argv: list[str]) -> int:
    from .pages.explain import UnknownOp, explanation

    options = parser_of("explain").parse_args(argv)
    if not options.names:
        print("explain: which op? python -m codegen explain OP", file=sys.stderr)
        return 2
    project = read(options)
    if project is None:
        return 1
    try:
        print("\n\n".join([explanation(project.renderer, name, project.root) for name in options.names]))
    except UnknownOp as error:
        print(f"explain: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    gc.disable()
    status = main()
    gc.freeze()  # nor when Python ends
    sys.exit(status)
