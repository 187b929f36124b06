import platform
import subprocess
import sys

import pytest

MEASURE = """
import resource
from beam_rs import allocator
assert allocator.tune() and allocator.tune()
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
def use():
    block = bytearray(1 << 20)
    del block
use()
before = faults()
for _ in range(100):
    use()
print(faults() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc only")
def test_memory_of_a_picture_is_used_again_for_the_next():
    said = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, check=True)
    assert int(said.stdout) < 2560, "a hundred blocks of 256 pages, and each was asked for anew"
