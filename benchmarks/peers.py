"""The E-step as other tools do it, on the same data: each returns a function that runs it once."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from hiql.data.trajectories import Trajectories
from parameters import Parameters

Shape = tuple[int, ...]


def hmmlearn_estep(data: Trajectories, given: Parameters) -> Callable[[], float]:
    """A categorical HMM whose symbols are the pairs (s, a); emissions are scaled to sum to 1."""
    from hmmlearn.hmm import CategoricalHMM

    peer = CategoricalHMM(len(given.policy), implementation="scaling", n_features=given.policy[0].size)
    peer.startprob_, peer.transmat_ = given.initial, given.transition
    peer.emissionprob_ = given.policy.reshape(len(given.policy), -1) / data.n_states
    symbols, lengths = data.pairs.astype(np.int64)[:, None], data.lengths
    offset = data.n_steps * np.log(data.n_states)
    return lambda: float(peer._do_estep(symbols, lengths)[1] + offset)


def dynamax_estep(data: Trajectories, given: Parameters) -> Callable[[], float]:
    """dynamax: its smoother, compiled, vectorised over sessions of one length, emissions looked up (float32)."""
    import jax
    import jax.numpy as jnp
    from dynamax.hidden_markov_model import hmm_smoother

    n_intentions = len(given.policy)
    table = jnp.log(jnp.array(given.policy.reshape(n_intentions, -1).T))
    initial, transition = jnp.array(given.initial), jnp.array(given.transition)
    pairs = jnp.array(data.pairs.astype(np.int32).reshape(data.n_sessions, -1))

    @jax.jit
    def run(pairs):  # type: ignore[no-untyped-def]
        post = jax.vmap(lambda one: hmm_smoother(initial, transition, table[one]))(pairs)
        counts = jnp.zeros(table.shape).at[pairs.ravel()].add(post.smoothed_probs.reshape(-1, n_intentions))
        return post.marginal_loglik.sum(), post.trans_probs.sum(axis=0), post.smoothed_probs[:, 0].sum(axis=0), counts

    return lambda: float(jax.block_until_ready(run(pairs))[0])


def compiled_c(source: Path, machine: str = "native", *flags: str) -> Path:
    """The shared library of a C file (-O3), beside nothing that others might change."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise ImportError("no C compiler")
    library = Path(tempfile.mkdtemp()) / f"{source.stem}.so"
    options = ["-O3", f"-march={machine}", "-shared", "-fPIC", *flags]
    subprocess.run([compiler, *options, str(source), "-o", str(library), "-lm"], check=True)
    return library


def plain_c_estep(
    data: Trajectories, given: Parameters, machine: str = "native", bank: tuple[np.ndarray, np.ndarray] | None = None
) -> Callable[[], float]:
    """The same arithmetic in C, K known to the compiler; ``bank`` (M, K, K) and rows (N,) replace its matrix."""
    n_intentions, policy = len(given.policy), given.policy
    flags = [f"-DK={n_intentions}", *([] if bank is None else ["-DBANK"])]
    matrices, rows = (given.transition[None], data.pairs) if bank is None else bank  # one matrix: rows are not read
    top = policy.max(axis=0).ravel()
    table = np.vstack([policy.reshape(n_intentions, -1).T / top[:, None], np.ones((1, n_intentions))])
    offset = float(data.pair_counts.ravel() @ np.log(top))
    given_arrays = [data.offsets, data.pairs, rows, given.initial, matrices, np.ascontiguousarray(table)]
    shapes = (int(data.lengths.max()), n_intentions), (n_intentions,), matrices.shape, table.shape
    loop = c_loop("estep.c", machine, flags, data.n_sessions, given_arrays, shapes)
    return lambda: loop() + offset


def c_loop(
    source: str, machine: str, flags: list[str], n_sessions: int, arrays: list[np.ndarray], shapes: Sequence[Shape]
) -> Callable[[], float]:
    """A call of ``expected_counts`` of a C file: arrays that are read, then zeros of these shapes that are written."""
    loop = ctypes.CDLL(str(compiled_c(Path(__file__).with_name(source), machine, *flags))).expected_counts
    loop.restype = ctypes.c_double
    read = [np.ascontiguousarray(array) for array in arrays]

    def run() -> float:
        both = [*read, *map(np.zeros, shapes)]
        return loop(ctypes.c_long(n_sessions), *(ctypes.c_void_p(array.ctypes.data) for array in both))

    return run
