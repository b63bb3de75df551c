"""Starting a backward pass from a tensor of one element, as engine.py does for `loss.backward()`, `grad(loss, ...)`."""

from __future__ import annotations

from ...autograd.engine import DEEPEST
from ...compiler.language.expressions import CHECKING
from ...compiler.language.functions import NULL, New, cast, native, new
from ...compiler.language.memory import BFLOAT16, is_float, is_half, itemsize
from ...compiler.language.structs import Items
from ..elementwise.scalars import fill
from ..objects import c_api as c
from ..objects import interned
from ..objects.interned import name_captures, name_depth, name_grad, name_resume, none, pass_type, thread_state, true
from ..objects.kernel_call import call_method, succeeded
from ..objects.layout import Array, Capture, Dict, List, Object, Pass, Tensor
from ..objects.references import retain
from ..objects.tensors import elements, holds_kind, is_tensor, kind_of, new_flat, new_tensor, not_handled, recording
from .backward import is_node, walk_on
from .deliver import Next, put_next

ONE_SINGLE, ONE_DOUBLE, ONE_BFLOAT16, ONE_FLOAT16 = 0x3F800000, 0x3FF0000000000000, 0x3F80, 0x3C00  # the bits of 1.0


@native
def may_start(obj: Object) -> bool:
    if interned.watch.active is true or not is_tensor(obj):
        return False
    tensor = cast(Tensor, obj)
    if tensor.requires_grad is not true or tensor.grad_fn is none or tensor.flat is none or not is_node(tensor.grad_fn):
        return False
    kind = kind_of(tensor.dtype)
    return is_float(kind) and holds_kind(tensor.flat, kind) and elements(tensor.flat) == 1


@native
def first_gradient(tensor: Tensor) -> New[Tensor]:
    shape, dtype = retain(tensor.shape), retain(tensor.dtype)
    kind = kind_of(dtype)
    flat = new_flat(1, kind)
    one = cast(Tensor, NULL)
    if flat is not NULL:
        word = ONE_DOUBLE if kind else ONE_SINGLE
        if is_half(kind):
            word = ONE_BFLOAT16 if kind == BFLOAT16 else ONE_FLOAT16
        fill(flat.memory, word, 1, itemsize(kind))
        one = new_tensor(flat, shape, dtype)
    c.release(shape)
    c.release(dtype)
    return one


@native
def new_pass(arguments: Items[Object]) -> New[Pass]:
    made = cast(Pass, c.allocate(pass_type, 0))
    if made is NULL:
        return NULL
    made.retain = retain(arguments[1])
    made.create = retain(arguments[2])
    made.capture = cast(Capture, retain(arguments[3]))
    made.hooked = retain(none)
    buffers = c.new_dict()
    made.buffers = buffers
    heap = cast(List, NULL) if buffers is NULL else c.new_list(0)
    made.heap = heap
    if heap is NULL:
        c.release(made)
        return cast(Pass, NULL)
    return made


@native
def run_all(backward: Pass, following: Next) -> bool:
    """Python runs what is for Python. In check mode all nodes are: the walk is compared there. False for an error."""
    done = True if CHECKING else walk_on(backward, following)
    if done and (following.node is not none or c.list_size(backward.heap) > 0):
        done = succeeded(call_method(backward, name_resume, following.node, following.gradient))
    return done


@native
def put_count(state: Dict, name: Object, change: int) -> bool:
    number = c.new_int(change + c.as_int(c.dict_item(state, name)))
    done = number is not NULL and c.set_dict_item(state, name, number) == 0
    c.release(number)
    return done


@native
def run_deeper(backward: Pass, following: Next, state: Dict) -> bool:
    """`run_all`, one pass deeper in this thread, and recorded as the pass says; False where an error is set."""
    before, captures = retain(c.dict_item(state, name_grad)), int(backward.capture is not none)
    recorded = true if backward.create is true else none
    done = put_count(state, name_depth, 1) and put_count(state, name_captures, captures)
    done = done and c.set_dict_item(state, name_grad, recorded) == 0 and run_all(backward, following)
    restored = c.set_dict_item(state, name_grad, before) == 0 and put_count(state, name_captures, -captures)
    restored = put_count(state, name_depth, -1) and restored
    c.release(before)
    return done and restored


@native
def start_from(tensor: Tensor, arguments: Items[Object], state: Dict) -> bool:
    following, node = new(Next), retain(tensor.grad_fn)
    gradient = first_gradient(tensor)
    backward = cast(Pass, NULL) if gradient is NULL else new_pass(arguments)
    if backward is NULL:
        c.release(node)
        c.release(gradient)
        return False
    put_next(following, node, gradient)
    done = run_deeper(backward, following, state)
    c.release(following.node)
    c.release(following.gradient)
    c.release(backward)
    return done


@native
def start(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    """start(tensor, retain_graph, create_graph, capture): True where the pass has run, None where it is for Python."""
    if not may_start(arguments[0]):
        return not_handled()
    if recording() < 0:  # which finds the state of this thread
        return NULL
    state = retain(thread_state.attributes)
    # Python may have run meanwhile.
    if not may_start(arguments[0]) or c.as_int(c.dict_item(state, name_depth)) >= DEEPEST:
        c.release(state)
        return not_handled()
    done = start_from(cast(Tensor, arguments[0]), arguments, state)
    c.release(state)
    return retain(true) if done else NULL
