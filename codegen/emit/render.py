"""From a checked spec to the text of every generated file. Templates only loop and join; decisions are made here."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path, PurePath
from typing import Any

import jinja2

from ..language.indexed_programs import IndexedProgram
from ..library.bases import SPECGRAD, Base
from ..library.digests import format_of, specgrad_version
from ..library.families import modules
from ..library.kernels import FOLDER, row_parts
from ..library.op_library import Library, OpLibrary, Part, import_lines, runtime_library, with_parts_by_name
from ..programs.lifting import rearranged
from ..programs.unrolling import unrolled
from ..proof import scalar_code
from ..proof.scalar_code import Inliner
from ..spec.dependencies import dependency_digests
from ..spec.memo import MEMO, digest
from ..spec.model import Entry, Spec
from .calls import Caller, callers, methods_called
from .elementwise_kernels import ElementKernels, element_kernels
from .files import Files, check_python
from .function import functions_of, looked_up_by
from .indexed_kernels import IndexedCode
from .locally_constant import Recorded
from .node import NodeCode
from .node_class import NodeClass
from .op import OpCode
from .program_kernels import RowCode
from .registry import lines
from .saved_tensors import Calls, differentiable_formulas
from .stubs import Signature, return_types, stub_functions, stub_methods
from .tensor_class import general_paths, methods_context, registered, unique

DEVICES = ("cpu", "cuda")
TEMPLATES = Path(__file__).parent.parent / "templates"


@dataclass(frozen=True)
class Target:
    """Where generated code goes and how it imports the runtime: relatively, or as `specgrad.runtime`."""

    runtime: str = "..runtime"  # from the generated package itself
    runtime_above: str = "...runtime"  # from a package in it, as are ops/, nodes/ and kernels/
    command: str = "codegen"
    in_tree: bool = True
    spec_path: str = "../derivatives.yaml"  # from the folder of the package


OUTSIDE = Target("specgrad.runtime", "specgrad.runtime", "specgrad.codegen", in_tree=False)


class Renderer:
    """Renders one spec; `bases` are what one outside the tree builds on, `home` its package of hand-written parts."""

    def __init__(
        self, spec: Spec, target: Target, bases: Sequence[Base] = (), op_library: OpLibrary | None = None
    ) -> None:
        spec = with_parts_by_name(spec, runtime_library(True) if target.in_tree else op_library)
        self.spec = spec
        self.target = target
        self.bases = tuple(bases)
        self.op_library = op_library
        runtime = runtime_library(target.in_tree)
        op_libraries = (runtime, *(b.op_library for b in bases if b.op_library), *([op_library] if op_library else []))
        self.library = Library(op_libraries, row_parts(spec.entries))
        self.entries = {e.name: e for each in (*(base.spec for base in bases), spec) for e in each.entries}
        self.inliner = Inliner(self.entries)
        entries = self.entries.values()
        own = frozenset(entry.name for entry in spec.entries)
        functions = self.function_names()
        overloads: dict[str, dict[str, frozenset[str]]] = {}
        for entry in entries:
            names = frozenset(argument.name for argument in entry.schema.arguments)
            overloads.setdefault(entry.schema.name, {})[functions[entry.name]] = names
        at_once = {entry.schema.name: entry.at_once for entry in entries if entry.at_once}
        numbers, recorded = overload_numbers(entries), Recorded(entries)
        self.calls = Calls(self.library, functions, numbers, own, recorded, overloads, at_once)
        self.environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(TEMPLATES),
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
        )
        self.environment.filters["repr"] = repr
        self.environment.filters["oneline"] = lambda text: quotable(" ".join(text.split()))
        self.environment.filters["docstring"] = lambda text: (
            (text or "").strip().replace("\\", "\\\\").replace('"""', "'''")
        )

    @cached_property
    def digests(self) -> dict[str, str]:
        return dependency_digests(tuple(self.entries.values()))

    @cached_property
    def kernels(self) -> dict[str, ElementKernels]:
        chosen = (e for e in self.spec.entries if e.compute.kind == "elementwise")
        return {e.name: element_kernels(e, self.inliner, self.overloads(e)) for e in chosen}

    def overloads(self, entry: Entry) -> list[Entry]:
        return [e for e in self.spec.entries if e.schema.name == entry.schema.name]

    @cached_property
    def nodes(self) -> dict[str, NodeCode]:
        chosen = (e for e in self.spec.entries if has_node(e))
        return {e.name: NodeCode(e, self.calls, self.kernels.get(e.name)) for e in chosen}

    @cached_property
    def ops(self) -> list[OpCode]:
        result = self.kernels.get
        return [OpCode(e, self.nodes.get(e.name), result(e.name), self.calls, self.library) for e in self.spec.entries]

    @cached_property
    def callers(self) -> dict[str, list[Caller]]:
        return callers(self.spec.entries)

    def render(self, template: str, **context: Any) -> str:
        namespace = f"{self.target.runtime_above}.namespace" if self.target.in_tree else "..namespace"
        common = asdict(self.target) | {"spec_file": quotable(self.spec.file), "namespace": namespace}
        return self.environment.get_template(template).render(common | context)

    def rendered(self) -> Files:
        modules = self.modules()
        files = {"__init__.py": self.package_init(modules), **modules}
        if not self.target.in_tree and self.op_library is None:
            files["py.typed"] = ""
        check_python(files, self.owners, self.spec.file)
        return files

    def package_init(self, modules: Files) -> str:
        base = self.bases[-1].name if self.bases else SPECGRAD
        return self.render(
            "package_init.py.j2",
            public=self.public,
            registered={} if self.target.in_tree else registered(self.ops),
            format=self.format,
            version=specgrad_version(),
            base=base,
            options="" if base == SPECGRAD else f" --base {base}",
            used={} if self.target.in_tree else self.used(modules),
        )

    def used(self, modules: Files) -> dict[str, list[str]]:
        """What the modules call of each base: ops by name, functions by hand with their modules."""
        text = "".join(source for name, source in modules.items() if name.endswith(".py"))
        dotted = set(re.findall(r"\b[A-Za-z_]\w*\.[A-Za-z_]\w*", text))
        results: dict[str, set[str]] = {base.name: set() for base in self.bases}
        own = {name for code in self.ops for name in (code.name, *code.entry.names)}
        calls = {each.removeprefix("op.") for each in dotted if each.startswith("op.")} - {"publish"}
        methods = {name for base in self.bases for e in base.spec.entries if "method" in e.variants for name in e.names}
        calls |= methods & {each for entry in self.spec.entries for each in methods_called(entry)}
        for name in calls - own:
            results[self._base_of(name)].add(name)
        for part in (part for table in self.library.parts.values() for part in table.values()):
            if part.op_library.path and part.spelling in dotted and part.op_library is not self.op_library:
                base, *path = (*part.op_library.path.split("."), *part.module, part.name)
                results[base].add(".".join(path))
        return {base: sorted(names) for base, names in results.items() if names}

    def _base_of(self, name: str) -> str:
        named = name.removesuffix("_")
        for base in reversed(self.bases):
            if any(named in (*e.names, e.function, e.identifier) for e in base.spec.entries):
                return base.name
        return SPECGRAD

    @property
    def package(self) -> str:
        own = self.op_library.folder.name if self.op_library else PurePath(self.spec.file).stem
        return "" if self.target.in_tree else own

    @property
    def format(self) -> str:
        skeleton = Renderer(Spec("", ()), OUTSIDE)
        skeleton.library = Library(())  # which no entry names anything of
        helpers = Library(self.library.op_libraries[:1]).parts["helper"].values()
        templates = [path for name in ("", "kernels", "nodes", "ops") for path in (TEMPLATES / name).glob("*.py.j2")]
        code = {*Path(__file__).parent.glob("*.py"), Path(scalar_code.__file__)}
        return format_of([*templates, *code], skeleton.modules(), helpers)

    def modules(self) -> Files:
        """The files beside the first lines of the package."""
        elementwise = [(f, c) for f, codes in self.families.items() for c in codes if c.entry.name in self.kernels]
        named = return_types(self.ops)
        files = {
            "nodes/__init__.py": self.render("nodes/init.py.j2", families=list(self.families)),
            "ops/__init__.py": self.render("ops/init.py.j2", families=list(self.families), public=self.public),
            "ops/__init__.pyi": self.render("ops.pyi.j2", stubs=self.stubs, public=self.public, named=named),
            "registry.py": self.render("registry.py.j2"),
            "registry.jsonl": lines(self.ops),
            "kernels/__init__.py": self.render("kernels/init.py.j2", elementwise=elementwise),
        }
        if named:
            files["return_types.pyi"] = self.render("return_types.pyi.j2", named=named)
        for family, ops in self.families.items():
            key = self.digest_of(f"ops {family}", (code.entry for code in ops))
            files |= MEMO.of(key, partial(self.family_files, family, ops))
        if not self.target.in_tree:
            files["namespace.py"] = self.render("namespace.py.j2", base=self.base_namespace)
        else:
            context = methods_context(self.ops) | {"general_paths": general_paths(self.families)}
            files["tensor.py"] = self.render("tensor.py.j2", **context)
            files["tensor.pyi"] = self.render("tensor.pyi.j2", methods=stub_methods(self.ops))
        packages = {
            f"kernels/{d}/__init__.py": f'"""Element-wise kernels for {d.upper()}, by family."""\n' for d in DEVICES
        }
        return files | packages | self.row_files()

    def digest_of(self, what: str, entries: Iterable[Entry]) -> str | None:
        """Of all that something of entries is rendered from, or None where that is not known."""
        rests_on = [self.digests.get(entry.name) for entry in entries]
        target = (str(self.target), self.spec.file, self.library.digest, *self.base_imports)
        return None if None in rests_on else digest(what, *target, *filter(None, rests_on))

    def family_files(self, family: str, ops: Sequence[OpCode]) -> Files:
        nodes = [code.node for code in ops if code.node]
        return {
            f"nodes/{family}.py": self.render("nodes/module.py.j2", **self.nodes_context(family, nodes)),
            f"ops/{family}.py": self.render("ops/module.py.j2", family=family, **self.ops_context(ops)),
            **self.kernel_files(family, ops),
        }

    def nodes_context(self, family: str, nodes: Sequence[NodeCode]) -> dict[str, Any]:
        classes = [self.node_class(NodeClass(node)) for node in nodes]
        imports = self.imports(part for node in nodes for part in (node.kernel, node.kernel_plan))
        return {"family": family, "classes": classes, "names": [n.class_name for n in nodes], "imports": imports}

    def node_class(self, c: NodeClass) -> str:
        templates = ("formula", "tangent") if c.node.forward else ("formula",)
        methods = [self.render(f"nodes/{template}.py.j2", c=c) for template in templates]
        return self.render("nodes/class.py.j2", c=c, methods=methods)

    @property
    def families(self) -> dict[str, list[OpCode]]:
        codes = {code.entry.name: code for code in self.ops}
        return {name: [codes[e.name] for e in entries] for name, entries in modules(self.spec.entries).items()}

    @property
    def base_namespace(self) -> str:
        alone = len(self.bases) < 2  # beside specgrad
        return f"{self.target.runtime}.namespace" if alone else f"{self.bases[-1].generated}.namespace"

    def function_names(self) -> dict[str, str]:
        names: dict[str, str] = {}
        entries: list[Entry] = []
        for spec in (*(base.spec for base in self.bases), self.spec):
            entries += spec.entries
            names = function_names(entries) | names
        return names

    @cached_property
    def extended(self) -> list[OpCode]:
        own = {e.schema.name for e in self.spec.entries}
        return [
            OpCode(entry, None, None, self.calls, self.library, f"_{base.name}_ops")
            for base in reversed(self.bases)
            for entry in base.spec.entries
            if entry.schema.name in own
        ]

    @property
    def stubs(self) -> list[Signature]:
        return stub_functions([*self.ops, *self.extended])

    @property
    def base_imports(self) -> list[str]:
        used = {code.origin for code in self.extended}
        return [f"from {b.generated} import ops as _{b.name}_ops" for b in self.bases if f"_{b.name}_ops" in used]

    @property
    def owners(self) -> dict[str, Entry]:
        results: dict[str, Entry] = {}
        for code in self.ops:
            names = [code.name, *code.entry.names]
            names += [*(f"_{name}" for name in names), *(f"{name}_" for name in names), code.entry.identifier]
            names += [code.node.class_name] if code.node else []
            results |= dict.fromkeys(names, code.entry)
        return results

    def imports(self, parts: Iterable[Part | None]) -> list[str]:
        return import_lines([*self.library.parts["helper"].values(), *parts])

    def kernel_files(self, family: str, codes: Sequence[OpCode]) -> Files:
        """The element-wise kernels of a family, if it has some, for each device."""
        ops = [self.kernels[code.entry.name] for code in codes if code.entry.name in self.kernels]
        functions = sorted({function for op in ops for function in op.functions})
        files = {}
        for device in DEVICES if ops else ():
            imports = [*self.type_import(ops, device), *self.library.scalar_imports(functions)]
            context = {"family": family, "ops": ops, "imports": imports}
            files[f"kernels/{device}/{family}.py"] = self.render(f"kernels/{device}.py.j2", **context)
        return files

    def type_import(self, ops: Sequence[ElementKernels], device: str) -> list[str]:
        if device == "cpu" or not any(kernel.uses_type for op in ops for kernel in op.of_arrays):
            return []
        return [f"from {self.library.op_libraries[0].module_path(('kernels', 'cuda', 'language'), depth=3)} import T"]

    @property
    def programs(self) -> list[RowCode]:
        pairs = [(entry, entry.rows) for entry in self.spec.entries if entry.rows is not None]
        own = [RowCode(rows, self.library, entry) for entry, rows in pairs]
        sums = [rows.columns_summed(f"{entry.identifier}_sums") for entry, rows in pairs if rows.totals]
        own += [RowCode(program, self.library) for program in sums]
        return [*own, *(RowCode(program, self.library) for program in self.library.programs if self.target.in_tree)]

    def row_files(self) -> Files:
        folder = "/".join(FOLDER)
        files = {f"{folder}/__init__.py": '"""Kernels of programs, for each device."""\n'} if self.programs else {}
        for code in self.programs:
            name = code.entry.identifier if code.entry else code.program.name
            key = self.digest_of(f"program {name}", filter(None, [code.entry]))
            files |= MEMO.of(key, partial(self.program_files, name, code))
        for entry in self.spec.entries:
            if entry.indexed is not None:
                files |= {f"{folder}/__init__.py": '"""Kernels of programs, for each device."""\n'}
                key = self.digest_of(f"program {entry.identifier}", [entry])
                files |= MEMO.of(key, partial(self.indexed_files, entry, entry.indexed))
        return files

    def indexed_files(self, entry: Entry, program: IndexedProgram) -> Files:
        code, name = IndexedCode(rearranged(unrolled(program)), self.library, entry), entry.identifier
        device = code.cuda()
        path = f"{'/'.join(FOLDER)}/cuda_{name}.py"
        on_device = {path: self.render("programs/indexed_cuda.py.j2", **device)} if device else {}
        return on_device | {
            f"{'/'.join(FOLDER)}/cpu_{name}.py": self.render("programs/indexed_cpu.py.j2", **code.cpu()),
            **self.check_files(name, code.check(), is_indexed=True, integers=code.program.integers),
        }

    def program_files(self, name: str, code: RowCode) -> Files:
        folder = "/".join(FOLDER)
        files = {f"{folder}/cuda_{name}.py": self.render("programs/cuda.py.j2", **code.cuda())}
        if code.entry is not None:
            files[f"{folder}/cpu_{name}.py"] = self.render("programs/cpu.py.j2", **code.cpu())
        check = code.check()
        return files | (self.check_files(name, check) if check else {})

    def check_files(
        self, name: str, check: Sequence[str], is_indexed: bool = False, integers: Sequence[str] = ()
    ) -> Files:
        facts = {"check": check, "is_indexed": is_indexed, "integers": integers}
        text = self.render("programs/check.py.j2", name=name, **facts)
        return {
            "checks/__init__.py": '"""Checks of arguments that a program computes with."""\n',
            f"checks/{name}.py": text,
        }

    def ops_context(self, ops: Sequence[OpCode]) -> dict[str, Any]:
        own = {code.entry.schema.name for code in ops}
        extended = [code for code in self.extended if code.entry.schema.name in own]
        groups = overload_groups([*ops, *extended])
        aliases = [(alias, code.entry.schema.name) for code in ops for alias in code.entry.aliases]
        inplace = {f"{n}_": [c for c in codes if c.has_inplace] for n, codes in groups.items()}
        inplace = {n: codes for n, codes in inplace.items() if any(not code.origin for code in codes)}
        aliases += [(f"{a}_", f"{c.entry.schema.name}_") for c in ops if c.has_inplace for a in c.entry.aliases]
        names = [c.name for c in ops] + [c.inplace_name for c in ops if c.has_inplace]
        names += [*groups, *inplace, *(a for a, _ in aliases)]
        return {
            "found": looked_up_by(ops),
            "functions": [self.render(f"ops/{f.template}.py.j2", f=f) for f in functions_of(ops, groups, inplace)],
            "aliases": unique(aliases),
            "names": unique(names),
            "imports": [*self.imports(p for c in ops for p in c.parts), *self.base_imports, *self.tried_imports(ops)],
        }

    def tried_imports(self, ops: Sequence[OpCode]) -> Iterator[str]:
        own = {code.entry.name for code in ops}
        trying = [code.entry for code in ops if code.fast.tried or code.fast.tried_calls]
        tried = {each.op for entry in trying for each in entry.trials} - own
        for family, codes in self.families.items() if tried else ():
            names = [code.fast.looked_up_by for code in codes if code.entry.name in tried]
            yield from [f"from .{family} import {', '.join(names)}"] if names else []

    @property
    def public(self) -> list[str]:
        """Names that the package offers as functions: outside the tree all, for nothing else has them by itself."""
        names = []
        for code in self.ops:
            entry = code.entry
            public = ("function" in entry.variants and entry.namespace is None) or not self.target.in_tree
            if public and entry.variants != ("formula",) and not entry.schema.name.startswith("_"):
                names += [*entry.names, *(f"{n}_" for n in entry.names if code.has_inplace)]
        return unique(names)


def quotable(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', "'")


def has_node(entry: Entry) -> bool:
    return entry.compute.kind != "composite" and bool(differentiable_formulas(entry))


def overload_groups(ops: Iterable[OpCode]) -> dict[str, list[OpCode]]:
    groups: dict[str, list[OpCode]] = {}
    for code in ops:
        groups.setdefault(code.entry.schema.name, []).append(code)
    return {name: codes for name, codes in groups.items() if len(codes) > 1}


def function_names(entries: Sequence[Entry]) -> dict[str, str]:
    counts = Counter(entry.schema.name for entry in entries)
    return {e.name: e.schema.name if counts[e.schema.name] == 1 else e.function for e in entries}


def overload_numbers(entries: Iterable[Entry]) -> dict[str, int]:
    counts: dict[str, int] = {}
    numbers = {}
    for entry in entries:
        base = entry.schema.name.strip("_")
        numbers[entry.name] = counts.get(base, 0)
        counts[base] = numbers[entry.name] + has_node(entry)
    return numbers
