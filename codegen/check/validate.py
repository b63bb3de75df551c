"""Checks a spec for sense: names, calls, gradients, forward mode and samples. `load` has checked its form."""

import ast
from collections.abc import Iterator
from itertools import islice

from ..language.syntax import did_you_mean
from ..library.kernels import with_row_kernels
from ..library.modules import Arity
from ..library.op_library import KEYS, Known
from ..spec.autocast import LIKE
from ..spec.dependencies import dependency_digests
from ..spec.fields import COMPUTE, WITHOUT_GRADIENT
from ..spec.formula import names_in
from ..spec.memo import MEMO, digest
from ..spec.model import MAX_PROBLEMS, Entry, Problem, Spec, Trial, trial
from ..spec.names import REFLECTED
from ..spec.sections import with_entries_named
from .composite import check_composite, check_overloads
from .derivatives import check_backward, check_forward, check_gradients
from .fractions import check_fractions
from .names import check_names, name_problems
from .other_keys import check_logic, check_onnx, check_other_dtypes, check_program, check_reference
from .samples import check_refuses, check_samples
from .scope import Context, Ops
from .signatures import check_hooked, check_layout, check_signatures, check_unused

GENERATED_HERE = "put an __init__.py beside it, and the generated package into the folder generated/ there"
NO_PACKAGE_HINT = f" ({{}} has one: {GENERATED_HERE})"
NEW_FUNCTION = ": write it in {}"
ELSEWHERE = ": a spec with functions of its own lies in a package, with an __init__.py"

NOT_COMPUTED = f"the op is not computed: give one of {', '.join(COMPUTE)}, or write a kernel named '{{}}'"


def validate(spec: Spec, known: Known | dict[str, Arity], base: Spec | None = None) -> list[Problem]:
    known = with_row_kernels(Known(helpers=known) if isinstance(known, dict) else known, spec)
    ops = Ops((*(base.entries if base else ()), *spec.entries), spec.broken)
    problems = list(islice(name_problems(spec, base), MAX_PROBLEMS))
    digests = dependency_digests(tuple(ops.entries.values()))
    for entry in spec.entries:
        problems += _problems(Context(entry, ops, known), digests.get(entry.name), entry.name in spec.faulty)
        if len(problems) >= MAX_PROBLEMS:
            break
    return with_entries_named(set(problems), spec.entries)


def _problems(context: Context, rests_on: str | None, is_faulty: bool) -> list[Problem]:
    """What is wrong with an entry; of one that is wrong in form, with its names. That nothing is, is kept for later."""
    problems = list(islice(check_names(context), MAX_PROBLEMS))
    if is_faulty:
        return problems
    key = rests_on and digest("checked", rests_on, context.known.digest)
    if key is None or MEMO.get(key) is None:
        for check in CHECKS:
            problems += islice(check(context), MAX_PROBLEMS)
        if key is not None and not problems:
            MEMO.put(key, b"")
    return problems


def _check_named(context: Context) -> Iterator[Problem]:
    entry, known, compute = context.entry, context.known, context.entry.compute
    named = {compute.kind: compute.text, "check": entry.check, "batch": entry.batch, "meta": entry.shape}
    named |= {"sparse": entry.sparse, "conj": entry.conj_rule}
    for key, name in named.items():
        table = known.named.get(key)
        if name is None or table is None or name in table:
            continue
        if key == "kernel" and compute.where == entry.where:
            location = f" in {known.files[key]}" if key in known.files else ""
            yield context.problem(entry.where, NOT_COMPUTED.format(name) + location, "")
            continue
        hint = NO_PACKAGE_HINT.format(known.beside[name]) if name in known.beside else did_you_mean(name, table)
        hint = hint or (NEW_FUNCTION.format(known.files[key]) if key in known.files else ELSEWHERE)
        yield context.at(key, f"there is no {KEYS[key]} '{name}'{hint}")


def _check_tried(context: Context) -> Iterator[Problem]:
    """The ops under `try`, which are looked up first, are kernels with the same arguments, or one such view; or kernels
    that are called; or the kernel that the composite is a call of."""
    entry = context.entry
    for text in entry.tries:
        yield from (context.at("try", message) for message in _wrong_trial(context, text))


def _wrong_trial(context: Context, text: str) -> Iterator[str]:
    entry, result = context.entry, trial(text)
    tried = context.ops.entries.get(result.op) if result is not None else None
    if result is None:
        yield f"'{text}' is no op's name, no call of one by place, and no condition `and` such a call"
    elif tried is None:
        yield f"there is no op '{result.op}'{did_you_mean(result.op, context.ops.entries)}"
    elif result.arguments is not None:
        yield from _wrong_call(entry, result, tried)
    elif tried.compute.kind != "kernel" or not _is_call_of(entry, tried):
        same = [a.type for a in tried.schema.arguments] == [a.type for a in entry.schema.arguments]
        if not same or tried.compute.kind not in ("kernel", "view"):
            yield f"'{tried.name}' is no kernel or view with the types of arguments of '{entry.name}'"
        elif tried.compute.kind == "view" and len(entry.tries) > 1:
            yield f"'{tried.name}' is a view, which is tried alone or not at all"


