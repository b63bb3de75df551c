"""Stores within a process: a table of their own, or a part of another store's."""

from collections.abc import Sequence
from datetime import timedelta

from .store import Store, names_of
from .table import Table


class HashStore(Store):
    """A store of the threads of one process.

    Example:
        >>> from specgrad import distributed
        >>> store = distributed.HashStore()
        >>> store.add("counter", 3), store.add("counter", 4)
        (3, 7)
    """

    def __init__(self) -> None:
        self._table = Table()

    def clone(self) -> "HashStore":
        """Another object for the same table."""
        result = HashStore()
        result._table, result._timeout = self._table, self._timeout
        return result

    def _call(self, name: str, *fields: bytes) -> list[bytes]:
        return self._table.call(name, *fields)

    def _come(self, names: tuple[bytes, ...], seconds: float) -> bool:
        return self._table.wait(names, seconds)


class PrefixStore(Store):
    """The part of another store whose keys begin with a prefix and a slash.

    Args:
        prefix: the prefix.
        store: the store.

    Raises:
        TypeError: it is no store.

    Example:
        >>> from specgrad import distributed
        >>> store = distributed.HashStore()
        >>> distributed.PrefixStore("layer", store).set("size", "3")
        >>> store.get("layer/size")
        b'3'
    """

    def __init__(self, prefix: str, store: Store) -> None:
        if not isinstance(prefix, str) or not isinstance(store, Store):
            value = f"{type(prefix).__name__} and {type(store).__name__}"
            raise TypeError(f"PrefixStore(): expected a prefix, a str, and a Store, but got {value}")
        self._prefix = prefix
        self.underlying_store = self._store = store

    @property
    def _underlying_non_prefix_store(self) -> Store:
        inner = self._store
        return inner._underlying_non_prefix_store if isinstance(inner, PrefixStore) else inner

    @property
    def timeout(self) -> timedelta:
        """How long calls wait for keys: as the store."""
        return self._store.timeout

    def set_timeout(self, timeout: timedelta) -> None:
        """Say how long calls wait for keys, those of the store too: `timeout`."""
        self._store.set_timeout(timeout)

    def set(self, key: str, value: str | bytes) -> None:
        self._store.set(self._inner(key), value)

    def get(self, key: str) -> bytes:
        return self._store.get(self._inner(key))

    def add(self, key: str, amount: int) -> int:
        return self._store.add(self._inner(key), amount)

    def check(self, keys: Sequence[str]) -> bool:
        return self._store.check([self._inner(name.decode()) for name in names_of("check", keys)])

    def compare_set(self, key: str, expected_value: str | bytes, desired_value: str | bytes) -> bytes:
        return self._store.compare_set(self._inner(key), expected_value, desired_value)

    def delete_key(self, key: str) -> bool:
        return self._store.delete_key(self._inner(key))

    def list_keys(self) -> list[str]:
        """The names of the keys that begin with the prefix, without it."""
        begin = self._inner("")
        return [key.removeprefix(begin) for key in self._store.list_keys() if key.startswith(begin)]

    def num_keys(self) -> int:
        """How many keys there are in the store, of all prefixes."""
        return self._store.num_keys()

    def clone(self) -> "PrefixStore":
        """Another object for the same part of the same store."""
        return PrefixStore(self._prefix, self._store.clone())

    def _inner(self, key: str) -> str:
        if not isinstance(key, str):
            raise TypeError(f"PrefixStore: a key must be a str, not {type(key).__name__}")
        return f"{self._prefix}/{key}"

    def _call(self, name: str, *fields: bytes) -> list[bytes]:
        return self._store._call(name, self._inner("").encode() + fields[0], *fields[1:])

    def _come(self, names: tuple[bytes, ...], seconds: float) -> bool:
        return self._store._come(tuple(self._inner(name.decode()).encode() for name in names), seconds)
