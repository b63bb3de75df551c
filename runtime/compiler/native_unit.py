"""Units of native code: functions compiled together, once a machine, for the least processor that specgrad runs on."""

from __future__ import annotations

import ctypes
import functools
import platform
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from llvmlite import binding

from .cache import precompile, store
from .cache.digest import INTRINSICS, digest, folder_source, module_source
from .language.expressions import SETTING
from .language.functions import Native
from .language.statements import Module
from .language.types import NativeError
from .passes import loading
from .passes.scalar_library import building
from .passes.target import llvm

PROCESSORS = {"x86_64": "x86-64-v2", "AMD64": "x86-64-v2"}  # else the generic one of the architecture
LEVEL = 2  # of optimisation


@functools.cache
def machine(level: int = LEVEL) -> Any:
    target = llvm().Target.from_default_triple()
    cpu = PROCESSORS.get(platform.machine(), "generic")
    return target.create_target_machine(cpu, "", opt=level, reloc="default", codemodel="jitdefault", jit=True)


def translated(name: str, functions: Iterable[Native]) -> str:
    module, target = Module(name), machine()
    for function in functions:
        module.export(function)
    module.ir.triple, module.ir.data_layout = target.triple, str(target.target_data)
    return str(module.ir)


def object_code(text: str, level: int = LEVEL) -> bytes:
    target, parsed = machine(level), binding.parse_assembly(text)
    parsed.verify()
    builder = binding.create_pass_builder(target, binding.create_pipeline_tuning_options(speed_level=level))
    (builder.getModulePassManager() if level else _registers_only()).run(parsed, builder)
    return bytes(target.emit_object(parsed))


def _registers_only() -> Any:
    passes = binding.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    return passes


def load(code: bytes, names: Sequence[str]) -> dict[str, int]:
    """The addresses of an object file's functions, which stay there as long as the process."""
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine())
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(engine))  # objects that outlive all modules call native functions
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    results = {name: engine.get_function_address(name) for name in names}
    if not all(results.values()):
        raise NativeError(f"expected functions {', '.join(names)}, but of some there is no code")
    return results


class Unit:
    """`version` changes with all that functions are made of; `ready` lets code find what no library exports."""

    def __init__(
        self,
        name: str,
        functions: Iterable[Any],
        version: Callable[[], Any],
        ready: Callable[[], object] = lambda: None,
    ) -> None:
        self.name = name
        self.functions: tuple[Any, ...] = tuple(functions)
        self.version = version
        self.ready = ready
        self.loaded: dict[str, int] = {}

    def address(self, function: Any) -> int:
        """Where the machine code of one of the functions begins; the first who asks loads it, or has it compiled."""
        if not self.loaded:
            with building:
                if not self.loaded:
                    self.ready()
                    self.loaded = load(self.code(), [function.name for function in self.functions])
        return self.loaded[function.name]

    def digest(self) -> bytes:
        names = [function.name for function in self.functions]  # a module may be imported under two names
        return digest(
            "unit", self.name, names, self.version(), folder_source(*INTRINSICS), module_source(__name__), SETTING
        )

    def comes_later(self) -> bool:
        """Whether other processes compile it for the next program: who can do without it does."""
        unit_digest = self.digest()
        is_there = self.loaded or store.lookup(unit_digest) is not None or store.find(unit_digest) is not None
        return not is_there and precompile.begin()

    def code(self) -> bytes:
        """The object file, which is kept; where other processes compile it well, one for now."""
        unit_digest = self.digest()
        code = store.obtain(unit_digest)
        if code is None:
            code = store.find(unit_digest)  # carried: this is not compiled again
            if code is None:
                with precompile.waiting("native code"), loading.left_alone():
                    text = translated(self.name, self.functions)
                    if precompile.begin():
                        store.give_up(unit_digest)
                        return object_code(text, 0)
                    code = object_code(text)
            store.keep(unit_digest, code)
        return code

    def compiled(self) -> bytes:
        return object_code(translated(self.name, self.functions))
