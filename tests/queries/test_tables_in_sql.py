"""Several tables, persons and values that nobody lists, in SQL; paid for by every account or by none."""

from __future__ import annotations

import math
from fractions import Fraction

import pyarrow as pa
import pytest

from privet import Ledger
from privet.budget import budget
from privet.errors import BudgetExceeded, ParameterError, PrivetError
from privet.mechanisms.threshold import Threshold
from privet.queries import query
from privet.queries.sql import from_sql
from privet.randomness import seeded
from privet.schema import Category, Number, Schema, Unit

VISITS = pa.table(
    {
        "patient": [1, 1, 2, 3, 3, 3, None] * 100,
        "ward": ["a", "b", "a", "b", "b", "c", "a"] * 100,
        "cost": [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 5.0] * 100,
    }
)
PEOPLE = pa.table({"patient": ["1", "2", "3"], "age": [30, 60, 90]})
UNIT = Unit(id="patient", most=2)
WARD = Category("ward", ("a", "b"), other="else")
CLINIC = Schema((WARD, Number("cost", 0, 100)), unit=UNIT, dataset="clinic")
REGISTER = Schema((Number("age", 0, 120),), unit=Unit(id="patient"), dataset="register")
SURE = 1e6


def asked(text, ledger=None, **more):
    visits, people = (query(t, s, ledger=ledger) for t, s in ((VISITS, CLINIC), (PEOPLE, REGISTER)))
    return from_sql(text, visits, private={"people": people, "data": visits}, **more)


def told(text, **more):
    return asked(text, **more).release(SURE)


def test_a_join_on_the_person():
    answer = told("SELECT COUNT(*) n, AVG(age) m FROM data JOIN people USING (patient)")
    [(_, (number, mean))] = answer.rows
    assert number.value == 6  # two records of each
    assert mean.value == pytest.approx(60, abs=0.01)


def test_columns_are_those_of_the_table_that_they_are_said_to_be_of():
    joined = "FROM data AS d JOIN people AS p ON d.patient = p.patient"
    assert told(f"SELECT COUNT(*) {joined} WHERE p.age > 40 AND d.cost < 45").value.value == 3


def test_a_record_for_each_person():
    inner = "SELECT patient, COUNT(*) AS n, SUM(cost) AS spent, MAX(cost) AS most FROM data GROUP BY patient"
    [(_, figures)] = told(f"SELECT COUNT(*), AVG(n), AVG(spent), AVG(most) FROM ({inner})").rows
    # The first two records of each: 10 and 20, 30 and 30, 40 and 50.
    assert [round(figure.value) for figure in figures] == [3, 2, 60, 33]


def test_persons_are_counted_and_the_noise_is_for_one():
    counted = asked("SELECT COUNT(DISTINCT patient) AS people FROM data")
    assert counted.release(SURE).value.value == 3
    assert counted.plan(1.0).steps[0].error == 3
    by_ward = asked("SELECT ward, COUNT(DISTINCT patient) FROM data GROUP BY ward")
    assert by_ward.schema.unit.most == 2  # a person may be in two wards


def test_a_union_of_tables():
    both = "SELECT * FROM data UNION ALL SELECT * FROM data WHERE cost > 15"
    assert told(f"SELECT COUNT(*) FROM ({both})").value.value == 6 + 5
    assert asked(f"SELECT COUNT(*) FROM ({both})").schema.unit.most == 4


def test_joined_keys_keep_so_many():
    inner = "SELECT patient, ward, COUNT(*) AS n FROM data GROUP BY patient, ward"
    text = f"SELECT COUNT(*) FROM data JOIN ({inner}) AS w USING (ward)"
    assert asked(text, most={"data": 3, "w": 2}).schema.unit.most == 2 * (2 * 2 + 2 * 3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELECT COUNT(*) FROM data LEFT JOIN people USING (patient)", "pairs"),
        ("SELECT COUNT(*) FROM data JOIN nobody USING (patient)", "nobody"),
        ("SELECT COUNT(*) FROM data JOIN people", "key"),
        ("SELECT COUNT(*) FROM data CROSS JOIN people", "key"),
        ("SELECT COUNT(*) FROM (SELECT * FROM data UNION SELECT * FROM data)", "UNION ALL"),
        ("SELECT COUNT(*) FROM (SELECT * FROM data EXCEPT SELECT * FROM data)", "EXCEPT"),
        ("SELECT COUNT(*) FROM (SELECT ward FROM data)", "SELECT *"),
        ("SELECT COUNT(*) FROM (SELECT * FROM data LIMIT 5)", "LIMIT"),
        ("SELECT COUNT(*) FROM (SELECT * FROM data ORDER BY cost)", "ORDER"),
        ("SELECT COUNT(*) FROM (SELECT ward, COUNT(*) AS n FROM data GROUP BY ward)", "patient"),
        ("SELECT COUNT(*) FROM (SELECT patient, MEDIAN(cost) AS m FROM data GROUP BY patient)", "MEDIAN"),
        ("SELECT COUNT(*) FROM (SELECT patient, COUNT(*) FROM data GROUP BY patient)", "name"),
        ("SELECT COUNT(*) FROM (SELECT patient, SUM(ward) AS s FROM data GROUP BY patient)", "category"),
        ("SELECT patient, COUNT(*) FROM data GROUP BY patient", "patient"),
        ("SELECT COUNT(DISTINCT patient), COUNT(*) FROM data", "by itself"),
        ("SELECT COUNT(*) FROM data TABLESAMPLE (10 PERCENT)", "TABLESAMPLE"),
        ("SELECT ward, COUNT(*) FROM data GROUP BY CUBE (ward)", "CUBE"),
        ("SELECT cost, COUNT(*) FROM data GROUP BY FREQUENT(cost)", "cost"),
        ("SELECT COUNT(*) FROM data d JOIN people p USING (patient) WHERE p.cost > 5", "p.cost"),
        ("SELECT COUNT(*) FROM data d JOIN people p ON p.patient = p.patient", "USING"),
        ("SELECT COUNT(*) FROM data JOIN people ON patient = patient", "USING"),
        ("SELECT COUNT(*) FROM poeple", "FROM can name: data, people"),
    ],
)
def test_what_is_not_understood_is_refused_with_the_words_at_fault(text, words):
    with pytest.raises(PrivetError) as refused:
        told(text)
    assert words in str(refused.value)


