"""From a table to an answer: what a proposal finds of tables with a known truth, and what it says of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import hiql
from hiql.data.readings import readings
from hiql.evaluate import decoding_agreement
from hiql.sweep.answer import _longer_histories, answer
from hiql.sweep.proposal import propose

QUICK = {"n_restarts": 2, "n_folds": 4, "n_jobs": 1, "progress": False}


def bandit(rng, n_animals, n_sessions, n_trials):
    """Animals that follow rewards, and then again prefer the right; a mind lasts 33 trials."""
    rows = []
    for animal, session in np.ndindex(n_animals, n_sessions):
        z, better, before = rng.integers(2), rng.integers(2), None
        for trial in range(n_trials):
            better = 1 - better if rng.random() < 0.05 else better
            z = 1 - z if rng.random() < 0.03 else z
            follow = 0.5 if before is None else [[0.75, 0.25], [0.05, 0.95]][before[1]][before[0]]
            choice = int(rng.random() < (0.85 if z else follow))
            before = choice, int(rng.random() < (0.8 if choice == better else 0.2))
            rows.append((f"m{animal}", session, trial, "LR"[choice], before[1], z))
    return pd.DataFrame(rows, columns=["mouse", "session", "trial", "choice", "reward", "truth"])


def people(rng, n_people, n_trials):
    """People who repeat rewarded choices more or less, each in a way of their own, in one session, and never switch."""
    rows = []
    for person in range(n_people):
        kind = person % 3
        stay = expit(np.array([[-1.0, 2.0], [2.0, 2.0], [-1.0, -1.0]])[kind] + rng.normal(0, 0.3, 2))
        choice, reward = rng.integers(2), 0
        for trial in range(n_trials):
            choice = int(choice if rng.random() < stay[reward] else 1 - choice)
            reward = int(rng.random() < 0.5)
            rows.append((f"p{person}", trial, choice, reward, kind))
    return pd.DataFrame(rows, columns=["participant", "trial", "choice", "reward", "truth"])


def psychophysics(rng, n_animals, n_sessions, n_trials):
    """Animals that judge a stimulus, prefer the left, or the right."""
    weights, rows = np.array([[4.0, 0.0], [1.0, 2.0], [1.0, -2.0]]), []
    for animal, session in np.ndindex(n_animals, n_sessions):
        z = rng.integers(3)
        for trial in range(n_trials):
            z = (z + rng.integers(1, 3)) % 3 if rng.random() < 0.02 else z
            x = rng.normal()
            choice = int(rng.random() < expit(weights[z] @ (x, 1.0)))
            rows.append((f"a{animal}", session, trial, round(x, 3), choice, int((x > 0) == choice), z))
    return pd.DataFrame(rows, columns=["animal", "session", "trial", "stimulus", "choice", "correct", "truth"])


def answered(table, **given):
    """The choice of a proposal for a table without its truth, the data it read, and the answer."""
    blind = table.drop(columns="truth")
    sets = {key: layout.read(blind) for key, layout in readings(blind, {}).items()}
    sets = sets if "family" not in given else {1: sets[1]}
    chosen = hiql.select(sets, proposal=propose(sets, **given), **QUICK)
    data = sets[chosen.selection.unit["history"]]
    return chosen, data, {said.question: said for said in answer(chosen.best, data, chosen.selection)}


@pytest.fixture(scope="module")
def of_people():
    return answered(people(np.random.default_rng(0), 9, 80), n_intentions=(1, 2), family="hiql", dynamics="markov")


def test_people_who_differ_and_never_switch_are_found_to_differ(of_people):
    chosen, _, said = of_people
    row = chosen.table.iloc[chosen.selection.chosen]
    assert (row["n_intentions"], row["pool"]) == (1, "subjects")
    assert "Difference between animals explains the gain" in said["Do animals differ, or switch?"].text


def test_every_part_of_the_answer_is_there_with_its_numbers(of_people):
    chosen, _, said = of_people
    assert all(each.text for each in said.values())
    numbers = said["How many intentions?"].numbers
    assert numbers["K"].tolist() == ["1", "2"]
    table = chosen.table
    best = table.drop(index=chosen.selection.chosen).sort_values("held_out", ascending=False).iloc[0]
    second = said["What was second best, or as good?"]
    assert f"{best['to_chosen']:+.4f} ± {best['to_chosen_se']:.4f}" in second.numbers.iloc[0].tolist()
    assert said["What does each do, and when is it left?"].numbers["what it does"].str.contains("after a win").all()


def test_differences_to_the_choice_are_paired(of_people):
    chosen, _, _ = of_people
    table, at = chosen.table, chosen.selection.chosen
    assert table["to_chosen"][at] == table["to_chosen_se"][at] == 0.0
    assert table["agrees_with_chosen"][at] == 1.0
    np.testing.assert_allclose(table["to_chosen"], table["held_out"] - table["held_out"][at], atol=1e-12)


def oracle(table, rows_of_z, stay, k):
    """The share of steps that one who knows all parameters decodes: Viterbi in plain numpy."""
    right = 0
    for _, session in table.groupby(list(table.columns[:2]) if "session" in table else ["participant"], sort=False):
        likely = rows_of_z(session)
        move = np.log(np.where(np.eye(k) > 0, stay, (1 - stay) / (k - 1)))
        score, back = np.log(likely[0]), []
        for row in likely[1:]:
            both = score[:, None] + move
            back.append(both.argmax(axis=0))
            score = both.max(axis=0) + np.log(row)
        path = [int(score.argmax())]
        for step in reversed(back):
            path.append(int(step[path[-1]]))
        right += (np.array(path[::-1]) == session["truth"].to_numpy()).sum()
    return right / len(table)


@pytest.mark.slow
def test_of_a_bandit_both_minds_are_found_and_the_chain_that_changes_them():
    table = bandit(np.random.default_rng(1), 3, 6, 300)

    def likely(session):
        choice, reward = (session["choice"] == "R").to_numpy().astype(int), session["reward"].to_numpy()
        follow = np.r_[0.5, np.array([[0.75, 0.25], [0.05, 0.95]])[reward[:-1], choice[:-1]]]
        right = np.stack([follow, np.full(len(choice), 0.85)], axis=1)
        return np.where(choice[:, None] == 1, right, 1 - right)

    chosen, data, said = answered(table, n_intentions=(1, 2, 3))
    row = chosen.table.iloc[chosen.selection.chosen]
    assert (row["n_intentions"], row["dynamics"], row["history"]) == (2, "markov", 1)
    assert "switching within animals" in said["Do animals differ, or switch?"].text
    found = decoding_agreement(chosen.best.decode(data), table["truth"].to_numpy())
    assert found >= 0.9 * oracle(table, likely, 0.97, 2)


@pytest.mark.slow
def test_of_stimuli_three_ways_to_weigh_them_are_found():
    table = psychophysics(np.random.default_rng(2), 2, 5, 250)
    weights = np.array([[4.0, 0.0], [1.0, 2.0], [1.0, -2.0]])

    def likely(session):
        right = expit(session["stimulus"].to_numpy()[:, None] * weights[:, 0] + weights[:, 1])
        return np.where(session["choice"].to_numpy()[:, None] == 1, right, 1 - right)

    chosen, data, said = answered(table, n_intentions=(1, 2, 3, 4))
    row = chosen.table.iloc[chosen.selection.chosen]
    assert (row["n_intentions"], row["dynamics"], row["family"]) == (3, "markov", "glmhmm")
    assert "stimulus" in " ".join(said["What does each do, and when is it left?"].numbers["what it does"])
    found = decoding_agreement(chosen.best.decode(data), table["truth"].to_numpy())
    assert found >= 0.9 * oracle(table, likely, 0.98, 3)


@pytest.mark.slow
def test_in_a_maze_the_clock_is_found_to_go_by_place():
    expert, fresh = (hiql.worlds.simulate_two_goals(200, random_state=seed) for seed in (0, 1))
    chosen = hiql.select(expert.data, proposal=propose(expert.data, n_intentions=(1, 2, 3)), **QUICK)
    row = chosen.table.iloc[chosen.selection.chosen]
    assert (row["n_intentions"], row["dynamics"]) == (2, "by state entered")
    said = answer(chosen.best, expert.data, chosen.selection)
    assert "left most at" in said[1].numbers
    assert decoding_agreement(chosen.best.decode(fresh.data), fresh.data.intentions) >= 0.9


def test_longer_histories_are_named_where_the_longest_flat_one_is_chosen():
    table = pd.DataFrame({"history": [1, 3, 3, "memory 1, 4"], "prior": ["flat", "flat", "pooled", "flat"]})
    assert "--history 5 --prior pooled" in _longer_histories(table, 1)
    assert [_longer_histories(table, n) for n in (0, 2, 3)] == ["", "", ""]
    assert _longer_histories(pd.DataFrame({"history": [None], "prior": ["flat"]}), 0) == ""
