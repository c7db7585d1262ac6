#!/usr/bin/env python3
"""Tables of numbers from outside for `tests/elements.rs`: what NumPy, ml_dtypes and gcc's `_Float128` make of them.

Needs numpy, ml_dtypes and gcc; the tests need none of them, only the tables in `tests/vectors/oracles/`.

    python3 tests/oracles/elements.py

Where the others differ from the format, the format wins, and `corrected` or `on_the_same_side` says how:
* ml_dtypes turns what is too large for float8_e4m3 into NaN; the format has the largest number, 448 (AMB-111).
* ml_dtypes rounds float64 to float32 before it rounds again; it is given a float32 number instead that lies
  between the same neighbours.
* Payloads of NaN differ; tables of codes hold each NaN as the quiet one of its sign, and none is converted.
* float8_e8m0: the codes 0x00 and 0xFF are no data; ml_dtypes reads them as 2^-127 and NaN. Numbers below the
  smallest power become 2^-126 (0x01), numbers above the largest 2^127 (0xFE). A number midway between two powers
  becomes the larger in both: with one digit none is even, and IEEE 754 then takes the larger.
"""

import ctypes
import json
import os
import pathlib
import random
import struct
import subprocess
import tempfile

import ml_dtypes
import numpy as np

OUT = pathlib.Path(__file__).resolve().parent.parent / "vectors" / "oracles"

# name: type, bits, code of the largest finite number
TYPES = {
    "float16": (np.float16, 16, 0x7BFF),
    "bfloat16": (ml_dtypes.bfloat16, 16, 0x7F7F),
    "float8_e4m3": (ml_dtypes.float8_e4m3fn, 8, 0x7E),
    "float8_e5m2": (ml_dtypes.float8_e5m2, 8, 0x7B),
    "float8_e8m0": (ml_dtypes.float8_e8m0fnu, 8, 0xFE),
    "float4_e2m1": (ml_dtypes.float4_e2m1fn, 4, 0x7),
    "float6_e2m3": (ml_dtypes.float6_e2m3fn, 6, 0x1F),
    "float6_e3m2": (ml_dtypes.float6_e3m2fn, 6, 0x1F),
}


def word(bits):
    return np.uint16 if bits == 16 else np.uint8


def values(name, codes):
    """Codes as float32."""
    kind, bits, _ = TYPES[name]
    return np.asarray(codes, dtype=word(bits)).view(kind).astype(np.float32)


def codes(name, numbers):
    """Numbers as codes, by the format."""
    kind, bits, _ = TYPES[name]
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        given = numbers if kind == np.float16 else on_the_same_side(numbers)
        return corrected(name, numbers, given.astype(kind).view(word(bits)))


def on_the_same_side(numbers):
    """float32 numbers: the same where there is one, else of the two around it the one with an odd pattern. No middle
    between two neighbours of a smaller type has one."""
    if numbers.dtype == np.float32:
        return numbers
    near = numbers.astype(np.float32)
    magnitude = near.view(np.uint32) - (np.abs(near.astype(np.float64)) > np.abs(numbers))
    exact = near.astype(np.float64) == numbers
    return np.where(exact, near, (magnitude | 1).astype(np.uint32).view(np.float32))


def corrected(name, numbers, made):
    _, bits, largest = TYPES[name]
    made = made.astype(np.uint16) & ((1 << bits) - 1)
    if name == "float8_e4m3":
        too_large = (np.abs(numbers) > 448) & ~np.isnan(numbers)
        made = np.where(too_large, np.where(numbers < 0, 0xFE, 0x7E), made)
    if name == "float8_e8m0":
        made = np.where(numbers > 2.0**127, largest, made)
        made = np.where((numbers > 0) & (numbers < 2.0**-126), 0x01, made)
    return made.astype(word(bits))


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def packed(name, made):
    """All codes of 8 bits in hex, or a CRC-32C for each 2048 codes of 16 bits, little-endian."""
    if TYPES[name][1] < 16:
        return made.astype(np.uint8).tobytes().hex()
    blocks = (made[i:i + 2048].astype("<u2").tobytes() for i in range(0, len(made), 2048))
    return [f"{crc32c(block):08x}" for block in blocks]


