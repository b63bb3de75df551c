"""The language of native code: Python functions over 64-bit words, translated to LLVM's instructions."""
