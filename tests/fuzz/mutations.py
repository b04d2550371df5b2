"""Damage to files, the same for the same seed: what disks, mail programs, editors and adversaries do."""

from __future__ import annotations

import numpy as np

TOKENS = [
    *(b",", b";", b"\t", b"|", b"\n", b"\r", b'"', b"'", b" ", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xe8", b"\x1a"),
    *(b"nan", b"NA", b"inf", b"-1", b"-", b".", b"1e400", b"9" * 30, b"1.5", b"1,000", b"True", b"x" * 5000),
    *(b"{", b"}", b"[", b"]", b"null", b"PK\x03\x04", b"PK\x01\x02", b"\x1f\x8b", b"PAR1", b"\x93NUMPY"),
    *(n.to_bytes(4, "little") for n in (0, 1, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1)),
]


def damaged(seeds: list[bytes], rng: np.random.Generator) -> bytes:
    """One of the seeds with one to four injuries."""
    injuries = [_flip, _cut, _drop, _repeat, _insert, _overwrite, _splice]
    content = seeds[rng.integers(len(seeds))]
    for _ in range(rng.integers(1, 5)):
        content = injuries[rng.integers(len(injuries))](content, seeds, rng)
    return content


def _place(content: bytes, rng: np.random.Generator) -> int:
    return int(rng.integers(len(content) + 1))


def _stretch(content: bytes, rng: np.random.Generator) -> slice:
    start = _place(content, rng)
    return slice(start, start + int(rng.geometric(0.05)))


def _flip(content: bytes, seeds: list[bytes], rng: np.random.Generator) -> bytes:
    raw = bytearray(content)
    for position in rng.integers(max(len(raw), 1), size=rng.integers(1, 9)):
        if position < len(raw):
            raw[position] ^= 1 << int(rng.integers(8))
    return bytes(raw)


def _cut(content: bytes, seeds: list[bytes], rng: np.random.Generator) -> bytes:
    return content[: _place(content, rng)]


def _drop(content: bytes, seeds: list[bytes], rng: np.random.Generator) -> bytes:
    gone = _stretch(content, rng)
    return content[: gone.start] + content[gone.stop :]


def _repeat(content: bytes, seeds: list[bytes], rng: np.random.Generator) -> bytes:
    part = _stretch(content, rng)
    return content[: part.stop] + content[part] * int(rng.integers(1, 30)) + content[part.stop :]


def _insert(content: bytes, seeds: list[bytes], rng: np.random.Generator) -> bytes:
    at = _place(content, rng)
    return content[:at] + TOKENS[rng.integers(len(TOKENS))] + content[at:]


def _overwrite(content: bytes, seeds: list[bytes], rng: np.random.Generator) -> bytes:
    token = TOKENS[rng.integers(len(TOKENS))]
    at = _place(content, rng)
    return content[:at] + token + content[at + len(token) :]


def _splice(content: bytes, seeds: list[bytes], rng: np.random.Generator) -> bytes:
    other = seeds[rng.integers(len(seeds))]
    return content[: _place(content, rng)] + other[_place(other, rng) :]
