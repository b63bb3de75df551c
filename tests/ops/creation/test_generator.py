"""Generators: streams fixed by their seed, states that can be kept and restored."""

import copy
import pickle

import numpy as np
import pytest

import specgrad as sg


def draw(generator: sg.Generator) -> list[float]:
    return sg.rand(5, generator=generator).tolist()


def test_seed_fixes_the_stream() -> None:
    """Equal seeds give equal numbers, other seeds other numbers."""
    a, b, c = (sg.Generator().manual_seed(seed) for seed in (7, 7, 8))
    first = draw(a)
    assert draw(b) == first
    assert draw(c) != first
    assert draw(a) != first
    assert draw(a.manual_seed(7)) == first


def test_generator_is_counter_based() -> None:
    """The stream is Philox keyed by the seed: NumPy's own Philox gives the same numbers."""
    philox = np.random.Generator(np.random.Philox(key=5))
    expected = philox.random(4, np.float32)
    assert sg.rand(4, generator=sg.Generator().manual_seed(5)).tolist() == expected.tolist()


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, sg.Generator.clone, sg.Generator.clone_state])
def test_clone_goes_on_independently(clone) -> None:
    """A copy goes on from the same place and does not move the original."""
    g = sg.Generator().manual_seed(3)
    draw(g)
    other = clone(g)
    assert draw(other) == draw(g)
    assert other.initial_seed() == 3


def test_pickle() -> None:
    """A pickled generator goes on where it was."""
    g = sg.Generator().manual_seed(3)
    draw(g)
    other = pickle.loads(pickle.dumps(g))
    assert draw(other) == draw(g)


def test_state() -> None:
    """get_state is a uint8 tensor; set_state goes back to it, the initial seed included."""
    g = sg.Generator().manual_seed(3)
    sg.randn(3, generator=g)
    state = g.get_state()
    first = draw(g)
    g.manual_seed(99)
    g.set_state(state)
    assert draw(g) == first
    assert g.initial_seed() == 3
    assert state.dtype is sg.uint8


def test_bad_state() -> None:
    """A state of another type or size is refused."""
    g = sg.Generator()
    with pytest.raises(TypeError, match="expected a uint8 Tensor, but got NoneType"):
        g.set_state(None)
    with pytest.raises(TypeError, match="expected a uint8 Tensor"):
        g.set_state(sg.zeros(3))
    with pytest.raises(RuntimeError, match=r"expected a state of size 24, but got shape \[3\]"):
        g.set_state(sg.zeros(3, dtype=sg.uint8))


@pytest.mark.parametrize(("seed", "initial"), [(0, 0), (-1, 2**64 - 1), (2**64 - 1, 2**64 - 1), (-(2**63), 2**63)])
def test_range_of_seeds(seed: int, initial: int) -> None:
    """Negative seeds wrap around, as in PyTorch."""
    g = sg.Generator().manual_seed(seed)
    assert g.initial_seed() == initial
    assert len(draw(g)) == 5


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_seed_out_of_range(seed: int) -> None:
    """A seed of more than 64 bits is refused."""
    with pytest.raises(ValueError, match="expected a seed in"):
        sg.Generator().manual_seed(seed)


@pytest.mark.parametrize(
    ("seed", "error", "message"),
    [
        ("7", TypeError, "argument 'seed' must be int, not str"),
        (None, TypeError, "argument 'seed' must be int, not NoneType"),
        (float("nan"), ValueError, "expected a finite seed, but got nan"),
    ],
)
def test_bad_seed(seed: object, error: type[Exception], message: str) -> None:
    """A seed is a number; a float is truncated, as in PyTorch."""
    assert sg.Generator().manual_seed(1.5).initial_seed() == 1
    with pytest.raises(error, match=message):
        sg.Generator().manual_seed(seed)


def test_default_generator() -> None:
    """manual_seed, seed and the state functions act on the generator that ops use by default."""
    with sg.random.fork_rng():
        assert sg.manual_seed(11).initial_seed() == sg.initial_seed() == 11
        state = sg.get_rng_state()
        first = sg.randn(3).tolist()
        sg.set_rng_state(state)
        assert sg.randn(3).tolist() == first
        assert sg.seed() == sg.initial_seed() != 11


def test_fork_rng() -> None:
    """Draws inside the block do not move the stream outside of it, unless it is not enabled."""
    sg.manual_seed(1)
    expected = sg.rand(3).tolist()
    sg.manual_seed(1)
    with sg.random.fork_rng():
        sg.rand(100)
    assert sg.rand(3).tolist() == expected
    sg.manual_seed(1)
    with sg.random.fork_rng(enabled=False):
        sg.rand(3)
    assert sg.rand(3).tolist() != expected


def test_new_generator_is_deterministic() -> None:
    """A generator that was never seeded starts from PyTorch's default seed."""
    assert sg.Generator().initial_seed() == 67280421310721
    assert sg.Generator(device="cpu").device == sg.device("cpu")
