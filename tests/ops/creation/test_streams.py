"""Every element of a draw is a function of its own word of one stream, and the words are NumPy's."""

import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri

import specgrad as sg
from specgrad.runtime.kernels.cpu import random

SEEDS = (0, 7, 2**63 + 5, 2**64 - 1)


def slot_values(seed: int, count: int, start: int = 0) -> np.ndarray:
    """Words of NumPy's Philox."""
    return np.random.Philox(key=seed).random_raw(start + count)[start:]


def shares(bits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(h + 1/2) / 2^n of unsigned integers of n bits, or what is left to 1 where that is less; and where it is."""
    upper = bits >> np.array(8 * bits.itemsize - 1, bits.dtype) != 0
    nearer = np.where(upper, ~bits, bits).astype(np.float64)
    return (nearer + 0.5) * 2.0 ** (-8 * bits.itemsize), upper


def sampled(seed: int, start: int = 0) -> sg.Generator:
    """A generator of which `start` words have been drawn."""
    generator = sg.Generator().manual_seed(seed)
    generator.take(start)
    return generator


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("start", range(6))
def test_words(seed: int, start: int) -> None:
    """Words are NumPy's from any place on, for any count."""
    for count in (0, 1, 2, 3, 4, 5, 11, 4099):
        found = np.empty(count, np.uint64)
        random.fill_random_bits(found, *sampled(seed, start).take(count))
        assert (found == slot_values(seed, count, start)).all()


@pytest.mark.parametrize("start", range(5))
@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 5003])
def test_uniform_numbers_are_numpys(start: int, count: int) -> None:
    """float64 takes a word, float32 half of one, the lower half first; float16 and bfloat16 have its upper bits."""
    halves = slot_values(7, count, start).view(np.uint32)[:count]
    assert (
        sg.rand(count, dtype=sg.float64, generator=sampled(7, start)).numpy()
        == (slot_values(7, count, start) >> 11) * 2.0**-53
    ).all()
    assert (sg.rand(count, generator=sampled(7, start)).numpy() == (halves >> 8) * 2.0**-24).all()
    assert (
        sg.rand(count, dtype=sg.float16, generator=sampled(7, start)).double().numpy() == (halves >> 21) * 2.0**-11
    ).all()
    assert (
        sg.rand(count, dtype=sg.bfloat16, generator=sampled(7, start)).double().numpy() == (halves >> 24) * 2.0**-8
    ).all()
    pairs = sg.view_as_real(sg.rand(count, dtype=sg.complex128, generator=sampled(7, start))).numpy().ravel()
    assert (pairs == (slot_values(7, 2 * count, start) >> 11) * 2.0**-53).all()


@pytest.mark.parametrize(("dtype", "digits"), [("float64", 1e-15), ("float32", 1e-6)])
def test_inverses(dtype: str, digits: float) -> None:
    """Normal and exponential numbers are the inverse distribution functions of SciPy at the numbers of the bits."""
    kind = getattr(sg, dtype)
    bits = slot_values(3, 20000).view(np.uint64 if dtype == "float64" else np.uint32)[:20000]
    small, upper = shares(bits)
    normal = sg.randn(20000, dtype=kind, generator=sampled(3)).double().numpy()
    expected = np.where(upper, -1, 1) * ndtri(small)
    # ndtri loses digits where its argument is close to 1/2
    assert np.allclose(normal, expected, rtol=4 * digits, atol=4 * digits * np.sqrt(2 * np.pi))
    waiting = sg.empty(20000, dtype=kind).exponential_(generator=sampled(3)).double().numpy()
    assert np.allclose(waiting, np.where(upper, -np.log1p(-small), -np.log(small)), rtol=digits, atol=0)


def test_extreme_bits() -> None:
    """The first and the last number of all, and those around the middle, are finite, and exact in both tails."""
    for kind, bits, loop in ((np.float32, np.uint32, "normal_single"), (np.float64, np.uint64, "normal_double")):
        from specgrad.runtime.kernels.scalar.random import philox as scalars

        top = int(np.iinfo(bits).max)
        given = np.array([0, 1, top // 2, top // 2 + 1, top - 1, top], bits)
        small, upper = shares(given)
        signed = given.view(f"i{kind().itemsize}")
        exact = np.where(upper, -1, 1) * ndtri(small)
        normal = np.array([getattr(scalars, loop)(h) for h in signed], np.float64)
        assert np.allclose(normal, exact, rtol=2e-6 if kind is np.float32 else 1e-15, atol=2.0**-31)
        waiting = np.array([getattr(scalars, loop.replace("normal", "exponential"))(h) for h in signed], np.float64)
        assert np.isfinite(waiting).all() and (waiting > 0).all() and waiting[-1] == small[-1]


def test_integers_and_trials() -> None:
    """h count / 2^64 rounded down, for any range; a trial succeeds where a uniform number is less than p."""
    given = slot_values(5, 500)
    for low, high in ((0, 1000), (-7, 3), (-(2**63), 2**63 - 1), (0, 2**62 + 12345)):
        found = sg.randint(low, high, (500,), generator=sampled(5)).tolist()
        assert found == [low + (int(h) * (high - low) >> 64) for h in given]
    entire = np.empty(500, np.int64)
    random.fill_integers(entire, *sampled(5).take(500), -(2**63), 2**63)
    assert (entire.view(np.uint64) == given + np.uint64(2**63)).all()
    uniform = (given >> 11) * 2.0**-53
    for p in (0.0, 0.3, 1.0):
        assert (sg.empty(500).bernoulli_(p, generator=sampled(5)).numpy() == (uniform < p)).all()
        assert (
            sg.bernoulli(sg.full((500,), p), generator=sampled(5)).double().numpy() == (uniform < np.float32(p))
        ).all()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 64, 1000, 4097])
