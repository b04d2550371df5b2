"""What to try first on a table, as options of ``hiql select``: a proposal, which anyone may change."""

from __future__ import annotations

from typing import NamedTuple

from hiql.data.trajectories import Trajectories

LONG = 100
"""Steps of a session from which on places where minds change can be told from times."""
MANY = 3000
"""Trials from which on a second trial of history is worth a try."""


class Tries(NamedTuple):
    """Options of the command line, as text, and for each a reason in words."""

    intentions: str
    history: str
    dynamics: str
    by: str
    reasons: tuple[str, ...]


def usual_tries(data: Trajectories, of_trials: bool) -> Tries:
    """One to four intentions; longer histories and other clocks where the data are many enough to tell."""
    history = "1-2" if data.n_steps >= MANY else "1"
    on_a_track = not of_trials and data.n_states > 2 and float(data.lengths.mean()) >= LONG
    held_out = data.n_sessions > 1
    reasons = [
        "One to four intentions: one is what an animal that never changes its mind would show.",
        (
            "The states are what happened in the last one or two trials: there are trials enough to tell."
            if history == "1-2"
            else "The state is what happened in the last trial: for more there are few trials."
        )
        if of_trials
        else "",
        "Minds may change anywhere, or depending on the state: sessions are long enough to tell." if on_a_track else "",
        "Each candidate is judged on sessions that it was not fitted to."
        if held_out
        else "There is a single session, so nothing can be held out: BIC chooses.",
    ]
    return Tries(
        intentions="1-4",
        history=history if of_trials else "",
        dynamics="markov,by-state" if on_a_track else "",
        by="" if held_out else "bic",
        reasons=tuple(filter(None, reasons)),
    )