def decoded(name):
    """float32 bits of every code in order, each NaN as the quiet one of its sign; for 16 bits a CRC-32C for
    each 256 codes."""
    bits = TYPES[name][1]
    every = np.arange(1 << bits)
    out = values(name, every).view(np.uint32)
    nan = np.isnan(out.view(np.float32))
    sign = ((every >> (bits - 1)) & 1).astype(np.uint32) << np.uint32(31)
    if name == "float8_e8m0":
        return [f"{x:08x}" for x in out[1:255]]
    out = np.where(nan, sign | np.uint32(0x7FC00000), out).astype("<u4")
    if bits < 16:
        return [f"{x:08x}" for x in out]
    return [f"{crc32c(out[i:i + 256].tobytes()):08x}" for i in range(0, 1 << bits, 256)]


def between(name, dtype):
    """For every two neighbours: the lower, just below the middle, the middle, just above; then all of it negated."""
    _, _, largest = TYPES[name]
    first = 1 if name == "float8_e8m0" else 0
    low = values(name, np.arange(first, largest)).astype(np.float64)
    high = values(name, np.arange(first + 1, largest + 1)).astype(np.float64)
    middle = ((low + high) / 2).astype(dtype)
    assert (middle.astype(np.float64) * 2 == low + high).all()
    up, down = dtype(np.inf), dtype(0)
    around = [np.nextafter(middle, down), middle, np.nextafter(middle, up)]
    rows = np.stack([low.astype(dtype), *around], axis=1).ravel()
    return rows if first else np.stack([rows, -rows], axis=1).ravel()


def special(name):
    """Single numbers as float64 bits, and their codes."""
    _, bits, largest = TYPES[name]
    top = float(values(name, [largest])[0])
    step = top - float(values(name, [largest - 1])[0])
    if name == "float8_e8m0":
        numbers = [5e-324, 1e-40, 2.0**-127, 2.0**-126, 1.7e38, 2.9e38, 1e308, np.inf]
    else:
        edge = top + step / 2
        numbers = [0.0, 5e-324, 1e-310, 1e-46, top, np.nextafter(edge, 0), edge]
        numbers += [np.nextafter(edge, np.inf), top + step, 1e39, 1.7e308, np.inf]
        numbers += [-x for x in numbers]
    numbers = np.array(numbers, dtype=np.float64)
    made = codes(name, numbers)
    return [[f"{bits:016x}", f"{code:x}"] for bits, code in zip(numbers.view(np.uint64), made)]


def small_floats():
    table = {}
    for name in TYPES:
        single, double = between(name, np.float32), between(name, np.float64)
        table[name] = {
            "decode": decoded(name),
            "from_float32": packed(name, codes(name, single)),
            "from_float64": packed(name, codes(name, double)),
            "special": special(name),
        }
    return table


QUAD = """
#include <string.h>
typedef _Float128 q;
#define IN(p) q x; memcpy(&x, p, 16)
void add(const void *a, const void *b, void *out) { q y; IN(a); memcpy(&y, b, 16); x = x + y; memcpy(out, &x, 16); }
void to_double(const void *a, void *out) { IN(a); double d = (double)x; memcpy(out, &d, 8); }
void to_single(const void *a, void *out) { IN(a); float f = (float)x; memcpy(out, &f, 4); }
void of_double(const void *a, void *out) { double d; memcpy(&d, a, 8); q x = d; memcpy(out, &x, 16); }
void of_unsigned(const void *a, void *out) { unsigned long long n; memcpy(&n, a, 8); q x = n; memcpy(out, &x, 16); }
void of_signed(const void *a, void *out) { long long n; memcpy(&n, a, 8); q x = n; memcpy(out, &x, 16); }
"""