def test_permutation(count: int) -> None:
    """The order of words; where words are equal, of places."""
    assert (
        sg.randperm(count, generator=sampled(9)).tolist() == np.argsort(slot_values(9, count), kind="stable").tolist()
    )


def test_equal_upper_bits() -> None:
    """Keys that agree in what is left of their words are put in the order of whole words."""
    from specgrad.runtime.kernels.cpu.random_loops import random_permutation

    count, mask = 64, 63
    keys = np.arange(count, dtype=np.uint64)  # as if the upper bits of all words were 0
    random_permutation(keys, 9, 0, mask)
    assert keys.tolist() == np.argsort(slot_values(9, count), kind="stable").tolist()


def test_bounds() -> None:
    """[from, to): rounding gives no `to`, in any dtype, and nothing below `from`."""
    for kind in (sg.float16, sg.bfloat16, sg.float32, sg.float64, sg.complex64):
        for low, high in ((0.0, 1.0), (-3.0, -1.0), (1000.0, 1000.5), (0.1, 0.1), (1.0, 1.0 + 1e-12)):
            x = sg.empty(70000, dtype=kind).uniform_(low, high)
            parts = (sg.view_as_real(x) if kind is sg.complex64 else x).double().numpy()
            real = sg.float32 if kind is sg.complex64 else kind
            min_value = sg.tensor(low, dtype=real).item()
            assert parts.min() >= min_value and (parts.max() < high or parts.max() == min_value)


DRAWS: dict[str, Callable[[Any, int], Any]] = {
    "rand": lambda g, n: sg.rand(n, generator=g),
    "rand in double": lambda g, n: sg.rand(n, generator=g, dtype=sg.float64),
    "randn": lambda g, n: sg.randn(n, generator=g),
    "randn in double": lambda g, n: sg.randn(n, generator=g, dtype=sg.float64),
    "exponential": lambda g, n: sg.empty(n).exponential_(generator=g),
    "randint": lambda g, n: sg.randint(10**12, (n,), generator=g),
    "randperm": lambda g, n: sg.randperm(n, generator=g),
    "bernoulli": lambda g, n: sg.empty(n).bernoulli_(0.3, generator=g),
    "poisson": lambda g, n: sg.poisson(sg.full((n,), 20.0), g),
    "binomial": lambda g, n: sg.binomial(sg.full((n,), 50.0), sg.tensor(0.4), g),
}


@pytest.mark.parametrize("name", DRAWS)
def test_threads_change_nothing(name: str) -> None:
    """A long draw has the same bits with one thread and with several, from a place that is no multiple of four too."""
    count = sg.get_num_threads()
    found = []
    for threads in (1, 2, 3):
        sg.set_num_threads(threads)
        found.append(DRAWS[name](sampled(11, 3), 400_003).numpy())
    sg.set_num_threads(count)
    assert (found[0] == found[1]).all() and (found[0] == found[2]).all()


def test_an_element_depends_on_its_word_alone() -> None:
    """A part of a draw is what is drawn from its place on, counts made by rejection too."""
    for name in ("rand in double", "randn in double", "randint", "bernoulli", "poisson", "binomial"):
        entire = DRAWS[name](sampled(2), 900)
        assert sg.equal(entire[300:], DRAWS[name](sampled(2, 300), 600)), name


def test_no_word_is_drawn_twice() -> None:
    """Threads that share a generator get words of their own."""
    generator = sg.Generator().manual_seed(1)
    with ThreadPoolExecutor(8) as pool:
        parts = list(pool.map(lambda k: sg.rand(k % 7 + 1, dtype=sg.float64, generator=generator).tolist(), range(400)))
    numbers = sorted(x for part in parts for x in part)
    assert numbers == sorted(sg.rand(len(numbers), dtype=sg.float64, generator=sampled(1)).tolist())


def old_state(seed: int, drawn_words: int) -> np.ndarray:
    """A state as it was saved when NumPy's generator drew the numbers."""
    philox = np.random.Philox(key=seed)
    philox.random_raw(drawn_words)
    state: Any = philox.state
    parts = [[seed], state["state"]["counter"], state["state"]["key"], state["buffer"]]
    parts.append([state["buffer_pos"], state["has_uint32"], state["uinteger"]])
    return np.concatenate([np.asarray(part, np.uint64) for part in parts])


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 17])
def test_states_of_version_1(count: int) -> None:
    """An old state, pickled or in a tensor, is the same place in the stream of words."""
    generator = sg.Generator()
    generator.set_state(sg.from_numpy(old_state(2**63 + 1, count).view(np.uint8)))
    assert generator.take(0) == (1 - 2**63, count)
    other = pickle.loads(pickle.dumps(generator))
    other.__setstate__({"device": sg.device("cpu"), "words": old_state(2**63 + 1, count)})
    assert sg.equal(sg.rand(5, generator=other), sg.rand(5, generator=generator))


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (np.array([3, 7, 0], np.uint64), "expected a state of version 2, but got version 3"),
        (np.array([2, 7, 2**62], np.uint64), r"expected a position below 2\*\*62"),
        (np.arange(14, dtype=np.uint64), "expected a state of version 2, or one of NumPy's Philox"),
    ],
)
def test_foreign_states(state: np.ndarray, message: str) -> None:
    """A state of another version, or none at all, is refused, and the generator stays where it is."""
    generator = sampled(4, 6)
    with pytest.raises(RuntimeError, match=message):
        generator.set_state(sg.from_numpy(state.view(np.uint8)))
    assert generator.take(0) == (4, 6)
