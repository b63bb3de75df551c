"""What the texts of CUDA kernels may name: a compiler or the simulator puts its own in the place of each.

A text imports from here, so that it reads as ordinary Python; nothing here is ever called.
"""

from __future__ import annotations

from typing import Any

cuda: Any = None  # threadIdx, blockIdx, shared, syncthreads, ...
T: Any = None  # the type that an element-wise kernel computes in: numpy.float32, ...
# Conversions to the types that numbers.py gives a meaning in Python.
int8: Any = None
int16: Any = None
int32: Any = None
int64: Any = None
uint8: Any = None
uint16: Any = None
uint32: Any = None
uint64: Any = None
float16: Any = None
float32: Any = None
float64: Any = None
complex64: Any = None
complex128: Any = None
float32_bits: Any = None  # (x): the bits of a float32 number as an int32
from_bits: Any = None  # (x, pattern): the number of the type of x with these bits
bfloat16_bits: Any = None  # (x): the bits of a float32 number rounded to bfloat16, the nearest, ties to even
float16_bits: Any = None  # (x): the same of float16
float16_number: Any = None  # (bits): the float32 number that is the float16 with the last 16 of these bits
array_at: Any = None  # (address, size, kind): the array of elements of a type that lies at an address of the device
integer: Any = None  # (x): a float cut to an int64; what is none in range is the hardware's business
