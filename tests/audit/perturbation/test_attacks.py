"""Every attack succeeds on the weak variant that it was made for; the report ranks them."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from privet.audit.perturbation.attack import audit_perturbation, ranked
from privet.errors import DataError, ParameterError
from privet.perturbation import AdditiveNoise, Condensation, Geometric, Projection, Rotation
from privet.perturbation.attacks.errors import normalised_errors, reidentified
from privet.schema import Schema
from reproduction.geometric import as_published

WIDTH = 4
NAMES = [f"x{j}" for j in range(WIDTH)]
SCHEMA = Schema.of(dict.fromkeys(NAMES, (-1.0, 1.0)))


@pytest.fixture(scope="module")
def independent():
    generator = np.random.default_rng(0)
    X = generator.uniform(-1, 1, (1500, WIDTH))
    X[:, 1] = generator.beta(2, 6, 1500) * 2 - 1
    X[:, 2] = generator.choice([-0.8, -0.1, 0.7], 1500) + generator.uniform(-0.1, 0.1, 1500)
    return X


@pytest.fixture(scope="module")
def correlated():
    generator = np.random.default_rng(1)
    together = generator.normal(size=(1500, 1)) * np.array([1.0, -0.8, 0.9, 1.1])
    return np.clip(0.25 * together + 0.02 * generator.normal(size=(1500, WIDTH)), -1, 1)


def audited(X, Y, **more):
    return audit_perturbation(X, Y, schema=SCHEMA, random_state=0, records=1000, columns=NAMES, **more)


def found(report, name):
    return next(attack for attack in report.attacks if attack.name == name)


def test_independent_components_undo_a_rotation_of_independent_columns(independent):
    report = audited(independent, Rotation(schema=SCHEMA, random_state=1).fit_transform(independent))
    attack = found(report, "independent components")
    assert max(attack.errors) < 0.1
    assert attack.reidentified > 0.9
    assert attack.succeeds


def test_independent_components_fail_on_a_rotation_of_normal_columns():
    X = np.clip(np.random.default_rng(0).normal(0, 0.25, (1500, WIDTH)), -1, 1)
    report = audited(X, Rotation(schema=SCHEMA, random_state=1).fit_transform(X))
    assert found(report, "independent components").weakest > 0.5
    assert found(report, "known sample").weakest < 1e-6


def test_known_records_undo_rotation_translation_and_scale_but_not_much_noise(independent):
    exact = Geometric(schema=SCHEMA, noise=0, candidates=1, random_state=1).fit_transform(independent)
    noisy = Geometric(schema=SCHEMA, noise=1.0, candidates=1, random_state=1).fit_transform(independent)
    assert max(found(audited(independent, exact), "known sample").errors) < 1e-6
    assert found(audited(independent, noisy), "known sample").weakest > 0.6


def test_distances_give_known_records_away(independent):
    report = audited(
        independent, Geometric(schema=SCHEMA, noise=0, random_state=1).fit_transform(independent)
    )
    attack = found(report, "distance inference")
    assert max(attack.errors) < 1e-6
    assert "100%" in attack.note
    noisy = Geometric(schema=SCHEMA, noise=0.5, random_state=1).fit_transform(independent)
    assert found(audited(independent, noisy), "distance inference").weakest > 0.9


def test_spectral_filtering_takes_noise_out_of_correlated_columns(correlated, independent):
    noise = AdditiveNoise(schema=SCHEMA, level=0.25, random_state=1)
    report = audited(correlated, noise.fit_transform(correlated), noise=0.25)
    naive, filtered = found(report, "naive estimation"), found(report, "spectral filtering")
    assert max(filtered.errors) < 0.65
    assert np.mean(filtered.errors) < 0.75 * np.mean(naive.errors)
    unaided = audited(correlated, noise.fit_transform(correlated))
    assert np.mean(found(unaided, "spectral filtering").errors) < 0.75 * np.mean(naive.errors)
    apart = audited(independent, noise.fit_transform(independent), noise=0.25)
    gain = np.mean(found(apart, "naive estimation").errors) / np.mean(
        found(apart, "spectral filtering").errors
    )
    assert gain < 1.15  # independent columns tell nothing about each other's noise


def test_naive_estimation_and_linkage_see_through_little_noise(independent):
    report = audited(
        independent, AdditiveNoise(schema=SCHEMA, level=0.02, random_state=1).fit_transform(independent)
    )
    assert found(report, "naive estimation").weakest < 0.05
    assert found(report, "record linkage").reidentified > 0.9
    far = audited(independent, Geometric(schema=SCHEMA, noise=0.5, random_state=3).fit_transform(independent))
    assert found(far, "record linkage").reidentified < 0.05


def test_the_published_formula_falls_to_everything():
    generator = np.random.default_rng(3)
    together = generator.normal(size=(1500, 1))
    ages = np.round(np.clip(40 + 9 * together + 9 * generator.normal(size=(1500, 3)), 17, 90))
    schema = Schema.of(dict.fromkeys(("a", "b", "c"), (0, 100)))
    Y = np.column_stack([as_published.perturb(column) for column in ages.T])
    report = audit_perturbation(ages, Y, schema=schema, random_state=0, records=1500, columns=["a", "b", "c"])
    assert [attack.name for attack in report.attacks if not attack.succeeds] == []
    assert max(found(report, "reversal").errors) < 1e-6
    assert report.resistance < 1e-6
    for column, perturbed in zip(ages.T, Y.T, strict=True):
        back = as_published.invert(perturbed, place=7, value=float(column[7]))
        np.testing.assert_allclose(back, column, atol=1e-6)
    assert not as_published.guarantee(schema, ["a"]).holds


def test_the_report_ranks_variants_by_their_weakness(independent):
    variants = {
        "itself": independent,
        "little noise": AdditiveNoise(schema=SCHEMA, level=0.05, random_state=1).fit_transform(independent),
        "rotation": Rotation(schema=SCHEMA, random_state=1).fit_transform(independent),
        "geometric": Geometric(schema=SCHEMA, noise=0.15, random_state=1).fit_transform(independent),
        "strong geometric": Geometric(schema=SCHEMA, noise=0.6, random_state=1).fit_transform(independent),
    }
    order = ranked({name: audited(independent, Y) for name, Y in variants.items()})
    names = [name for name, _ in order]
    assert set(names[:2]) == {"itself", "rotation"}
    assert names[2:] == ["little noise", "geometric", "strong geometric"]
    assert order[-1][1] > 0.4


def test_every_method_can_be_attacked_and_the_report_has_every_form(independent):
    for method in (Projection(schema=SCHEMA, dimension=2), Condensation(schema=SCHEMA, k=20)):
        report = audited(independent, method.fit_transform(independent))
        assert len(report.attacks) == 7
    steps = []
    Y = Rotation(schema=SCHEMA, random_state=1).fit_transform(independent)
    report = audited(independent, Y, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(place, 7) for place in range(8)]
    text = report.text()
    for attack in report.attacks:
        assert attack.name in text
        assert (
            attack.explanation.count(". ") + attack.explanation.endswith(".") >= 2
            or ";" in attack.explanation
        )
    assert f"'{report.weakest}'" in report.verdict
    assert "in the clear" in report.verdict
    data = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert data["weakest_column"] == report.weakest
    assert set(data["attacks"][0]["errors"]) == set(NAMES)
    assert "<svg" in report.page().html()
    assert "NONE" in text


def test_narrower_releases_say_which_attacks_do_not_apply(independent):
    report = audited(
        independent, Projection(schema=SCHEMA, dimension=2, random_state=1).fit_transform(independent)
    )
    assert not found(report, "naive estimation").applies
    assert found(report, "naive estimation").to_dict(report.columns)["errors"] is None
    assert found(report, "known sample").weakest < 1


def test_tables_files_and_only_the_changed_columns(independent, tmp_path):
    from privet.sources import ArrowSource, write_csv

    before = pa.table(
        {**{name: independent[:, j] for j, name in enumerate(NAMES)}, "ill": ["no", "yes"] * 750}
    )
    schema = Schema.of({**dict.fromkeys(NAMES, (-1.0, 1.0)), "ill": ["no", "yes"]}, target="ill")
    after = Rotation(schema=schema, columns=["x0", "x2"]).fit_transform(before)
    write_csv(ArrowSource(before), tmp_path / "d.csv")
    write_csv(ArrowSource(after), tmp_path / "e.csv")
    for one, other in ((before, after), (tmp_path / "d.csv", str(tmp_path / "e.csv"))):
        report = audit_perturbation(one, other, schema=schema, random_state=0, records=300)
        assert report.columns == ("x0", "x2")
        assert report.resistance < 1e-6


def test_what_cannot_be_attacked_is_refused(independent):
    with pytest.raises(DataError, match="1500 records and the perturbed table 10"):
        audited(independent, independent[:10])
    with pytest.raises(DataError, match="at least 14 records"):
        audited(independent[:12], independent[:12])
    with pytest.raises(ParameterError, match="'town' is not a numeric column"):
        audit_perturbation(independent, independent, schema=SCHEMA, columns=["town"])


def test_constant_columns_are_told_apart(independent):
    X = independent.copy()
    X[:, 1] = (70 - 101) / 99  # not a binary fraction: its deviation is what rounding leaves
    report = audited(X, Geometric(schema=SCHEMA, noise=0.1, random_state=0).fit_transform(X))
    assert report.constant == ("x1",)
    assert report.weakest != "x1"
    assert found(report, "known sample").errors[1] == 1.0


def test_the_measures_themselves():
    X = np.random.default_rng(0).normal(size=(500, 2))
    np.testing.assert_allclose(normalised_errors(X, np.tile(X.mean(axis=0), (500, 1))), 1.0)
    np.testing.assert_allclose(normalised_errors(X, X), 0.0)
    assert reidentified(X, X) == 1.0
    twice = np.vstack([X, X])
    assert reidentified(twice, twice) == 0.5
    assert reidentified(X, np.random.default_rng(1).permutation(X)) < 0.02
