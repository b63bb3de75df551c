"""Machines for which LLVM modules come with specgrad."""

from specgrad.runtime.kernels.cache.target import host
from specgrad.runtime.kernels.compile.machine import fuses

MODULES = host().triple == "x86_64-unknown-linux-gnu" and fuses()
