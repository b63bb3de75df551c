"""The classes of errors of PyTorch's compiler: programs name them where they catch."""


class TorchDynamoException(RuntimeError):
    """A program could not be compiled."""


class Unsupported(TorchDynamoException):
    """A program does what the compiler does not know."""


class BackendCompilerFailed(TorchDynamoException):
    """A compiler of graphs has failed."""


class InductorError(RuntimeError):
    """The code generator has failed."""


class CppCompileError(RuntimeError):
    """The compiler of C++ has failed."""