class Quad:
    """binary128 by gcc."""

    def __init__(self):
        folder = tempfile.mkdtemp()
        source = os.path.join(folder, "quad.c")
        pathlib.Path(source).write_text(QUAD)
        library = os.path.join(folder, "quad.so")
        subprocess.run(["gcc", "-O0", "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
        self.library = ctypes.CDLL(library)

    def call(self, name, size, *operands):
        out = ctypes.create_string_buffer(size)
        getattr(self.library, name)(*operands, out)
        return int.from_bytes(out.raw, "little")


def quad_pattern(rng):
    """Exponents near each other, near the ends and near those of float32 and float64; mantissas of every kind."""
    exponent = rng.choice([
        rng.randrange(0x8000), 0, 1, 2, 0x7FFE, 0x3FFF, rng.randrange(0x3FFF - 3, 0x3FFF + 4),
        0x3FFF - 1022 - rng.randrange(56), 0x3FFF + 1023, 0x3FFF - 126 - rng.randrange(26), 0x3FFF + 127,
        0x3FFF - 60 + rng.randrange(120), 0x3FFF - 116 + rng.randrange(8)])
    if exponent == 0x7FFF:
        exponent = 0x3FFF
    keep = rng.choice([0, 1, 2, 24, 52, 53, 54, 111, 112])
    mantissa = rng.getrandbits(112) >> (112 - keep) << (112 - keep)
    mantissa |= rng.choice([0, 0, 0, 1, 1 << 59, 1 << 88, (1 << 112) - 1])
    return rng.getrandbits(1) << 127 | exponent << 112 | mantissa


def quads():
    quad = Quad()
    rng = random.Random(1)
    raw = lambda n: n.to_bytes(16, "little")
    edges = [0, 1 << 127, 1, (1 << 112) - 1, 1 << 112, 0x3FFF << 112, 0xBFFF << 112,
             0x7FFF << 112, 0xFFFF << 112, (0x7FFF << 112) - 1, (0xFFFF << 112) - 1, 0x3FFF << 112 | 1, 0x3F8E << 112]
    pairs = [(a, b) for a in edges for b in edges]
    while len(pairs) < 400:
        # one about half of the other's last bit, a tie or next to one
        exponent = rng.randrange(200, 0x7FFF)
        signs = rng.getrandbits(1) << 127, rng.getrandbits(1) << 127
        a = signs[0] | exponent << 112 | rng.choice([0, 1, (1 << 112) - 1, rng.getrandbits(112)])
        below = rng.choice([0, 0, 1, 1 << 50, (1 << 112) - 1, rng.getrandbits(112)])
        pairs.append((a, signs[1] | (exponent - rng.randrange(109, 117)) << 112 | below))
    while len(pairs) < 800:
        a, b = quad_pattern(rng), quad_pattern(rng)
        # nearly opposite, so that leading bits cancel
        b = rng.choice([b, b, a ^ 1 << 127 ^ rng.getrandbits(rng.choice([1, 60, 113]))])
        if (b >> 112) & 0x7FFF != 0x7FFF:
            pairs.append((a, b))
    sums = []
    for a, b in pairs:
        total = quad.call("add", 16, raw(a), raw(b))
        if total & (1 << 127) - 1 > 0x7FFF << 112:
            total = 0x7FFF8 << 108  # which NaN is not compared
        sums.append([f"{n:032x}" for n in (a, b, total)])
    narrow = []
    for a in edges + [quad_pattern(rng) for _ in range(500)]:
        double, single = quad.call("to_double", 8, raw(a)), quad.call("to_single", 4, raw(a))
        narrow.append([f"{a:032x}", f"{double:016x}", f"{single:08x}"])
    doubles = [0, 1 << 63, 1, (1 << 52) - 1, 1 << 52, 0x7FF << 52, 0xFFF << 52, (0x7FF << 52) - 1, 3, 1 << 51]
    doubles += [n for n in (rng.getrandbits(64) for _ in range(60)) if n >> 52 & 0x7FF != 0x7FF]
    doubles += [rng.getrandbits(rng.randrange(1, 53)) for _ in range(20)]
    wide = [[f"{n:016x}", f"{quad.call('of_double', 16, struct.pack('<Q', n)):032x}"] for n in doubles]
    integers = [0, 1, 2, 3, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
    integers += [rng.getrandbits(rng.randrange(2, 65)) for _ in range(40)]
    whole = []
    for n in integers:
        made = (quad.call(of, 16, struct.pack("<Q", n)) for of in ("of_unsigned", "of_signed"))
        whole.append([f"{n:016x}", *(f"{x:032x}" for x in made)])
    return {"sums": sums, "narrow": narrow, "wide": wide, "integers": whole}


def write(name, table):
    OUT.mkdir(exist_ok=True)
    rows = (f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}" for key, value in table.items())
    (OUT / name).write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    write("small_floats.json", small_floats())
    write("float128.json", quads())
