"""Kernels that count elements in bins, in shared memory where there is room; weights are added up once a sort has
brought the elements of each bin together. And those of runs, equal neighbours in lines of known order; nan equals
nothing."""

from typing import Any

from .kernel import Kernel, Signature, Target
from .language import T, cuda, float64, get, int32, int64, integer, position_at, put, uint32
from .per_element import generated_kernel, reads, with_helpers, writes
from .radix_sort import positions
from .storage import getter, in_registers, putter

THREADS = 256  # of a block
BINS = 2048  # that a block has room for

# Texts name these; a kernel has its own in their place.
get_edge: Any = None
bin_of: Any = None


def integer_bin(x: Any, i: Any, value: Any, bins: Any) -> Any:
    return uint32(get(x, i))


def even_bin(x: Any, i: Any, arg: Any, bins: Any) -> Any:
    """Of equal parts of a range, (least, greatest, width); `bins` outside of it."""
    value = get(x, i)
    result = bins
    if value >= arg[0] and value <= arg[1]:
        result = uint32(integer(T(T(T(value - arg[0]) * T(bins)) / arg[2])))
        if result >= bins:
            result = uint32(bins - uint32(1))
    return result


def bin_between(x: Any, i: Any, arg: Any, bins: Any) -> Any:
    """Between neighbouring edges, of which there is one more than bins; the last bin includes both."""
    value = get(x, i)
    edges = arg[0]
    result = bins
    if value >= get_edge(edges, uint32(0)) and value <= get_edge(edges, bins):
        low = uint32(0)
        high = uint32(bins + uint32(1))
        while low < high:
            midpoint = uint32(uint32(low + high) >> uint32(1))
            if get_edge(edges, midpoint) > value:
                high = midpoint
            else:
                low = uint32(midpoint + uint32(1))
        result = uint32(low - uint32(1))
        if result >= bins:
            result = uint32(bins - uint32(1))
    return result


def counted_in_block(x: Any, counts: Any, value: Any, bins: Any, size: Any) -> None:
    own = cuda.shared.array(2048, int32)
    k = uint32(cuda.threadIdx.x)
    while k < bins:
        own[k] = int32(0)
        k = uint32(k + uint32(256))
    cuda.syncthreads()
    i = uint32(uint32(uint32(cuda.blockIdx.x) << uint32(8)) + uint32(cuda.threadIdx.x))
    while i < size:
        k = bin_of(x, i, value, bins)
        if k < bins:
            cuda.atomic.add(own, k, int32(1))
        i = uint32(i + uint32(uint32(cuda.gridDim.x) << uint32(8)))
    cuda.syncthreads()
    k = uint32(cuda.threadIdx.x)
    while k < bins:
        count = own[k]
        if count > 0:
            cuda.atomic.add(counts, k, int64(count))
        k = uint32(k + uint32(256))


def counted_at_once(x: Any, counts: Any, value: Any, bins: Any, size: Any) -> None:
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        k = bin_of(x, i, value, bins)
        if k < bins:
            cuda.atomic.add(counts, k, int64(1))


def searched_bins(x: Any, out: Any, value: Any, bins: Any, size: Any) -> None:
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        out[i] = bin_of(x, i, value, bins)


def first_of(keys: Any, key: Any, size: Any) -> Any:
    low = uint32(0)
    high = size
    while low < high:
        midpoint = uint32(uint32(low + high) >> uint32(1))
        if uint32(keys[midpoint]) < key:
            low = uint32(midpoint + uint32(1))
        else:
            high = midpoint
    return low


def summed(keys: Any, order: Any, weights: Any, out: Any, size: Any) -> None:
    """What the weights of a bin, the block's, come to; `keys` are the bins in order, `order` the places they had."""
    own = cuda.shared.array(256, float64)
    t, threads, key = uint32(cuda.threadIdx.x), uint32(cuda.blockDim.x), uint32(cuda.blockIdx.x)
    i = uint32(first_of(keys, key, size) + t)
    end = first_of(keys, uint32(key + uint32(1)), size)
    total = float64(0)
    while i < end:
        total = total + float64(get(weights, uint32(order[i])))
        i = uint32(i + threads)
    own[t] = total
    cuda.syncthreads()
    distance = uint32(threads >> uint32(1))
    while distance > uint32(0):
        if t < distance:
            own[t] = own[t] + own[uint32(t + distance)]
        cuda.syncthreads()
        distance = uint32(distance >> uint32(1))
    if t == uint32(0):
        put(out, key, T(own[0]))


