"""Processes with fewer batches than others: there are no process groups yet."""

from ...runtime.pytorch.environment.process_groups import Join, Joinable, JoinHook

__all__ = ["Join", "JoinHook", "Joinable"]
