"""Processes that share tensors: how tensors travel, and processes that are started and joined together."""
