"""`cuda.atomic`: operations that read an element and write it at once. Each returns the element before it."""

from __future__ import annotations

from typing import Any

from .arrays import Elements


class Atomic:
    """Each operation takes an array, an index and its operand, and `changed` says what becomes of the old element."""

    def add(self, array: Elements, index: Any, value: Any) -> Any:
        value = array.converted(value)
        return array.change(index, lambda old: old + value)

    def sub(self, array: Elements, index: Any, value: Any) -> Any:
        value = array.converted(value)
        return array.change(index, lambda old: old - value)

    def max(self, array: Elements, index: Any, value: Any) -> Any:
        value = array.converted(value)
        return array.change(index, lambda old: value if value > old else old)

    def min(self, array: Elements, index: Any, value: Any) -> Any:
        value = array.converted(value)
        return array.change(index, lambda old: value if value < old else old)

    def and_(self, array: Elements, index: Any, value: Any) -> Any:
        value = array.converted(value)
        return array.change(index, lambda old: old & value)

    def or_(self, array: Elements, index: Any, value: Any) -> Any:
        value = array.converted(value)
        return array.change(index, lambda old: old | value)

    def xor(self, array: Elements, index: Any, value: Any) -> Any:
        value = array.converted(value)
        return array.change(index, lambda old: old ^ value)

    def exch(self, array: Elements, index: Any, value: Any) -> Any:
        return array.change(index, lambda old: value)

    def inc(self, array: Elements, index: Any, limit: Any) -> Any:
        limit = array.converted(limit)
        return array.change(index, lambda old: 0 if old >= limit else old + 1)

    def dec(self, array: Elements, index: Any, limit: Any) -> Any:
        limit = array.converted(limit)
        return array.change(index, lambda old: limit if old == 0 or old > limit else old - 1)

    def cas(self, array: Elements, index: Any, old: Any, value: Any) -> Any:
        old = array.converted(old)
        return array.change(index, lambda result: value if result == old else result)

    def compare_and_swap(self, array: Elements, old: Any, value: Any) -> Any:
        return self.cas(array, 0, old, value)
