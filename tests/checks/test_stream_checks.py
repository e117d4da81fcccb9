"""Each check of the streams rejects a stream that breaks its promise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from privet.checks import stream
from privet.errors import DataError
from privet.learning.streams.naive_bayes import StreamingNaiveBayes
from privet.model import learned_part
from privet.schema import Unit


class Works(StreamingNaiveBayes):
    """Unbroken: an unregistered plug-in passes."""


class NeverValidates(StreamingNaiveBayes):
    def _declared(self):
        return self.schema


class ClaimsAnotherUnit(StreamingNaiveBayes):
    def _started(self, schema, live, guarantee):
        super()._started(schema, live, replace(guarantee, unit=Unit()))


class HidesSeed(StreamingNaiveBayes):
    def _started(self, schema, live, guarantee):
        from privet.budget import budget

        super()._started(schema, live, replace(guarantee, amount=budget(self.epsilon), voided=()))


class NeverPays(StreamingNaiveBayes):
    def _planned(self, schema, ledger):
        return super()._planned(schema, None)


class CopiesGoOn(StreamingNaiveBayes):
    def __getstate__(self):
        return vars(self)

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __copy__(self):
        other = type(self)(**self.get_params())
        vars(other).update(vars(self))
        return other


class Nobody(StreamingNaiveBayes):
    """Planted: NaN is a person, and another one each time."""

    def learn_one(self, x, y=None):
        who = x.get("who")
        super().learn_one({**x, "who": str(id(object())) if who is None or who != who else who}, y)


class Quotes(StreamingNaiveBayes):
    def learn_one(self, x, y=None):
        try:
            super().learn_one(x, y)
        except DataError:
            raise DataError(f"{dict(x)}") from None


class TellsAll(StreamingNaiveBayes):
    """Planted: the record itself is released beside the noisy tables."""

    def _cells(self, record, label):
        self.seen_ = np.array([label is not None], dtype=int)
        return super()._cells(record, label)


@pytest.mark.parametrize(
    ("broken", "check"),
    [
        (NeverValidates, stream.check_bad_values_are_refused),
        (NeverValidates, stream.check_schema_is_needed),
        (NeverValidates, stream.check_counted_steps_need_exchange),
        (ClaimsAnotherUnit, stream.check_guarantee),
        (HidesSeed, stream.check_seed_voids),
        (NeverPays, stream.check_stream_pays_once),
        (NeverPays, stream.check_checkpoint_is_taken_up_once),
        (CopiesGoOn, stream.check_copies_learn_no_more),
        (Nobody, stream.check_nobody_does_not_count),
        (Quotes, stream.check_errors_hold_no_data),
        (TellsAll, stream.check_claim_is_not_refuted),
    ],
    ids=lambda each: each.__name__,
)
def test_a_broken_stream_is_rejected(broken, check):
    with pytest.raises(AssertionError):
        check(broken)


@pytest.mark.parametrize("check", stream.CHECKS, ids=lambda check: check.__name__)
def test_a_plug_in_passes(check):
    check(Works)


def test_what_was_learned_is_all_that_leaves():
    model = StreamingNaiveBayes(schema=stream.public(StreamingNaiveBayes))
    model._begin()
    assert set(learned_part(model)) == {"classes_", "cuts_", "class_log_prior_", "tables_"}
