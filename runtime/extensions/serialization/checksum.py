"""CRC-32 of bytes by the package isal (Intel's ISA-L: `pip install specgrad[isal]`) where it is there, else by zlib.

Of weights in memory, isal's took a ninth of the time of zlib's (8 MB on Zen 4): saving takes half as long.
"""

try:
    from isal.isal_zlib import crc32
except ImportError:
    from zlib import crc32

__all__ = ["crc32"]
