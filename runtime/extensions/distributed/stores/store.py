"""What all stores have: the calls of torch.distributed.Store."""

import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from ..groups.errors import DistStoreError, QueueEmptyError
from .table import has_fields, left

DEFAULT_TIMEOUT = timedelta(seconds=300)


class Store:
    """A table of names and bytes that processes, or threads, share: what they tell each other outside of collectives.

    Values are texts or bytes, and come back as bytes. The stores are HashStore (threads), FileStore (processes that
    see a file), TCPStore (processes that reach a port) and PrefixStore (a part of another one). A class of a program's
    own has at least `set`, `get`, `add`, `check` and `delete_key`.
    """

    _timeout = DEFAULT_TIMEOUT

    @property
    def timeout(self) -> timedelta:
        """How long calls wait for keys."""
        return self._timeout

    def set_timeout(self, timeout: timedelta) -> None:
        """Say how long calls wait for keys: `timeout`."""
        self._timeout = checked_time("set_timeout", timeout)

    def set(self, key: str, value: str | bytes) -> None:
        """Give `key` a value, text or bytes; another one if it has one.

        Example:
            >>> from specgrad import distributed
            >>> store = distributed.HashStore()
            >>> store.set("first_key", "first_value")
            >>> store.get("first_key")
            b'first_value'
        """
        self._call("set", name_of("set", key), value_of("set", value))

    def get(self, key: str) -> bytes:
        """The value of `key`; waits for it until the timeout is over, else a DistStoreError."""
        name = name_of("get", key)
        deadline = time.monotonic() + self.timeout.total_seconds()
        while not (result := self._call("get", name)):
            self._wait((name,), left(deadline), self.timeout)
        return result[0]

    def add(self, key: str, amount: int) -> int:
        """Add `amount` to the counter `key`, which begins at 0; its value afterwards.

        Raises:
            ValueError: the key has a value that is no integer.
        """
        if not hasattr(amount, "__index__"):
            raise TypeError(f"add(): argument 'amount' must be an int, not {type(amount).__name__}")
        return int(self._call("add", name_of("add", key), str(int(amount)).encode())[0])

    def append(self, key: str, value: str | bytes) -> None:
        """Write `value` behind that of `key`, which is empty where it is not there."""
        self._call("append", name_of("append", key), value_of("append", value))

    def compare_set(self, key: str, expected_value: str | bytes, desired_value: str | bytes) -> bytes:
        """Give a key a value if it has another one; the value that it has then, `expected_value` if it has none.

        Args:
            key: the name.
            expected_value: what it must have; an empty text where it is not to be there.
            desired_value: what it gets.

        Example:
            >>> from specgrad import distributed
            >>> store = distributed.HashStore()
            >>> store.compare_set("leader", "", "rank 0")
            b'rank 0'
            >>> store.compare_set("leader", "", "rank 1")
            b'rank 0'
        """
        values = value_of("compare_set", expected_value), value_of("compare_set", desired_value)
        return self._call("compare_set", name_of("compare_set", key), *values)[0]

    def delete_key(self, key: str) -> bool:
        """Take `key` away; whether it was there."""
        return has_fields(self._call("delete", name_of("delete_key", key)))

    def check(self, keys: Sequence[str]) -> bool:
        """Whether all `keys` are there now."""
        return has_fields(self._call("check", *names_of("check", keys)))

    def wait(self, keys: Sequence[str], timeout: timedelta | None = None) -> None:
        """Wait until all `keys` are there: for as long as `timeout`, or that of the store; else a DistStoreError."""
        time_ = self.timeout if timeout is None else checked_time("wait", timeout)
        self._wait(names_of("wait", keys), time_.total_seconds(), time_)

    def multi_get(self, keys: Sequence[str]) -> list[bytes]:
        """The values of `keys`, each as by `get`."""
        return [self.get(key) for key in _list("multi_get", keys)]

    def multi_set(self, keys: Sequence[str], values: Sequence[str | bytes]) -> None:
        """Give each of `keys` one of `values`; a ValueError where there are more of one than of the other."""
        for key, value in zip(_list("multi_set", keys), _list("multi_set", values), strict=True):
            self.set(key, value)

    def num_keys(self) -> int:
        """How many keys there are."""
        return len(self.list_keys())

    def list_keys(self) -> list[str]:
        """The names of all keys."""
        return [name.decode() for name in self._call("keys")]

    def queue_push(self, key: str, value: str | bytes) -> None:
        """Put `value`, text or bytes, at the end of the queue `key`."""
        self._call("push", name_of("queue_push", key), value_of("queue_push", value))

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        """Take the value at the front of the queue `key`; with `block` wait for one where there is none.

        Raises:
            QueueEmptyError: there is none, and it is not waited for.
            DistStoreError: none comes in time.
        """
        name = name_of("queue_pop", key)
        deadline = time.monotonic() + self.timeout.total_seconds()
        while not (result := self._call("pop", name)):
            if not block:
                raise QueueEmptyError(f"queue_pop(): queue is empty: {key}")
            self._wait((name,), left(deadline), self.timeout)
        return result[0]

    def queue_len(self, key: str) -> int:
        """How many values the queue `key` has."""
        return int(self._call("length", name_of("queue_len", key))[0])

    def barrier(self, key: str, world_size: int, timeout: timedelta | None = None) -> None:
        """Wait until `world_size` callers have come, for as long as `timeout`, or that of the store.

        No other barrier may have the name `key`.

        Raises:
            DistStoreError: they do not come in time.
        """
        if self.add(f"{key}/arrived", 1) >= world_size:
            self.set(f"{key}/complete", "1")
        self.wait([f"{key}/complete"], self.timeout if timeout is None else timeout)

    def has_extended_api(self) -> bool:
        """Whether `append`, `multi_get` and `multi_set` are there."""
        return True

    def clone(self) -> "Store":
        """Another object for the same table, which another thread can use meanwhile."""
        raise NotImplementedError(f"{type(self).__name__} cannot be cloned")

    def __reduce__(self) -> Any:
        raise TypeError(f"cannot pickle {type(self).__name__!r} object: each process makes its own")

    def _call(self, name: str, *fields: bytes) -> list[bytes]:
        raise NotImplementedError(f"{type(self).__name__} does not have {name!r}: a store has a table, or this method")

    def _come(self, names: tuple[bytes, ...], seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not self.check([name.decode() for name in names]):
            if not left(deadline):
                return False
            time.sleep(min(0.01, left(deadline)))
        return True

    def _wait(self, names: tuple[bytes, ...], seconds: float, total_timeout: timedelta) -> None:
        if not self._come(names, seconds):
            key_names = ", ".join(name.decode() for name in names)
            raise DistStoreError(f"wait timeout after {total_timeout.total_seconds() * 1000:.0f}ms, keys: {key_names}")


def name_of(op: str, key: Any) -> bytes:
    if not isinstance(key, str):
        raise TypeError(f"{op}(): a key must be a str, not {type(key).__name__}")
    return key.encode()


def names_of(op: str, keys: Any) -> tuple[bytes, ...]:
    return tuple(name_of(op, key) for key in _list(op, keys))


def _list(op: str, values: Any) -> Sequence[Any]:
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        raise TypeError(f"{op}(): expected a list, but got {type(values).__name__}")
    return values


def value_of(op: str, value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    raise TypeError(f"{op}(): a value must be a str or bytes, not {type(value).__name__}")


def checked_time(op: str, timeout: Any) -> timedelta:
    if not isinstance(timeout, timedelta):
        raise TypeError(f"{op}(): argument 'timeout' must be a datetime.timedelta, not {type(timeout).__name__}")
    return timeout