def test_both_accounts_pay_or_none_does():
    ledger = Ledger.in_memory()
    ledger.open_account("clinic", budget(1.0), unit=UNIT)
    ledger.open_account("register", budget(0.4), unit=REGISTER.unit)
    text = "SELECT COUNT(*) FROM data JOIN people USING (patient)"
    with pytest.raises(BudgetExceeded):
        asked(text, ledger).release(0.5)
    assert ledger.spent("clinic") is None
    assert ledger.spent("register") is None
    answer = asked(text, ledger).release(0.3)
    assert [float(ledger.spent(name).epsilon) for name in ("clinic", "register")] == [0.3, 0.3]
    assert answer.guarantee.epsilon == 0.3
    assert any("at once" in what for what, _ in answer.guarantee.public)
    ledger.verify()


def test_tables_of_one_account_are_charged_once():
    ledger = Ledger.in_memory()
    ledger.open_account("clinic", budget(1.0), unit=UNIT)
    asked("SELECT COUNT(*) FROM (SELECT * FROM data UNION ALL SELECT * FROM data)", ledger).release(0.3)
    assert float(ledger.spent("clinic").epsilon) == 0.3


def test_frequent_values_are_found_and_rare_ones_stay_unnamed():
    table = pa.table({"ill": ["flu"] * 300 + ["cold"] * 200 + ["a rare one"] + ["none"] * 50})
    schema = Schema((Category("ill", ("none",), other="else"),), dataset="ward")
    ledger = Ledger.in_memory()
    # An account that adds up ε and δ: one that allows for Gaussian noise refuses other uses of its δ.
    ledger.open_account("ward", budget(5.0, 1e-5), unit=schema.unit, accountant="basic")
    text = "SELECT ill, COUNT(*) AS n FROM data GROUP BY FREQUENT(ill) ORDER BY n DESC"
    question = from_sql(text, query(table, schema, ledger=ledger))
    answer = question.release(2.0, 1e-6)
    assert sorted(str(keys[0]) for keys, _ in answer.rows) == ["cold", "else", "flu", "none"]
    assert answer["flu"].value == pytest.approx(300, abs=30)
    spent = ledger.spent("ward")
    assert (float(spent.epsilon), float(spent.delta)) == (2.0, 1e-6)
    with pytest.raises(ParameterError, match="delta"):
        question.release(1.0)
    steps = question.plan(1.0, 1e-6).steps
    assert [float(step.amount.epsilon) for step in steps] == [0.5, 0.5]


def test_the_threshold_keeps_delta_and_a_lower_one_does_not():
    epsilon, delta = Fraction(1), Fraction(1, 100)
    for sensitivity in (1, 3):
        threshold = Threshold(epsilon, delta, sensitivity)
        scale = sensitivity / float(epsilon)

        def beyond(least, scale=scale, sensitivity=sensitivity):
            """e^ε·c·P(X ≥ τ), by the distribution's own formula."""
            r = math.exp(-1 / scale)
            return math.exp(float(epsilon)) * sensitivity * r**least / (1 + r)

        assert beyond(threshold.least) <= delta < beyond(threshold.least - 3)
        named = sum(bool(threshold.named({"mine": sensitivity}, seeded(n))) for n in range(2000))
        assert named <= 2000 * float(delta) + 4 * math.sqrt(2000 * float(delta))


def test_a_question_cannot_spend_a_delta_that_the_run_does_not_have():
    from privet.curator import Curator, FindValues
    from privet.stats.views import View

    schema = Schema((Category("ill", ("none",), other="else"),))
    table = pa.table({"ill": ["flu"] * 10})
    for amount, searches in ((budget(1.0, 1e-6), False), (budget(1.0, 1e-6), True), (budget(1.0), True)):
        with (
            Curator(table, schema, amount, searches=searches) as curator,
            pytest.raises(ParameterError, match="δ"),
        ):
            curator.ask(FindValues(View(), "ill", Fraction(1, 10**5)), Fraction(1))


def test_the_found_values_are_those_of_the_view():
    table = pa.table({"ill": ["flu"] * 300 + ["cold"] * 300, "age": [20] * 300 + [70] * 300})
    schema = Schema((Category("ill", ("none",), other="else"), Number("age", 0, 100)))
    text = "SELECT ill, COUNT(*), AVG(age) FROM data WHERE age > 50 GROUP BY FREQUENT(ill)"
    answer = from_sql(text, query(table, schema)).release(SURE, 1e-6)
    assert answer["cold"]["mean_age"].value == pytest.approx(70, abs=0.1)
    assert "flu" not in [keys[0] for keys, _ in answer.rows]
