from .compile import compile_cubin as cubin
