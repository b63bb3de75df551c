"""The generator's command line: `python -m codegen` renders derivatives.yaml into generated/ and docs/.

python -m codegen                     render all; write what changed, delete what is no longer produced
python -m codegen --check             write nothing; print a diff and exit 1 when generated/ is stale, exit 2 when that
                                      cannot be told because ruff, which lays it out, is missing or another
python -m codegen --list              one line per entry
python -m codegen --count             how many lines an op takes, of YAML and of Python written by hand
python -m codegen verify [OP...]      check every formula numerically
python -m codegen derive EXPRESSION   an entry for a scalar expression, with its formulas
python -m codegen prove [OP...]       prove the gradient formulas of element-wise ops
python -m codegen mutate [OP...]      change entries, one thing at a time, and list the changes that no check notices
python -m codegen explain OP          what the generator knows of one op
python -m codegen pictures [--check]  draw the functions of docs/pictures/ops/ and their slopes
python -m codegen SPEC --out FOLDER   the same for a spec outside the tree, checks included
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from .census import report
from .derive_command import derive_command
from .helpers import RUNTIME, Known, helper_modules, read_known
from .layout import Formatter, OtherLayout, installed, laid_out, layout_of, other_layout, pinned
from .load import load_spec
from .manifest import listed, read_manifest
from .model import MOST_PROBLEMS, Problem, Spec, Where
from .ownership import Refused, check_importable
from .pages import pages, reference
from .proof.report import disproved
from .proof.report import prove as proved
from .render import OUTSIDE, Renderer, Target
from .rendered import NotPython
from .taken import read_taken
from .validate import validate
from .verify_report import Finding
from .write import Files, Plan, differences, plan, write_new

TREE = RUNTIME.parent
SPEC = TREE / "derivatives.yaml"


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit status is 0 when all is well."""
    try:
        return run(list(sys.argv[1:] if argv is None else argv))
    except NotPython as error:
        show(error.problems)
    except OtherLayout as error:
        print(f"codegen: {error}", file=sys.stderr)
        return 2
    except (Refused, OSError) as error:
        print(f"codegen: {error}", file=sys.stderr)
    return 1


def run(argv: list[str]) -> int:
    """Run one command, which may find that files are in its way."""
    if argv[:1] == ["verify"]:
        from .verify_command import verify_command

        return verify_command(argv[1:])
    if argv[:1] == ["derive"]:
        return derive_command(argv[1:])
    if argv[:1] == ["prove"]:
        return prove(argv[1:])
    if argv[:1] == ["mutate"]:
        return mutate(argv[1:])
    if argv[:1] == ["explain"]:
        return explain(argv[1:])
    if argv[:1] == ["pictures"]:
        return pictures(argv[1:])
    options = parse(argv)
    spec, base = read_specs(options.spec)
    if spec is None:
        return 1
    if options.list or options.count:
        return list_entries(spec) if options.list else count(options.spec or SPEC, spec)
    return in_tree(spec, options.check) if options.spec is None else outside(spec, base, options)


def in_tree(spec: Spec, only_check: bool) -> int:
    """Render derivatives.yaml: code into generated/, pages into docs/."""
    formatter, wanted = installed(), pinned()
    if not only_check and wanted not in ("", layout_of(formatter)):
        raise other_layout("generated/", wanted, formatter)
    renderer = Renderer(spec, Target())
    parts = {TREE / "generated": renderer.rendered(), TREE / "docs": pages(renderer, SPEC)}
    parts = {root: listed(laid_out(files, formatter), Target.command, spec.file) for root, files in parts.items()}
    if only_check:
        return max([check(root, files, "python -m codegen", wanted, formatter) for root, files in parts.items()])
    generate([plan(root, files) for root, files in parts.items()])
    return 0


def outside(spec: Spec, base: Spec | None, options: argparse.Namespace) -> int:
    """Render another spec into a package of its own, if the checks find no fault."""
    root = options.out if options.out.name not in ("", "..") else options.out.resolve()
    check_importable(root)
    renderer = Renderer(spec, replace(OUTSIDE, spec_path=seen_from(root, options.spec)), base)
    wanted = read_manifest(root).layout if options.check else ""
    formatter = installed() if wanted or not options.check else None
    text = laid_out(renderer.rendered() | reference(renderer, options.spec), formatter)
    files = listed(text, OUTSIDE.command, spec.file, layout_of(formatter))
    if options.check:
        repair = f"python -m specgrad.codegen {options.spec} --out {options.out}"
        return check(root, files, repair, wanted, formatter)
    planned = plan(root, files)
    if not options.no_verify and is_wrong(root, files, options.spec, disproved(spec, base)):
        print("nothing was written", file=sys.stderr)
        return 1
    generate([planned])
    if formatter is None:
        print("the files are as the templates give them: there is no ruff to format them")
    return 0


