"""Checkpoints that all ranks write and read together, each its part, and any number of ranks reads again."""
