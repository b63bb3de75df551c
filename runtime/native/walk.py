"""The backward pass from node to node, while nothing but formulas and leaves is on the way: see autograd/engine.py.

A node with a fused kernel runs without the interpreter; of others `apply` is called. What has hooks, what is asked for
by `capture`, and edges to one of several outputs are for the methods of the pass, in Python.
"""

from __future__ import annotations

from ..kernels.llvm.memory import frame, load, native, store
from . import c_functions as c
from .gradients import G
from .layout import CAPTURE, DATA, NODE, OUTPUT, PASS, TENSOR, TYPE, WATCH
from .node_gradients import gradients_by
from .objects import hold, is_held, is_tensor, nothing, pair, replace, same, the
from .tuples import tuple_item, tuple_size
from .world import W

SECOND, NEXT, WORDS = 8, 48, 8  # of a frame: arguments of a method from its second on; the next node and its gradient


@native
def is_true(flag):
    """Whether an object is True."""
    return flag == the(W.true)


@native
def is_plain(backward, node):
    """Whether a node may run here: nobody watches, no hooks, no leaves held back, and it is not asked for."""
    none, capture = the(W.none), load(backward, PASS.capture)
    if (
        is_true(load(the(W.watch), WATCH.active))
        or load(node, NODE.hooks) != none
        or load(backward, PASS.hooked) != none
    ):
        return False
    return capture == none or c.set_has(load(capture, CAPTURE.special), node) == 0


@native
def method(thing, name, words, count):
    """Call a method; the arguments stand in the words after the first."""
    store(words, 0, thing)
    return c.call_method(name, words, count + 1, 0)


@native
def gradients_of(node, gradient, words):
    """What the node makes of a gradient: a tuple or list with one for each edge; 0 where an error is set."""
    plan = c.dict_item(the(W.node_plans), load(node, TYPE))
    if plan != 0:
        found = gradients_by(load(plan, DATA), node, gradient)
        if found != the(W.none):
            return found
        c.drop(found)
    store(words, SECOND, gradient)
    return method(node, the(W.apply), words, 1)


@native
def release(node, words):
    """Let the node forget what it saved; False where an error is set."""
    plan = c.dict_item(the(W.node_plans), load(node, TYPE))
    if plan == 0:
        saved = c.attribute(node, the(W.saved_slots))
        done = method(node, the(W.release), words, 0) if saved != 0 and c.tuple_size(saved) > 0 else saved
        c.drop(saved)
        if done != saved:
            c.drop(done)
        return done != 0
    words_of = load(plan, DATA)
    for i in range(load(words_of, G.kept)):
        slot = load(words_of, G.kept_slots + 8 * i)
        if load(node, slot) != the(W.none):
            replace(node, slot, hold(the(W.freed)))
    return True


@native
def is_node(edge):
    """Whether an edge is a node of which this is the only output; what lies outside the graph counts as a leaf."""
    kind = load(edge, TYPE)
    return kind != the(W.nowhere) and kind != the(W.outdated) and c.is_subtype(kind, the(W.node)) != 0


@native
def is_output(edge):
    """Whether an edge is one of several outputs."""
    return load(edge, TYPE) == the(W.output)


@native
def all_plain(edges, gradients):
    """Whether each gradient goes to a node, or a leaf without hooks, or nowhere; one alone may go to an output."""
    count = tuple_size(edges)
    if load(gradients, TYPE) != the(W.tuple) or tuple_size(gradients) != count:
        return False
    for i in range(count):
        edge, gradient = tuple_item(edges, i), tuple_item(gradients, i)
        if edge == the(W.none):
            continue
        leaf = is_tensor(edge)
        if leaf and load(edge, TENSOR.hooks) != the(W.none):
            return False
        known = is_node(edge) or (is_output(edge) and count == 1)
        if not leaf and (gradient == the(W.none) or not known):
            return False
    return True


@native
def all_different(gradients):
    """Whether no gradient stands twice among those of several inputs."""
    for i in range(tuple_size(gradients)):
        for j in range(i):
            if tuple_item(gradients, i) == tuple_item(gradients, j) != the(W.none):
                return False
    return True


@native
def may_keep(leaf, gradient, owned):
    """Whether a leaf may take a gradient as its own, which nobody else can hold: see `accumulate`."""
    none = the(W.none)
    flats = load(leaf, TENSOR.flat) != none and load(gradient, TENSOR.flat) != none
    unset = load(leaf, TENSOR.grad) == load(leaf, TENSOR.fn) == none
    free = owned and flats and unset and load(gradient, TENSOR.base) == none
    return free and same(load(leaf, TENSOR.shape), load(gradient, TENSOR.shape))


@native
def reach(backward, leaf, gradient, owned, words):
    """Give a gradient to a leaf; False where an error is set."""
    if gradient == the(W.none):
        return True
    free = load(backward, PASS.capture) == the(W.none) and not is_true(load(backward, PASS.create))
    if free and is_true(load(leaf, TENSOR.rg)) and may_keep(leaf, gradient, owned):
        replace(leaf, TENSOR.grad, hold(gradient))
        return True
    store(words, SECOND, leaf)
    store(words, 16, gradient)
    store(words, 24, the(W.true) if owned else the(W.false))
    done = method(backward, the(W.reach), words, 3)
    c.drop(done)
    return done != 0