def _wrong_call(entry: Entry, result: Trial, tried: Entry) -> Iterator[str]:
    if entry.compute.kind != "composite" or tried.compute.kind != "kernel":
        yield f"'{tried.name}' is called first, for which this has to be a composite, and that a kernel"
    array_args = [a for a in tried.schema.arguments if a.type.base not in ("ScalarType", "MemoryFormat")]
    if len(result.arguments or ()) != len(array_args):
        yield f"native code takes {len(array_args)} arguments of '{tried.name}', all by place"
    names = {a.name for a in entry.schema.arguments}
    used = names_in(*result.written)
    unknown = sorted(used - names - {"isinstance", "len", "tuple", "list"})
    if unknown:
        yield f"unknown name '{unknown[0]}'{did_you_mean(unknown[0], names)}"
    if names - used:
        yield f"neither the condition nor the call reads {', '.join(sorted(names - used))}"


def _is_call_of(entry: Entry, tried: Entry) -> bool:
    """Whether a composite is a call of an op on its own tensors, of which other arguments know the shape alone."""
    tree, tensors = entry.compute.tree, [a.name for a in entry.tensor_arguments]
    if entry.compute.kind != "composite" or not isinstance(tree, ast.Call) or ast.unparse(tree.func) != tried.name:
        return False
    if len(tried.tensor_arguments) != len(tensors):
        return False
    value, others = tree.args[: len(tensors)], tree.args[len(tensors) :]
    nodes = [node for each in others for node in ast.walk(each)]
    shapes = {n.value for n in nodes if isinstance(n, ast.Attribute) and n.attr in ("shape", "ndim")}
    read = [n for n in nodes if isinstance(n, ast.Name) and n.id in tensors]
    alone = len(tree.args) == len(tried.schema.arguments) and len(entry.tries) == 1
    leading = [a.name for a in entry.schema.arguments[: len(tensors)]] == tensors
    return alone and leading and [ast.unparse(each) for each in value] == tensors and all(n in shapes for n in read)


def _check_autocast(context: Context) -> Iterator[Problem]:
    entry = context.entry
    if entry.autocast:
        if not entry.tensor_arguments:
            yield context.at("autocast", "there is no tensor that could be cast")
        elif "float" not in entry.dtypes:
            yield context.at("autocast", "the op takes no floats, and nothing else is cast")
        elif entry.schema.arguments[0].type.writes:
            yield context.at("autocast", "what is written to cannot be cast: the op exists only in place")
        for word in set(entry.autocast.values()):
            argument = entry.schema.argument(word.removeprefix(LIKE)) if word.startswith(LIKE) else None
            if word.startswith(LIKE) and (argument is None or not argument.type.is_tensor or argument.keyword_only):
                names = [a.name for a in entry.tensor_arguments if not a.keyword_only]
                message = f"'{word}' names no tensor that is given by place (one of {' '.join(names)})"
                yield context.at("autocast", message)
    for tried in filter(None, (context.ops.entries.get(each.op) for each in entry.trials)):
        if tried.autocast and not entry.autocast:  # an op with the key tries nothing where it is cast
            message = f"'{tried.name}' is tried first, which 'autocast' casts, and this op is not cast"
            yield context.problem(entry.key_locations["try"], message, "autocast")


def _check_deprecated(context: Context) -> Iterator[Problem]:
    entry = context.entry
    arguments = {a.name: a for a in entry.schema.arguments}
    positions = sum(not a.keyword_only for a in arguments.values())
    for form in entry.deprecated:
        unknown = next((n for n in form if n not in arguments), None)
        missing = [a.name for a in arguments.values() if a.default is None and a.name not in form]
        if unknown is not None:
            message = f"the op has no argument '{unknown}'{did_you_mean(unknown, arguments)}"
        elif len({*form}) < len(form):
            message = f"an argument comes twice: {' '.join(form)}"
        elif missing:
            message = f"a call without '{missing[0]}' is none: it has no default"
        elif len(form) <= positions:
            message = f"{len(form)} arguments by place are a call of the present form, which has {positions}"
        else:
            continue
        yield context.at("deprecated", message)


def _check_commutative(context: Context) -> Iterator[Problem]:
    entry = context.entry
    if entry.commutative and entry.operator not in REFLECTED:
        message = "this is for operators that take a number on either side: " + " ".join(sorted(REFLECTED))
        yield context.at("commutative", message)


def _check_outputs(context: Context) -> Iterator[Problem]:
    entry = context.entry
    for differentiable, dtype in zip(entry.output_differentiability, entry.result_dtype, strict=True):
        if differentiable and dtype in WITHOUT_GRADIENT:
            yield context.at("output_differentiability", f"an output of dtype {dtype} is not differentiable")


def _check_elementwise(context: Context) -> Iterator[Problem]:
    entry, known = context.entry, context.known
    tree = entry.compute.tree
    if entry.compute.kind != "elementwise" or tree is None:
        return
    yield from (context.problem(node, message, "elementwise") for node, message in context.expression_faults)
    if "complex" in entry.dtypes:
        for node, name in context.calls(tree):
            if name in (known.scalars or ()) and name not in (known.complex_scalars or (name,)):
                message = f"'{name}' has no complex version: leave complex out of dtypes"
                yield context.problem(node, message, "elementwise")
    for argument in entry.schema.arguments:
        if argument.type.is_list or argument.type.base == "str":
            message = f"an elementwise op takes tensors and numbers, not the argument '{argument.name}'"
            yield context.problem(entry.where, message)


CHECKS = (
    *(check_overloads, _check_named, _check_tried, _check_autocast, _check_deprecated),
    *(_check_commutative, _check_outputs, _check_elementwise, check_program, check_composite, check_gradients),
    *(check_backward, check_forward, check_logic, check_fractions, check_samples, check_refuses, check_reference),
    *(check_onnx, check_other_dtypes, check_signatures, check_unused, check_layout, check_hooked),
)
