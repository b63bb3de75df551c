"""The profiler; `specgrad.profiler` offers its names. This file imports nothing: optimizers and data loaders, which
name their part of a step, are imported with specgrad and need only `named_ranges`.
"""