@native
def deliver(backward, node, gradient, words):
    """Let a gradient wait for its node; False where an error is set."""
    store(words, SECOND, node)
    store(words, 16, gradient)
    done = method(backward, the(W.deliver), words, 2)
    c.drop(done)
    return done != 0


@native
def is_newest(backward, node):
    """Whether no other node that waits is newer: the heap holds (-sequence, node)."""
    heap = load(backward, PASS.heap)
    if c.list_size(heap) == 0:
        return True
    return -c.as_integer(tuple_item(c.list_item(heap, 0), 0)) <= c.as_integer(load(node, NODE.sequence))


@native
def gives_fresh(node, words):
    """Whether the gradients that the node has made are nobody else's; -1 where an error is set."""
    if c.dict_item(the(W.node_plans), load(node, TYPE)) != 0:
        return 1
    answer = c.attribute(node, the(W.gives_fresh))
    c.drop(answer)  # True and False stay
    return -1 if answer == 0 else int(is_true(answer))


@native
def put_next(words, node, gradient):
    """Note which node runs next, and its gradient; the references are handed over."""
    store(words, NEXT, node)
    store(words, NEXT + 8, gradient)


@native
def listed(node, index, gradient):
    """The list of the gradients of a node's outputs, of which one is known; 0 where an error is set."""
    number = c.attribute(node, the(W.output_count))
    if number == 0:
        return number
    gradients = c.new_list(c.as_integer(number))
    c.drop(number)
    if gradients == 0:
        return gradients
    for i in range(c.list_size(gradients)):
        c.set_list_item(gradients, i, hold(gradient if i == index else the(W.none)))
    return gradients


@native
def hand_to_output(backward, output, gradient, words):
    """What `hand_on` does with the one gradient of a node, where it goes to one of several outputs of another."""
    node = hold(load(output, OUTPUT.node))
    if c.dict_has(load(backward, PASS.buffers), node) or not is_newest(backward, node):
        c.drop(node)
        put_next(words, nothing(), nothing())
        return deliver(backward, output, gradient, words)
    gradients = listed(node, c.as_integer(load(output, OUTPUT.number)), gradient)
    if gradients == 0:
        c.drop(node)
        return False
    put_next(words, node, gradients)
    return True


@native
def hand_on(backward, edges, gradients, incoming, owned, words):
    """What `BackwardPass.follow` does: gives each gradient to its edge, and notes the next node if one may run at once.

    False where an error is set. The caller holds edges and gradients, and so all that is in them.
    """
    held, sum_held = 0, 0
    if tuple_size(edges) == 1 and is_output(tuple_item(edges, 0)):
        return hand_to_output(backward, tuple_item(edges, 0), tuple_item(gradients, 0), words)
    for i in range(tuple_size(edges)):
        edge, gradient, done = tuple_item(edges, i), tuple_item(gradients, i), True
        if is_tensor(edge):
            own = owned and (gradient != incoming or is_held(gradient, 2))  # here, and in the tuple
            done = reach(backward, edge, gradient, own, words)
        elif edge == held:
            total = c.add(sum_held, gradient)
            c.drop(sum_held)
            sum_held = total  # 0 where that failed
            done = total != 0
        elif edge != the(W.none) and held == 0 and c.dict_has(load(backward, PASS.buffers), edge) == 0:
            held, sum_held = edge, hold(gradient)
        elif edge != the(W.none):
            done = deliver(backward, edge, gradient, words)
        if not done:
            c.drop(sum_held)
            return False
    if held != 0 and is_newest(backward, held):
        put_next(words, hold(held), sum_held)
        return True
    done = held == 0 or deliver(backward, held, sum_held, words)
    c.drop(sum_held)
    put_next(words, nothing(), nothing())
    return done


@native
def hand_on_with_care(backward, edges, gradients, incoming, owned, words):
    """Call `BackwardPass.follow`: for hooks, where several outputs have gradients, and for gradients that are None."""
    store(words, SECOND, edges)
    store(words, 16, gradients)
    store(words, 24, the(W.true) if owned else the(W.false))
    store(words, 32, incoming)
    found = method(backward, the(W.follow), words, 4)
    if found == 0:
        return False
    put_next(words, hold(tuple_item(found, 0)), hold(tuple_item(found, 1)))
    c.drop(found)
    return True


@native
def step(backward, node, gradient, words):
    """Run one node, and note the next; False where an error is set."""
    found = gradients_of(node, gradient, words)
    if found == 0:
        return False
    edges, owned = hold(load(node, NODE.edges)), gives_fresh(node, words)
    done = owned >= 0 and (is_true(load(backward, PASS.retain)) or release(node, words))
    if done and all_plain(edges, found):
        done = hand_on(backward, edges, found, gradient, owned and all_different(found), words)
    elif done:
        done = hand_on_with_care(backward, edges, found, gradient, owned, words)
    c.drop(edges)
    c.drop(found)
    return done


@native
def walk(self, arguments, count):
    """walk(backward_pass, node, gradient): the node at which Python must go on, and its gradient; or (None, None)."""
    backward, node, gradient = load(arguments, 0), hold(load(arguments, 8)), hold(load(arguments, 16))
    words, done = frame(WORDS), True
    while done and node != the(W.none) and is_plain(backward, node):
        done = step(backward, node, gradient, words)
        c.drop(gradient)
        c.drop(node)
        if done:
            node, gradient = load(words, NEXT), load(words, NEXT + 8)
    if not done:
        return 0
    result = pair(node, gradient)
    c.drop(node)
    c.drop(gradient)
    return result