def seen_from(root: Path, spec: Path) -> str:
    """The way from a folder to a spec, as links lead; its name alone where there is none."""
    try:
        return Path(os.path.relpath(os.path.realpath(spec), os.path.realpath(root))).as_posix()
    except ValueError:  # on another drive
        return spec.name


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m codegen", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("spec", nargs="?", type=Path, help="a spec outside the tree (default: derivatives.yaml)")
    parser.add_argument("--out", type=Path, help="where to write a package for a spec outside the tree")
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 when stale")
    parser.add_argument("--list", action="store_true", help="list the entries")
    parser.add_argument("--count", action="store_true", help="count the lines that ops take")
    parser.add_argument("--no-verify", action="store_true", help="outside the tree: skip the numerical checks")
    options = parser.parse_args(argv)
    if (options.spec is None) != (options.out is None) and not (options.list or options.count):
        parser.error("a spec outside the tree needs --out FOLDER, and --out needs a spec")
    return options


def read_specs(path: Path | None) -> tuple[Spec | None, Spec | None]:
    """The spec to render and the in-tree one it builds on; (None, None) after showing what is wrong."""
    tree, problems = load_spec(SPEC, SPEC.name)
    known = replace(read_known(), taken=read_taken(TREE / "generated", tree))
    if path is None:
        problems = [*problems, *validate(tree, known)] or without_entries(tree)
        return (None, None) if show(problems) else (tree, None)
    if not path.name.isprintable():
        raise Refused(f"{path.name!r}: expected a spec with a name of characters that can be seen")
    spec, problems = read_outside(path, known, tree)
    return (None, None) if show(problems) else (spec, tree)


def read_outside(path: Path, known: Known, base: Spec) -> tuple[Spec, list[Problem]]:
    """A spec outside the tree and everything that is wrong with it."""
    spec, problems = load_spec(path, path.name)
    return spec, [*problems, *validate(spec, known, base)] or without_entries(spec)


def without_entries(spec: Spec) -> list[Problem]:
    """The problem of a spec that is empty, or holds nothing but comments."""
    where = Where(spec.file, 1, 1)
    return [] if spec.entries else [Problem(where, "", "", "expected a list of entries, `- name: ...`, found none")]


def show(problems: list[Problem]) -> bool:
    """Print problems in order of place; whether there were any."""
    for problem in sorted(set(problems))[:MOST_PROBLEMS]:
        print(problem, file=sys.stderr)
    if problems:
        print(f"{len(set(problems))} problem(s); nothing was written", file=sys.stderr)
    return bool(problems)


def generate(plans: list[Plan]) -> None:
    """Write what changed and remove what is no longer produced, now that nothing is in the way of any of it."""
    for each in plans:
        each.carry_out()
        for name in each.changed:
            print(f"wrote {each.root.name}/{name}")
        for name in each.gone:
            print(f"removed {each.root / name}")
        for name in each.kept:
            print(f"left {each.root / name}, which was changed since it was written")
        print(f"{len(each.files)} files, {len(each.changed)} written, {len(each.gone)} removed")


def is_wrong(root: Path, files: Files, spec: Path, known: list[Finding]) -> bool:
    """Whether anything is known to be wrong with a package, or the checks find it, in a folder of its own."""
    from .verify_command import verify_package

    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder) / root.name
        write_new(trial, files)
        return verify_package(trial, spec, known=known) != 0


def check(root: Path, files: Files, repair: str, wanted: str, formatter: Formatter | None) -> int:
    """Print how the files on disk differ from what would be written, and the command that repairs it.

    Raises:
        OtherLayout: they differ, maybe only because what is on disk has the layout `wanted`.
    """
    lines = differences(root, files)
    if lines and wanted not in ("", layout_of(formatter)):
        raise other_layout(f"{root.name}/ cannot be compared", wanted, formatter)
    sys.stdout.writelines(lines)
    if lines:
        print(f"{root.name}/ is stale: run `{repair}` and commit the result", file=sys.stderr)
    return 1 if lines else 0


def list_entries(spec: Spec) -> int:
    """One line per entry: place, kind, schema."""
    for entry in spec.entries:
        print(f"{entry.where.file}:{entry.where.line}: {entry.compute.kind:11s} {entry.schema.text}")
    return 0


def count(path: Path, spec: Spec) -> int:
    """The lines of YAML and of Python that ops take."""
    print(report(path, spec.entries, helper_modules()))
    return 0


def pictures(argv: list[str]) -> int:
    """Draw what is new or differs; with --check only say so."""
    from .drawing import pictures_command

    spec, _ = read_specs(None)
    return 1 if spec is None else pictures_command(spec, TREE / "docs" / "pictures" / "ops", argv == ["--check"])


def prove(names: list[str]) -> int:
    """Print what is proved of the gradient formulas of element-wise ops."""
    spec, problems = load_spec(SPEC, SPEC.name)
    if show(problems):
        return 1
    lines, wrong = proved(spec, names)
    print("\n".join(lines))
    return 1 if wrong else 0


def mutate(argv: list[str]) -> int:
    """See which mistakes in the entries of the tree nobody would notice."""
    from .mutate_command import mutate_command

    spec, _ = read_specs(None)
    return 1 if spec is None else mutate_command(argv, spec, SPEC)


def explain(names: list[str]) -> int:
    """Print what the generator knows of the named entries."""
    from .explain import UnknownOp, explanation

    if not names:
        print("explain: which op? python -m codegen explain OP", file=sys.stderr)
        return 2
    spec, _ = read_specs(None)
    if spec is None:
        return 1
    renderer = Renderer(spec, Target())
    try:
        print("\n\n".join([explanation(renderer, name) for name in names]))
    except UnknownOp as error:
        print(f"explain: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
