"""CUDA kernels that move elements: each result is an element of a source, a fill, or an ordered sum of elements.

Where that lies is said by integers, 32 bits of them; what is no place in the source is not read.
"""
