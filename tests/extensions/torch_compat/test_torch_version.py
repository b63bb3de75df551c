"""TorchVersion: text that compares as PEP 440 says."""

import itertools

import pytest

from specgrad.torch_version import TorchVersion

ORDERED = [
    *("1.0.dev1", "1.0a1.dev2", "1.0a1", "1.0a2", "1.0b1", "1.0rc1", "1.0", "1.0+a", "1.0+b", "1.0+1", "1.0+2"),
    *("1.0.post1.dev1", "1.0.post1", "1.0.1", "1.1", "1.10", "2.13.0", "2.13.0+specgrad", "1!0.1"),
]


def test_order() -> None:
    """Of each pair the first is less, on whichever side the plain text stands."""
    for less, more in itertools.combinations(ORDERED, 2):
        first, second = TorchVersion(less), TorchVersion(more)
        assert first < more and first <= more and second > less and second >= less and first != more
        assert less < second and not first > more and not first >= second, (less, more)


def test_what_is_equal() -> None:
    """Zeros at the end, letters of another case, and tuples of numbers."""
    assert TorchVersion("2.0") == "2.0.0" == TorchVersion("2")
    assert TorchVersion("2.0") == (2, 0) and TorchVersion("1.0RC1") == "1.0c1"
    assert TorchVersion("2.13.0+specgrad") > (2, 13) and TorchVersion("2.1") < ["2", "2"]
    assert TorchVersion("2.0") not in (2, None)


def test_what_is_no_version() -> None:
    """Texts that are no versions are compared as texts; others not at all."""
    assert TorchVersion("parrot") == "parrot" and TorchVersion("parrot") > "dove" and TorchVersion("2.0") < "parrot"
    with pytest.raises(TypeError):
        assert TorchVersion("2.0") < 3


def test_packaging() -> None:
    """The order is that of `packaging`, and its versions compare with ours."""
    version = pytest.importorskip("packaging.version")
    assert [str(found) for found in sorted(map(version.Version, ORDERED))] == ORDERED
    assert TorchVersion("2.13.0+specgrad") >= version.Version("2.13") and version.Version("2.0") < TorchVersion("2.1")
    assert {TorchVersion("2.0"): 1}["2.0"] == 1
