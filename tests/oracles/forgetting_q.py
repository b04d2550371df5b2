"""Forgetting Q-learning in plain Python, over action values: the twin of ``hiql.kernels.forgetting_q``."""

from __future__ import annotations

import numpy as np
import pandas as pd


def choice_probabilities(choices, rewards, learning_rate, temperature, perseveration, bias=0.0):
    """P(choice 1) at every trial of one session. A choice or reward of None is a trial that changes nothing."""
    q, last, found = [0.0, 0.0], 0.0, []
    for choice, reward in zip(choices, rewards, strict=True):
        found.append(1.0 / (1.0 + np.exp(-((q[1] - q[0]) / temperature + perseveration * last + bias))))
        if choice is None or reward is None:
            continue
        q[choice] += learning_rate * (reward - q[choice])
        q[1 - choice] *= 1.0 - learning_rate
        last = 2.0 * choice - 1.0
    return np.array(found)


def choice_probabilities_by_trace(choices, rewards, decay_time, reward_weight, perseveration, bias=0.0):
    """The same in the form of Beron et al.: φ ← e^{−1/τ} φ + β r c̄, log-odds φ + α c̄."""
    trace, last, found = 0.0, 0.0, []
    for choice, reward in zip(choices, rewards, strict=True):
        found.append(1.0 / (1.0 + np.exp(-(trace + perseveration * last + bias))))
        if choice is None or reward is None:
            continue
        last = 2.0 * choice - 1.0
        trace = np.exp(-1.0 / decay_time) * trace + reward_weight * reward * last
    return np.array(found)


def simulate(rng, n_sessions, n_trials, learning_rate, temperature, perseveration, bias=0.0, subject="m1"):
    """A table of sessions in which the better side (0.8 against 0.2) changes every 25 trials."""
    rows = []
    for session in range(n_sessions):
        q, last = [0.0, 0.0], 0.0
        for t in range(n_trials):
            log_odds = (q[1] - q[0]) / temperature + perseveration * last + bias
            choice = int(rng.random() < 1.0 / (1.0 + np.exp(-log_odds)))
            reward = int(rng.random() < (0.8 if choice == (t // 25) % 2 else 0.2))
            rows.append((subject, session, choice, reward))
            q[choice] += learning_rate * (reward - q[choice])
            q[1 - choice] *= 1.0 - learning_rate
            last = 2.0 * choice - 1.0
    return pd.DataFrame(rows, columns=["subject", "session", "choice", "reward"])
