"""Machines for which LLVM modules come with specgrad."""

from specgrad.runtime.compiler.passes.target import fuses, host

MODULES = host().triple == "x86_64-unknown-linux-gnu" and fuses()
