"""Pooled models as a user meets them: animals, places, histories, kinds of sessions, by name."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import hiql
from hiql.dynamics import ByState
from hiql.errors import InvalidParameter
from hiql.evaluate import decoding_agreement

QUICK = {"n_init": 2, "patience": 4, "progress": False}


def animals_that_differ(n_animals=6, n_sessions=8, n_steps=60, seed=0, spread=0.5):
    """Two intentions of all animals, each animal a little different, switching at its own rate."""
    rng = np.random.default_rng(seed)
    base = np.array([[2.0, -1.5, 1.0], [-2.0, 1.5, -1.0]])  # log-odds of action 1
    states, actions, subjects = [], [], []
    for animal in range(n_animals):
        odds = base + spread * rng.normal(size=base.shape)
        for _ in range(n_sessions):
            z, s = rng.integers(2), rng.integers(3, size=n_steps)
            path = [z := (1 - z if rng.random() < 0.05 else z) for _ in range(n_steps)]
            states.append(s)
            actions.append((rng.random(n_steps) < 1 / (1 + np.exp(-odds[path, s]))).astype(int))
            subjects.append(f"m{animal}")
    return hiql.Trajectories.from_arrays(states, actions, subjects=subjects, n_states=3, n_actions=2)


@pytest.fixture(scope="module")
def data():
    return animals_that_differ()


@pytest.fixture(scope="module")
def herd(data):
    return hiql.HIQL(2, pool="subjects", **QUICK).fit(data)


def test_animals_have_policies_and_chains_of_their_own(herd, data):
    every = np.array([herd.policy_of(name) for name in herd.coding_.subjects])
    assert every.shape == (6, 2, 3, 2)
    assert np.ptp(every, axis=0).max() > 0.05
    assert herd.transition_of("m0").shape == (2, 2)
    np.testing.assert_allclose(every.sum(axis=-1), 1.0)
    np.testing.assert_allclose(np.abs(every.mean(axis=0) - herd.policy_).max(), 0.0, atol=0.1)
    assert herd.reward_.shape == (2, 3, 2)


def test_an_animal_never_met_is_the_population(herd, data):
    np.testing.assert_array_equal(herd.policy_of("stranger"), herd.policy_)
    np.testing.assert_array_equal(herd.transition_of("stranger"), herd.transition_)
    renamed = hiql.Trajectories.from_arrays(
        [data.states[data.session(0)]], [data.actions[data.session(0)]], subjects=["x"], n_states=3, n_actions=2
    )
    proba = herd.predict_action_proba(renamed)
    assert np.isfinite(herd.score(renamed))
    np.testing.assert_allclose(proba[0], herd.initial_ @ herd.policy_[:, renamed.states[0]])


def test_pooled_animals_are_predicted_better_than_alone_and_than_all_alike():
    data = animals_that_differ(seed=1, spread=0.8)
    train, test = (data.select(np.flatnonzero(np.arange(data.n_sessions) % 2 == i)) for i in (0, 1))
    pooled, common = (hiql.HIQL(2, pool=pool, **QUICK).fit(train).score(test) for pool in ("subjects", None))
    alone = 0.0
    for name in dict.fromkeys(data.subjects):
        mine = [each.select(np.flatnonzero(np.array(each.subjects) == name)) for each in (train, test)]
        alone += hiql.HIQL(2, **QUICK).fit(mine[0]).score(mine[1])
    assert pooled > max(common, alone)


def test_a_new_animal_is_adapted_to_and_the_population_stays(herd):
    other = animals_that_differ(n_animals=1, n_sessions=30, seed=9, spread=1.2)
    stranger = hiql.Trajectories.from_arrays(
        [other.states[other.session(i)] for i in range(30)],
        [other.actions[other.session(i)] for i in range(30)],
        subjects=["new"] * 30,
        session_days=np.arange(30.0),
        n_states=3,
        n_actions=2,
    )
    seen, later = stranger.select(range(20)), stranger.select(range(20, 30))
    adapted = herd.adapt(seen)
    assert adapted.score(later) > herd.score(later) + 3.0
    np.testing.assert_allclose(adapted.policy_, herd.policy_, atol=1e-9)
    np.testing.assert_allclose(adapted.transition_, herd.transition_, atol=1e-9)
    assert adapted.coding_.subjects == ("new",)
    assert adapted.coding_.days == (tuple(range(20)),)
    assert herd.coding_.subjects[0] == "m0"


def test_pooled_models_come_back_from_their_files(herd, data, tmp_path):
    for model in (herd, hiql.HIQL(2, dynamics=ByState(context="state entered"), prior="pooled", **QUICK).fit(data)):
        model.save(tmp_path / "model.hiql")
        again = hiql.load(tmp_path / "model.hiql")
        assert again.score(data) == model.score(data)
        context = "m0" if model is herd else 1
        np.testing.assert_array_equal(again.transition_at(context), model.transition_at(context))


def test_intentions_keep_their_animals_when_they_are_renamed(herd, data):
    turned = herd.permuted([1, 0])
    np.testing.assert_array_equal(turned.policy_of("m2"), herd.policy_of("m2")[::-1])
    assert turned.score(data) == pytest.approx(herd.score(data), rel=1e-12)


@pytest.mark.parametrize("n_animals", [1, 2])
def test_one_animal_and_identical_animals(n_animals):
    one = animals_that_differ(1, 4)
    same = [one] * n_animals
    data = hiql.Trajectories.from_arrays(
        [each.states[each.session(i)] for each in same for i in range(4)],
        [each.actions[each.session(i)] for each in same for i in range(4)],
        subjects=[f"m{i}" for i in range(n_animals) for _ in range(4)],
        n_states=3,
        n_actions=2,
    )
    model = hiql.HIQL(2, pool="subjects", prior="pooled", **QUICK).fit(data)
    assert np.isfinite(model.log_likelihood_)
    assert np.isfinite(model.policy_strength_).all()
    if n_animals == 2:
        np.testing.assert_allclose(model.policy_of("m0"), model.policy_of("m1"), atol=1e-9)


def test_switching_by_place_is_found_where_animals_switch_at_places():
    simulation = hiql.worlds.simulate_two_goals(300, random_state=0)
    clocks = {"markov": "markov", "by-state": ByState(context="state entered")}
    fits = {
        name: hiql.HIAVI(2, mdp=simulation.world, dynamics=clock, **QUICK).fit(simulation.data)
        for name, clock in clocks.items()
    }
    accuracy = {name: (fit.decode(simulation.data) == simulation.data.intentions).mean() for name, fit in fits.items()}
    right = {name: max(share, 1 - share) for name, share in accuracy.items()}
    assert right["by-state"] > right["markov"] + 0.03
    by_place = fits["by-state"]
    leaving = 1 - np.array([np.diag(by_place.transition_at(s)) for s in range(25)])
    goal = int(np.argmax(by_place.initial_))
    barriers = list(simulation.barriers)
    assert leaving[barriers, goal].mean() > 4 * np.delete(leaving[:, goal], barriers).mean()
    np.testing.assert_allclose(by_place.transition_.sum(axis=1), 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(("on_leaving", "clock"), [(False, "state entered"), (True, "state left")])
def test_the_clock_that_predicts_best_is_the_true_one_and_decodes_best(on_leaving, clock):
    """``benchmarks/places.py`` measures it for more experts."""
    accuracy, held_out = [], []
    for seed in range(3):
        expert = hiql.worlds.simulate_two_goals(
            2048, 3.0, random_state=seed, give_up=0.0, switch_at_barrier=0.5, on_leaving=on_leaving
        )
        train, test = (expert.data.select(range(n, n + 1024)) for n in (0, 1024))
        clocks = "markov", ByState(context="state left"), ByState(context="state entered")
        fits = [hiql.HIAVI(2, mdp=expert.world, dynamics=each, progress=False).fit(train) for each in clocks]
        accuracy.append([decoding_agreement(fit.decode(train), train.intentions) for fit in fits])
        held_out.append([fit.score(test, per="step") for fit in fits])
    means = dict(zip(("markov", "state left", "state entered"), np.mean(accuracy, axis=0), strict=True))
    print({name: round(float(mean), 3) for name, mean in means.items()}, np.mean(held_out, axis=0).round(4))
    assert list(means)[np.mean(held_out, axis=0).argmax()] == clock
    assert means[clock] >= max(means.values())
    assert means[clock] >= means["markov"] + 0.05


def test_contexts_are_matched_by_their_names():
    rng = np.random.default_rng(0)
    labels = [np.where(np.arange(80) % 20 < 10, "dark", "light") for _ in range(20)]
    data = hiql.Trajectories.from_arrays(
        None, [rng.integers(2, size=80) for _ in range(20)], contexts={"light": labels}
    )
    model = hiql.HIQL(2, dynamics=ByState(context="light"), **QUICK).fit(data)
    swapped = hiql.Trajectories.from_arrays(
        None, [data.actions[data.session(0)]], n_actions=2, contexts={"light": [labels[0][::-1][::-1]]}
    )
    assert model.score(swapped) == pytest.approx(model.score(data.select([0])))
    assert model.transition_at("dark").shape == (2, 2)
    with pytest.raises(InvalidParameter, match="dark"):
        model.transition_at("dusk")
    with pytest.raises(hiql.errors.BadColumns, match="sound"):
        hiql.HIQL(2, dynamics=ByState(context="sound"), **QUICK).fit(data)


def test_sessions_of_two_kinds_are_told_apart():
    rng = np.random.default_rng(0)
    kinds = rng.integers(2, size=40)
    states = [rng.integers(3, size=15) for _ in kinds]
    actions = [(rng.random(15) < np.where(kind == 0, 0.75, 0.25)).astype(int) for kind in kinds]
    data = hiql.Trajectories.from_arrays(states, actions, n_states=3, n_actions=2)
    model = hiql.HIQL(2, dynamics="session-wise", **QUICK).fit(data)
    np.testing.assert_array_equal(model.transition_, np.eye(2))
    posterior = model.smooth_proba(data)
    first = posterior[data.offsets[:-1]]
    np.testing.assert_allclose(posterior, np.repeat(first, 15, axis=0), atol=1e-9)
    found = first.argmax(axis=1)
    assert max((found == kinds).mean(), (found != kinds).mean()) > 0.9


def test_long_histories_fall_to_shorter_ones():
    rng, n = np.random.default_rng(0), 1500
    choice = np.empty(n, dtype=int)
    reward = (rng.random(n) < 0.5).astype(int)
    choice[0] = 0
    for t in range(1, n):
        stay = 0.9 if reward[t - 1] else 0.2
        choice[t] = choice[t - 1] if rng.random() < stay else 1 - choice[t - 1]
    table = pd.DataFrame({"session": np.arange(n) // 150, "choice": choice, "reward": reward})
    data = hiql.bandit_trials(table, history=4, subject=None)
    train, test = data.select(range(7)), data.select(range(7, 10))
    fits = [hiql.HIQL(1, prior=prior, progress=False).fit(train) for prior in ("flat", "pooled")]
    scores = [fit.score(test, per="step") for fit in fits]
    truth = 0.5 * sum(p * np.log(p) + (1 - p) * np.log(1 - p) for p in (0.9, 0.2))
    assert scores[1] > scores[0] + 0.05
    assert scores[1] == pytest.approx(truth, abs=0.06)
    assert fits[1].policy_strength_[0, 0] < 20 < fits[1].policy_strength_[0, 1]


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"prior": "hierarchical"}, "prior"),
        ({"pool": "animals"}, "pool"),
        ({"prior": "pooled", "method": "stochastic"}, "method"),
        ({"pool": "subjects", "pseudo_count": 0.0}, "pseudo_count"),
        ({"dynamics": ByState(pseudo_count=0.0)}, "pseudo_count"),
        ({"dynamics": ByState(context=3)}, "context"),
    ],
)
def test_what_cannot_be_pooled_is_told(data, options, match):
    with pytest.raises(InvalidParameter, match=match):
        hiql.HIQL(2, **QUICK, **options).fit(data)


def test_only_animals_that_are_pooled_can_be_adapted_to(data):
    model = hiql.HIQL(2, **QUICK).fit(data)
    with pytest.raises(InvalidParameter, match="subjects"):
        model.adapt(data)
    with pytest.raises(InvalidParameter, match="by-state"):
        model.transition_at(0)
    np.testing.assert_array_equal(model.policy_of("m0"), model.policy_)


def test_animals_that_do_not_differ_are_said_to_be_alike():
    model = hiql.HIQL(1, pool="subjects", **QUICK).fit(animals_that_differ(8, 40, spread=0.0))
    assert model.policy_strength_[0, 0] > 100
    same = np.full((1, 2), 1e4)
    assert "intention 1, 2, no difference is seen" in hiql.priors.told_bounds("animals", same)[0]
    assert "nothing in common" in hiql.priors.told_bounds("animals", np.array([[5.0, 0.1]]))[0]
    assert hiql.priors.told_bounds("animals", np.array([[5.0, 7.0]])) == ()
