"""The profiler: what ran, how often, for how long, on which shapes, with how much memory.

`specgrad.profiler` offers its names. This file imports nothing: optimizers and data loaders, which name their part of a
step, are imported with specgrad and need only `ranges`.
"""