def _binning(function: Any, where: Any) -> Kernel:
    def make(target: Target, signature: Signature) -> Any:
        x, _, value = signature[:3]
        computed = in_registers(x.dtype)
        names = {"T": computed.type, "get": getter(target, x.dtype, computed)}
        if where is bin_between:
            names["get_edge"] = getter(target, value[0].dtype, computed)
        return target.kernel(function, bin_of=target.device(where, **names))

    return Kernel(f"{function.__name__} by {where.__name__}", make)


def _summed(target: Target, signature: Signature) -> Any:
    weights, out = signature[2:4]
    computed = in_registers(weights.dtype)
    names = {"T": computed.type, "get": getter(target, weights.dtype, computed), "put": putter(target, out.dtype)}
    return target.kernel(summed, **with_helpers(target, summed, names, False))


WAYS = {"integer": integer_bin, "even": even_bin, "between": bin_between}  # how the bin of an element is found
IN_BLOCK = {name: _binning(counted_in_block, where) for name, where in WAYS.items()}
AT_ONCE = {name: _binning(counted_at_once, where) for name, where in WAYS.items()}
BIN_SEARCH = {name: _binning(searched_bins, where) for name, where in WAYS.items()}
SUMMED = Kernel("weights of bins", _summed)


def begins(x: Any, order: Any, out: Any, along: Any, after: Any, size: Any) -> None:
    """The rank of each element that differs from the one before it in its line, 0 for the others."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        line = uint32(i // along)
        rank = uint32(i - uint32(line * along))
        b = uint32(line // after)
        start = uint32(uint32(uint32(b * along) * after) + uint32(line - uint32(b * after)))
        result = uint32(0)
        if rank > uint32(0):
            own = uint32(start + uint32(uint32(order[i]) * after))
            other = uint32(start + uint32(uint32(order[uint32(i - uint32(1))]) * after))
            if get(x, own) != get(x, other):
                result = rank
        out[i] = int32(result)


def lengths(last: Any, out: Any, along: Any, size: Any) -> None:
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        rank = uint32(i - uint32(uint32(i // along) * along))
        out[i] = int32(int32(rank) - int32(last[i]))


def differs(x: Any, order: Any, out: Any, before: Any, after: Any, size: Any) -> None:
    """Whether each slice of (before, size, after) differs from the one before it in an order."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        result = i == uint32(0)
        if not result:
            own = uint32(uint32(position_at(order, i, i)) * after)
            j = uint32(i - uint32(1))
            other = uint32(uint32(position_at(order, j, j)) * after)
            b = uint32(0)
            while b < before and not result:
                a = uint32(0)
                while a < after and not result:
                    result = get(x, uint32(own + a)) != get(x, uint32(other + a))
                    a = uint32(a + uint32(1))
                own = uint32(own + uint32(size * after))
                other = uint32(other + uint32(size * after))
                b = uint32(b + uint32(1))
        out[i] = result


def numbered(order: Any, ends: Any, starts: Any, inverse: Any, size: Any) -> None:
    """Where each run begins, and for each place the number of its run; `ends` count how many have begun."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        count = int64(ends[i])
        before = int64(ends[uint32(i - uint32(1))]) if i > uint32(0) else int64(0)
        if count != before:
            starts[uint32(before)] = int64(i)
        inverse[uint32(position_at(order, i, i))] = int64(count - int64(1))


def counted(starts: Any, counts: Any, total: Any, size: Any) -> None:
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        end = int64(total)
        if uint32(i + uint32(1)) < size:
            end = int64(starts[uint32(i + uint32(1))])
        counts[i] = int64(end - int64(starts[i]))


def firsts(x: Any, order: Any, starts: Any, out: Any, along: Any, after: Any, runs: Any, size: Any) -> None:
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        q = uint32(i // after)
        b = uint32(q // runs)
        start = uint32(starts[uint32(q - uint32(b * runs))])
        position = uint32(position_at(order, start, start))
        put(
            out, i, get(x, uint32(uint32(uint32(uint32(b * along) + position) * after) + uint32(i - uint32(q * after))))
        )


BEGINS = generated_kernel("where runs begin", begins, get=reads(0))
LENGTHS = generated_kernel("lengths of runs", lengths)
DIFFERS = generated_kernel("where slices differ", differs, get=reads(0), position_at=positions(1))
NUMBERED = generated_kernel("numbers of runs", numbered, position_at=positions(0))
COUNTED = generated_kernel("sizes of runs", counted)
FIRSTS = generated_kernel("first slices of runs", firsts, get=reads(0), put=writes(3), position_at=positions(1))
