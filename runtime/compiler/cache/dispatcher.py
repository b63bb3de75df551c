"""numba's dispatchers over the store: what has been compiled from the same code before is loaded, wherever it was. An
entry is one function for one signature, and nothing else of numba's has to be loaded for it: neither what types and
lowers NumPy's functions nor the bitcode of what it calls."""

import functools
import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from numba import njit
from numba.core import config, sigutils
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from ..passes import loading, target
from ..passes.code_library import emit, environments_in
from ..passes.loading import load_types
from ..passes.pipelines import lean
from ..passes.strided_entry import LAYOUT, SUFFIX
from . import precompile, store
from .digest import BYTECODE, SOURCE, Functions, digest, folder_source, of_options

SETTINGS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "ENABLE_AVX", "USING_SVML")


Code = Callable[[Functions], bytes]
Parts = tuple[Any, ...]  # of a compiled form: the name of its library, its machine code, ...


def dispatcher(function: Any, code: Code, options: Mapping[str, Any], prepare: Callable[[], None]) -> Any:
    """A dispatcher of a function of a digest; `prepare` gives its globals what they are compiled with."""
    keeps = options.get("cache", True)
    options = {name: value for name, value in options.items() if name != "cache"}

    @functools.cache
    def name(functions: Functions) -> bytes:
        return digest(code(functions), of_options(options))

    function.__qualname__ += f"-{name(BYTECODE).hex()[:12]}"  # symbols of different code have different names
    made = njit(**options)(function)
    made._cache = KernelCache(name, made._compiler, prepare) if keeps else Uncached(prepare)
    if keeps:
        made._compiler.compile = made._cache.compiled
    return made


@functools.cache
def compiler() -> tuple[Any, ...]:
    return folder_source("compiler/passes"), LAYOUT, [(name, getattr(config, name, None)) for name in SETTINGS]


