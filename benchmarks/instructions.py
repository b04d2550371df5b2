"""Instructions a step of the compiled loop and of C written by hand, counted by valgrind, whatever the machine's load.

Both are compiled for Haswell, the newest processor whose instructions valgrind knows. It needs valgrind, its headers
and a C compiler; without them the rows are left out, and the reason is printed.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from estep import SIZES, estep_problem, hiql_loop, label
from parameters import problem_of
from peers import compiled_c, plain_c_estep
from rows import Row, arguments, report, row_of

CPU = "haswell"
NUMBA = {"NUMBA_CPU_NAME": CPU, "NUMBA_CPU_FEATURES": "+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+popcnt,+sse4.2"}
MARK = "#include <valgrind/callgrind.h>\nvoid mark(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }\n"
PASSES = 10
DONE = re.compile(r"Client Request: (\w+)/(\d+)/(\d+)\n.*?^(?:summary|totals): (\d+)", re.DOTALL | re.MULTILINE)


def count_here(marker: str) -> None:
    """In a process under valgrind: some passes of each contender; what was counted since the last mark is dumped."""
    mark: Callable[[bytes], None] = ctypes.CDLL(marker).mark
    for n_intentions in (2, 3, 5):
        for number, size in enumerate(SIZES[:2]):
            data, parameters = estep_problem(*size, n_intentions)
            loop = hiql_loop(problem_of(data, n_intentions).read(parameters.point))
            runs = {"C": plain_c_estep(data, parameters, CPU), "loop": loop}
            for name, run in runs.items():
                run()
                mark(b"before")
                for _ in range(PASSES):
                    run()
                mark(f"{name}/{n_intentions}/{number}".encode())


def instructions_of(command: list[str], **settings: str) -> dict[tuple[str, int, int], int]:
    """Instructions between the marks that a command sets, by their names' three parts; it is given the marker."""
    if shutil.which("valgrind") is None:
        raise ImportError("no valgrind")
    with tempfile.TemporaryDirectory() as folder:
        (source := Path(folder, "mark.c")).write_text(MARK)
        child = [*command, str(compiled_c(source, CPU))]
        environment = os.environ | NUMBA | settings
        subprocess.run(child, check=True, env=environment)  # compiles, so that valgrind need not watch that
        out = f"--callgrind-out-file={folder}/counted"
        subprocess.run(["valgrind", "-q", "--tool=callgrind", out, *child], check=True, env=environment)
        dumps = "\n".join(path.read_text(errors="replace") for path in sorted(Path(folder).glob("counted.*")))
    return {(name, int(k), int(number)): int(count) for name, k, number, count in DONE.findall(dumps)}


def rows() -> Iterator[Row]:
    try:
        found = instructions_of([sys.executable, __file__])  # by contender, K and number of the size
    except ImportError as reason:
        print(f"instructions left out: {reason}", file=sys.stderr)
        return
    for n_intentions, number in sorted({(k, number) for _, k, number in found}):
        n_sessions, n_steps = SIZES[number]
        theirs, ours = (found[who, n_intentions, number] / (PASSES * n_sessions * n_steps) for who in ("C", "loop"))
        what = f"C / compiled loop, instructions, {label(*SIZES[number])}, K = {n_intentions}"
        yield row_of(what, [theirs / ours], None, f"a step: C {theirs:.0f}, loop {ours:.0f}")


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1].endswith(".so"):
        count_here(sys.argv[1])
    else:
        report("Instructions", rows(), arguments(__doc__).parse_args())
