"""The causal posterior one step at a time by compiled code, for parts whose rows depend on few things (``reads``)."""

from __future__ import annotations

from functools import partial
from itertools import product
from math import prod
from operator import mul

import numpy as np
import numpy.typing as npt

from hiql.data.codes import MISSING
from hiql.kernels.exact_smoother import has_raised
from hiql.kernels.live import (
    AFTER,
    BY_ACTION,
    BY_ENTERED,
    BY_LEFT,
    CODES,
    ENTERED,
    FROM_LAST,
    NO_EVIDENCE,
    OF_CONTEXTS,
    WIDTH,
    forward_step,
    log_forward_step,
    log_predict_step,
    predict_step,
)
from hiql.models.asked_steps import Animal, AskedSteps, Moment, Steps
from hiql.parts.part import FloatArray
from hiql.parts.reads import LAST_ACTION, STATE_ENTERED, STATE_LEFT, SUBJECT

MOST_NUMBERS = 2**24
"""In the table of what leads into a step: 128 MiB. Beyond, the parts are asked."""


def steps_of(animal: Animal) -> Steps:
    """Compiled steps where both parts say what they read, and it is little enough to be numbered ahead."""
    reads, of_choice = animal.dynamics.reads, animal.choice.reads
    if reads is None or of_choice is None or not set(of_choice) <= {STATE_ENTERED, SUBJECT}:
        return AskedSteps(animal)
    sizes = _sizes(animal)
    if not set(reads) <= set(sizes) or prod(sizes[name] for name in reads) * animal.n_intentions**2 > MOST_NUMBERS:
        return AskedSteps(animal)
    return TabledSteps(animal, reads)


class TabledSteps(Steps):
    """All that may happen is asked once, in the beginning: what leads into a step for each combination of what the
    clock reads, and how likely each action is in each state. Codes count from -1, what is unknown."""

    wants_inputs = False

    def __init__(self, animal: Animal, reads: tuple[str, ...]) -> None:
        states, actions = (range(MISSING, n) for n in (animal.coding.n_states, animal.coding.n_actions))
        done = animal.sessions([Moment(*codes) for codes in product(states, actions)])
        phases, initial, matrices = _chain(animal, reads)
        likely = np.ascontiguousarray(animal.likely(done)[:, phases])
        proba = np.ascontiguousarray(animal.proba(animal.sessions([*map(Moment, states)]))[:, phases])
        bank = np.concatenate([np.tile(initial, (1, len(initial), 1)), matrices])
        self._mind, self._nothing_known = np.empty((2, len(initial))), 1.0 / len(initial)
        forward, predict = forward_step, predict_step
        if has_raised(bank):
            with np.errstate(divide="ignore"):
                bank, self._nothing_known = np.log(bank), np.log(self._nothing_known)
            forward, predict = log_forward_step, log_predict_step
        self._codes, self._by_context = _numbering(animal, reads)
        self.quick = partial(forward, self._mind, bank, likely, np.ascontiguousarray(phases, np.int64), self._codes)
        self.quick_predict = partial(predict, self._mind, bank, proba, self._codes)
        self.begin()

    def begin(self) -> None:
        self._mind[0] = self._nothing_known
        self._codes[FROM_LAST] = self._codes[ENTERED] = 0

    def advance(self, now: Moment, out: FloatArray) -> None:
        self._codes[NO_EVIDENCE] = now.inputs is not None and np.isnan(now.inputs).any()
        self._codes[OF_CONTEXTS] = self._of_contexts(now)
        self.quick(out, now.state, now.action)
        self._codes[NO_EVIDENCE] = self._codes[OF_CONTEXTS] = 0

    def predict(self, now: Moment, out: FloatArray) -> None:
        self._codes[OF_CONTEXTS] = self._of_contexts(now)
        self.quick_predict(out, now.state)
        self._codes[OF_CONTEXTS] = 0

    def _of_contexts(self, now: Moment) -> int:
        """What the contexts add to the number of the row; nothing at a session's first step."""
        codes = now.contexts or (MISSING,) * len(self._by_context)
        return sum(map(mul, self._by_context, codes)) if self._codes[FROM_LAST] else 0


def _numbering(animal: Animal, reads: tuple[str, ...]) -> tuple[npt.NDArray[np.int64], list[int]]:
    """``codes`` of the kernels: row 0 begins a session, then come the combinations, in the order of :func:`_chain`;
    and what each context adds to the number of a row."""
    sizes = [_sizes(animal)[name] for name in reads]
    strides = {name: prod(sizes[i + 1 :]) for i, name in enumerate(reads)}
    codes = np.zeros(len(CODES), dtype=np.int64)
    for place, name in ((BY_LEFT, STATE_LEFT), (BY_ACTION, LAST_ACTION), (BY_ENTERED, STATE_ENTERED)):
        codes[place] = strides.get(name, 0)
    codes[AFTER] = 1 + sum(strides.values()) - strides.get(SUBJECT, 0)  # codes count from -1, which adds nothing
    codes[WIDTH] = animal.coding.n_actions + 1
    return codes, [strides.get(name, 0) for name in animal.coding.context_names]


def _sizes(animal: Animal) -> dict[str, int]:
    """How many codes there are of what a clock may read, the unknown among them; an animal is always the same."""
    coding = animal.coding
    sizes = {STATE_LEFT: coding.n_states, STATE_ENTERED: coding.n_states, LAST_ACTION: coding.n_actions, SUBJECT: 0}
    of_contexts = zip(coding.context_names, map(len, coding.context_labels), strict=True)
    return {name: size + 1 for name, size in (dict(of_contexts) | sizes).items()}


def _chain(animal: Animal, reads: tuple[str, ...]) -> tuple[npt.NDArray[np.intp], FloatArray, FloatArray]:
    """The intention of each phase (P,), how a session begins (P,), and what leads into a step (n, P, P)."""
    last, now, sizes = [], [], _sizes(animal)
    for codes in product(*(range(MISSING, MISSING + sizes[name]) for name in reads)):
        of = dict(zip(reads, codes, strict=True))
        last.append(Moment(of.get(STATE_LEFT, MISSING), of.get(LAST_ACTION, MISSING)))
        contexts = tuple(of.get(name, MISSING) for name in animal.coding.context_names)
        now.append(Moment(of.get(STATE_ENTERED, MISSING), contexts=contexts))
    chain = animal.chain(animal.sessions(last, now))
    return chain.phases, chain.initial[chain.begins[0]], chain.bank[chain.rows[1::2]]