class Uncached(_Cache):
    def __init__(self, prepare: Callable[[], None]) -> None:
        self.prepare = prepare

    @property
    def cache_path(self) -> str | None:
        return None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        self.prepare()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Nothing happens."""

    enable = disable = flush = lambda self: None


class KernelCache(Uncached):
    """What numba asks for the compiled forms of one function."""

    def __init__(self, name: Code, compiler: Any, prepare: Callable[[], None]) -> None:
        super().__init__(prepare)
        self.name = name
        self.compiler = compiler
        self.compile = compiler.compile
        self.enabled = True

    @property
    def cache_path(self) -> str | None:
        return str(store.cache_folder() or "nowhere")

    def enable(self) -> None:
        self.enabled = True

    def disable(self) -> None:
        self.enabled = False

    def flush(self) -> None:
        """Nothing is forgotten: what was compiled from the same code is the same."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        parts = self.cached_parts(sig, target_context) if self.enabled else None
        if parts is None:
            self.prepare()
            return None
        return self.loaded(parts, target_context)

    def cached_parts(self, sig: Any, target_context: Any) -> Parts | None:
        """What is kept, which may have to be waited for, or carried; None where this process is to compile it."""
        digest, function = self.digest(sig), self.compiler.py_func
        code = store.lookup(digest)
        if code is not None:
            precompile.note(function.__module__, function.__name__)
            return unpickled(code)
        with precompile.waiting(function.__name__, function.__module__):
            code = store.obtain(digest, precompile.meanwhile)
            return self.emitted(sig, target_context) if code is None else unpickled(code)

    def emitted(self, sig: Any, target_context: Any) -> Parts | None:
        """What LLVM makes of the module that comes with specgrad, which is kept; None where none of this text does."""
        prebuilt = store.find(self.lowered_from(sig))
        result = None if prebuilt is None else unpickled(prebuilt)
        if result is None:
            return None
        name, text, symbols, *rest = result
        with self.giving_up(sig), loading.left_alone():
            code = emit(text, name, symbols, target_context.codegen())
        if code is None:
            return None
        parts = (name, code, symbols, *rest)
        store.keep(self.digest(sig), dumps(parts))
        return parts

    @contextmanager
    def giving_up(self, sig: Any) -> Iterator[None]:
        try:
            yield
        except BaseException:
            store.give_up(self.digest(sig))
            raise

    def save_overload(self, sig: Any, data: Any) -> None:
        if self.enabled and not data.library.has_dynamic_globals and not any(not one.can_cache for one in data.lifted):
            store.keep(self.digest(sig), dumps(parts_of(data)))
        else:
            store.give_up(self.digest(sig))

    def digest(self, sig: Any, functions: Functions = BYTECODE) -> bytes:
        args, result = sigutils.normalize_signature(sig)
        return digest(self.name(functions), [kind.name for kind in args], result and result.name, compiler())

    def lowered_from(self, sig: Any) -> bytes:
        """The digest of what the module depends on that comes with specgrad: texts, and traits of the processor."""
        traits = target.vector_registers(), target.fuses(), target.scales(), target.converts_halves()
        return digest(self.digest(sig, SOURCE), traits)

    def compiled(self, args: Any, result: Any) -> Any:
        function = self.compiler.py_func
        is_abandoned = self.giving_up(args if result is None else result(*args))
        with precompile.waiting(function.__name__, function.__module__), loading.left_alone(), is_abandoned:
            load_types()
            with lean():
                return self.compile(args, result)

    def loaded(self, parts: Parts, target_context: Any) -> Any:
        rtsys.initialize(target_context)  # what counts references, which code calls by name
        name, code, symbols, fndesc, environment, signature, objectmode, lifted, init, environments = parts
        for function in init:
            function()
        codegen = target_context.codegen()
        library = codegen.create_library(name)
        library.enable_object_caching()
        library._set_compiled_object(code)
        library._finalize_final_module()
        codegen._engine._defined_symbols.update(symbols)
        library._get_module_for_linking = functools.partial(self.linkable, fndesc, signature)
        made = CompileResult(
            target_context=target_context,
            typing_context=target_context.typing_context,
            library=library,
            environment=environment,
            entry_point=target_context.get_executable(library, fndesc, environment),
            fndesc=fndesc,
            type_annotation="",
            signature=signature,
            objectmode=objectmode,
            lifted=lifted,
            typing_error=None,
            call_helper=None,
            metadata=None,
            reload_init=init,
            referenced_envs=environments,
        )
        for one in environments:
            codegen.set_env(one.env_name, one)
        return made

    def linkable(self, fndesc: Any, signature: Any) -> Any:
        """The module that callers are linked with: compiled again, as few functions are called by compiled ones."""
        self.prepare()
        again = self.compiler.compile(signature.args, signature.return_type)
        _alive.append(again)
        module = again.library._get_module_for_linking().clone()
        module.get_function(again.fndesc.llvm_func_name).name = fndesc.llvm_func_name
        return module


def unpickled(result: bytes) -> Parts | None:
    try:
        parts: Parts = pickle.loads(result)
    except (ImportError, AttributeError):
        return None
    return parts


_alive: list[Any] = []  # whose environments are named by what they were linked into


def parts_of(made: CompileResult) -> Parts:
    """What is kept of a compiled form: neither the bitcode that others are linked with nor notes on types."""
    made.fndesc.typemap = made.fndesc.calltypes = None
    library = made.library
    # Most only stand there: their functions were inlined. To load one is to import its module, such as numba.np.linalg.
    needed = environments_in(library._final_module)
    environments = [one for one in made._find_referenced_environments() if one.env_name in needed]
    described, kernel = made.fndesc, made.fndesc.llvm_func_name
    names = [kernel, f"{kernel}{SUFFIX}", described.llvm_cpython_wrapper_name, described.llvm_cfunc_wrapper_name]
    defined = {function.name for function in library.get_defined_functions()}
    symbols = [name for name in names if name in defined] + [one.env_name for one in environments]
    parts = (described, made.environment, made.signature, made.objectmode, made.lifted, made.reload_init)
    return (library.name, library._get_compiled_object(), symbols, *parts, environments)
