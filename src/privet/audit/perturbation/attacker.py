"""The attacker of the report: what is known, how the release is read, and the seven attacks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privet.audit.perturbation.report import AttackResult
from privet.perturbation.attacks import (
    distances,
    independent_components,
    known_sample,
    linkage,
    naive,
    reversal,
    spectral,
)
from privet.perturbation.attacks.errors import normalised_errors, reidentified
from privet.perturbation.tables import Matrix

__all__ = ["ATTACKS", "Attacker"]

# Known records whose images are searched for by their distances.
MOST_MATCHED = 30


class Attacker:
    """What the attacks share: the truth to score against, the readings of the release, the known records.

    An attacker tries the release as it is (``seen``), as if it were still in the units of the original
    columns (``in_units``), brought to the mean and spread that each column is known to have (``usual``), and,
    where the values bear it out, as the work of the published formula (``unreversed``).
    """

    def __init__(
        self,
        truth: Matrix,
        seen: Matrix,
        known: int,
        noise: float | None,
        generator: np.random.Generator,
    ) -> None:
        self.truth = truth
        self.seen = seen
        self.noise = noise
        self.generator = generator
        self.known = generator.permutation(len(truth))[:known]
        self.baseline = 1.0 / len(truth)
        self.in_units: Matrix | None = None
        self.unreversed: Matrix | None = None
        self.reversed: Matrix | None = None

    @property
    def same_width(self) -> bool:
        return self.in_units is not None

    @property
    def usual(self) -> Matrix | None:
        return naive.naive_estimate(self.truth, self.seen) if self.same_width else None

    @property
    def readings(self) -> list[Matrix]:
        """All readings that there are; from the second on, they are in the original's coordinates."""
        found = (self.seen, self.in_units, self.usual, self.unreversed)
        return [reading for reading in found if reading is not None]

    @property
    def distinct(self) -> list[Matrix]:
        """Those that are not the same up to moving and scaling each column."""
        return [reading for reading in (self.seen, self.unreversed) if reading is not None]

    def scored(
        self,
        name: str,
        explanation: str,
        estimates: Sequence[Matrix],
        *,
        without_known: bool = False,
        note: str = "",
    ) -> AttackResult:
        """The best of several estimates, scored on the records that the attacker did not know before."""
        left = np.setdiff1d(np.arange(len(self.truth)), self.known if without_known else [])
        truth = self.truth[left]
        wrong, best = min(
            ((normalised_errors(truth, estimate[left]), estimate[left]) for estimate in estimates),
            key=lambda pair: float(np.minimum(pair[0], 1).mean()),
        )
        return AttackResult(
            name, explanation, tuple(wrong.tolist()), reidentified(truth, best), 1 / len(left), note
        )

    def impossible(self, name: str, explanation: str) -> AttackResult:
        note = "Does not apply: the release has another number of columns."
        return AttackResult(name, explanation, (), 0.0, self.baseline, note)


def _naive(attacker: Attacker) -> AttackResult:
    name = "naive estimation"
    if not attacker.same_width:
        return attacker.impossible(name, naive.EXPLANATION)
    estimates = [naive.naive_estimate(attacker.truth, reading) for reading in attacker.distinct]
    return attacker.scored(name, naive.EXPLANATION, estimates)


def _known_sample(attacker: Attacker) -> AttackResult:
    pairs = (attacker.known, attacker.known)
    estimates = [known_sample.known_sample(attacker.truth, each, pairs) for each in attacker.distinct]
    note = f"Here {len(attacker.known)} records were known."
    return attacker.scored("known sample", known_sample.EXPLANATION, estimates, without_known=True, note=note)


def _components(attacker: Attacker) -> AttackResult:
    estimates = [
        independent_components.independent_components(attacker.truth, reading, attacker.generator)
        for reading in attacker.distinct
    ]
    return attacker.scored("independent components", independent_components.EXPLANATION, estimates)


def _distances(attacker: Attacker) -> AttackResult:
    # More would pin the map down better in wide tables, but the search grows with the square of their number.
    known = attacker.known[: max(6, min(len(attacker.known), attacker.truth.shape[1] + 6, MOST_MATCHED))]
    found = [
        distances.distance_inference(attacker.truth, reading, known, anchored=place > 0)
        for place, reading in enumerate(attacker.readings)
    ]
    share = max(right for _, right in found)
    note = f"Of {len(known)} known records, the images of {share:.0%} were found."
    estimates = [estimate for estimate, _ in found]
    return attacker.scored(
        "distance inference", distances.EXPLANATION, estimates, without_known=True, note=note
    )


def _spectral(attacker: Attacker) -> AttackResult:
    name = "spectral filtering"
    if not attacker.same_width:
        return attacker.impossible(name, spectral.EXPLANATION)
    if attacker.noise is not None:
        estimates = [spectral.spectral_filter(each, attacker.noise) for each in attacker.readings]
        return attacker.scored(name, spectral.EXPLANATION, estimates)
    estimates, note = [spectral.spectral_filter(reading) for reading in attacker.readings], ""
    if attacker.truth.shape[1] == 1:
        # The least spread of any direction is here that of the values: taken for noise, nothing would stay.
        estimates = []
        note = "In a single column no direction is free of values: the noise is taken from the usual spread."
    for reading in (attacker.in_units, attacker.unreversed):
        if reading is not None:
            hidden = spectral.excess_noise(attacker.truth, reading)
            estimates.append(spectral.spectral_filter(reading, hidden))
    return attacker.scored(name, spectral.EXPLANATION, estimates, note=note)


def _linkage(attacker: Attacker) -> AttackResult:
    if not attacker.same_width:
        return attacker.impossible("record linkage", linkage.EXPLANATION)
    tried = []
    for reading in attacker.distinct:
        estimate, share = linkage.linked(attacker.truth, reading)
        tried.append((share, normalised_errors(attacker.truth, estimate)))
    share, errors = max(tried, key=lambda each: (each[0], -float(each[1].mean())))
    return AttackResult(
        "record linkage", linkage.EXPLANATION, tuple(errors.tolist()), share, attacker.baseline
    )


def _reversal(attacker: Attacker) -> AttackResult:
    name = "reversal"
    if not attacker.same_width:
        return attacker.impossible(name, reversal.EXPLANATION)
    guess = np.repeat(attacker.truth.mean(axis=0)[None, :], len(attacker.truth), axis=0)
    estimate = guess if attacker.reversed is None else attacker.reversed
    note = "" if attacker.reversed is not None else "No column looks as if it had been made so."
    return attacker.scored(name, reversal.EXPLANATION, [estimate], without_known=True, note=note)


ATTACKS = (_naive, _known_sample, _components, _distances, _spectral, _linkage, _reversal)
