"""Entries tried out: each op in a process of its own, by the checks of `checks/`."""
