"""Side doors to exact answers that were once open, each shown shut.

Each test is a learner (or a piece of one) that tries to see more than it was sold. A new way that somebody
finds goes here, together with what shuts it.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib
import inspect
import os
import pickle
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import privet
from privet import NaiveBayes
from privet.budget import Ledger, Pure, budget, exact
from privet.curator import Choose, ClassSizes, Curator, Gradual, Measure, Question, TopK
from privet.curator.run import Run
from privet.engines.held import HeldEngine
from privet.engines.memory import MemoryEngine
from privet.errors import ParameterError, SchemaError
from privet.model import save_model
from privet.schema import Schema, Unit, write_schema
from privet.selection import SelectKBest
from privet.service import AskQuery, Describe, Evaluate, Fit, Select, Session
from privet.sources import ArraySource
from privet.stats import Contingency, Coverage, Cross, FirstThatHolds, MajorityCorrect, Scores, proved
from privet.stats.association import Association, Attributes, Majority
from privet.stats.choices.refinements import Refinements
from privet.stats.linear.encoding import Encoding
from privet.stats.linear.products import Products
from privet.stats.slices import Sliced, Slices

PACKAGE = Path(privet.__file__).parent
ALGORITHMS = ("learning", "selection", "perturbation", "evaluation")
SCHEMA = Schema.of({"cough": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
TABLE = pa.table({"cough": ["no", "yes"] * 20, "ill": ["no", "no", "yes", "yes"] * 10})
COUNTS = Contingency("cough", "ill")
seen: list[Any] = []


def attempt(question, share=Fraction(1)):
    """Ask in an open run; nothing may have been seen, and nothing been spent, if it is refused."""
    seen.clear()
    with Curator(TABLE, SCHEMA, budget(1.0)) as curator:
        with pytest.raises(ParameterError) as refusal:
            curator.ask(question, share)
        assert curator.left == 1
    assert not seen
    return str(refusal.value)


# (a) A function among the parts of a question


def overhear(answers):
    seen.append(answers)
    return answers


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))],
    ids=["copy", "deepcopy", "pickle"],
)
@pytest.mark.parametrize(
    "held", [lambda curator: curator, lambda curator: curator._run], ids=["curator", "run"]
)
def test_a_copy_asks_nothing(copied, held):
    """Before: a learner that copied its curator asked in each copy with all of the budget, paid for once."""
    with Curator(TABLE, SCHEMA, budget(1.0)) as curator:
        with pytest.raises(ParameterError, match="copied"):
            copied(held(curator))
        assert curator.left == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_a_forked_process_asks_nothing():
    """Before: a process that a learner forked had all of the budget once more."""
    with Curator(TABLE, SCHEMA, budget(1.0)) as curator:
        child = os.fork()
        if child == 0:
            try:
                curator.ask(Measure(COUNTS, "again"), Fraction(1))
            except ParameterError:
                os._exit(7)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        curator.ask(Measure(COUNTS, "once"), Fraction(1))


def test_threads_that_ask_at_once_pay_each(monkeypatch):
    """Before: threads that had all seen what was left spent it once each."""
    met = threading.Barrier(2)

    def wait_for_the_other(question):
        with contextlib.suppress(threading.BrokenBarrierError):
            met.wait(1)
        return Fraction(0)

    monkeypatch.setattr(Measure, "delta", property(wait_for_the_other))
    with Curator(TABLE, SCHEMA, budget(1.0)) as curator, ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(curator.ask, Measure(COUNTS, "all of it"), Fraction(1)) for _ in range(2)]
        assert {type(each.exception()) for each in asked} == {type(None), ParameterError}
        assert curator.left == 0


class Changing(list):
    """Questions that cost hardly anything when they are paid for, and all there is when noise is drawn."""

    times = 0

    def __iter__(self):
        self.times += 1
        return iter([(Measure(COUNTS, "counts"), Fraction(10**6 if self.times > 4 else 1, 10**6))])


class Nothing(Fraction):
    """A share that adds up to nothing, and is a million times the budget."""

    def __add__(self, other):
        return Fraction(0)

    def __mul__(self, other):
        return Fraction(10**6)

    __radd__, __rmul__ = __add__, __mul__


class One(int):
    """A number of candidates that does not count where the noise of their values is drawn."""

    def __mul__(self, other):
        return other

    __rmul__ = __mul__


def test_what_is_asked_is_the_same_from_its_price_to_its_noise():
    """Before: the price was of one thing, the noise for another: exact counts, and all of ε = 1 was left."""
    with Curator(TABLE, SCHEMA, budget(1.0)) as curator:
        [release] = curator.ask_together(Changing([None]))
        assert curator.left == 1 - Fraction(1, 10**6)
        assert release.standard_deviation > 10**6
    assert "is a fraction" in attempt(Measure(COUNTS, "counts"), Nothing(1))
    assert "a One" in attempt(TopK(Majority(), Attributes((COUNTS, COUNTS)), One(2), "the best"))
    gradual = Gradual(((Measure(COUNTS, "counts"), Nothing(1)),))
    assert "a Nothing" in attempt(gradual)


@pytest.mark.parametrize("name", ["schema", "amount", "currency"])
def test_nobody_gives_a_curator_another_budget(name):
    """Before: noise was drawn for the currency and the schema that a learner had put there."""
    with Curator(TABLE, SCHEMA, budget(1.0)) as curator, pytest.raises(AttributeError):
        setattr(curator, name, Pure(exact(10**6)))


@pytest.mark.parametrize("name", ["release", "mechanism", "free"])
def test_a_question_holds_nothing_but_its_fields(name):
    """Before: a function in the place of a method saw exact answers, and what was said to be free was."""
    question = Measure(COUNTS, "counts")
    vars(question)[name] = True if name == "free" else overhear
    assert "beside its fields" in attempt(question)


@pytest.mark.parametrize("name", ["fold", "finish", "norms", "nonnegative"])
def test_nor_does_a_statistic(name):
    statistic = Contingency("cough", "ill")
    vars(statistic)[name] = overhear
    assert "beside its fields" in attempt(Measure(statistic, "counts"))
    assert "beside its fields" in attempt(Choose(MajorityCorrect((statistic,)), "a choice"))


@pytest.mark.parametrize("odd", [np.inf, -np.inf, np.nan, -0.0])
def test_a_record_stays_in_its_slice_however_the_table_is_read(odd):
    """Before: an infinite number counted as its bound where rows were read in columns, and as itself where
    they were held or read row by row. Its record was in two slices, each of which could be asked for all of
    the budget: ε = 2 at a claim of 1.
    """
    columns = ("x", "z")
    plain = Schema.of({"x": (0.0, 1.0), "z": (0.0, 1.0), "ill": [0, 1]}, target="ill")
    schema = replace(plain, outside="count")
    source = ArraySource(np.array([[odd, 0.5]]), np.array([0.0]), columns, "ill")
    by_rows = Products(Encoding.of(schema))

    def found_in(engine, *beside):
        counts = [Sliced(Contingency(None, "ill"), Slices(columns, 64, k, k + 1)) for k in range(64)]
        return [int(engine.answer([each, *beside], source, schema)[0].sum()) for each in counts]

    ways = [found_in(MemoryEngine()), found_in(HeldEngine()), found_in(MemoryEngine(), by_rows)]
    assert sum(ways[0]) == 1
    assert ways[0] == ways[1] == ways[2]


@pytest.mark.parametrize(
    "question",
    [
        Measure(overhear, "a function"),
        Choose(overhear, "a function"),
        TopK(overhear, Attributes((COUNTS,)), 1, "a function"),
        TopK(Majority(), overhear, 1, "a function"),
        Measure(Coverage(overhear, "ill"), "a function as an assignment"),
        Measure(Coverage(FirstThatHolds(((overhear,),)), "ill"), "a function as a condition"),
        Choose(Refinements(overhear, (COUNTS,)), "a function as an assignment"),
        Choose(MajorityCorrect((overhear,)), "a function as a table"),
    ],
    ids=lambda question: f"{type(question).__name__}: {question.what}",
)
def test_no_callback_receives_an_exact_answer(question):
    assert "may not hold a function" in attempt(question)


def test_the_curator_takes_no_function():
    """Nothing that it can be called with is a callback; progress is told of variants, which are public."""
    for name, method in inspect.getmembers(Curator, inspect.isfunction):
        if name.startswith("_") and name != "__init__":
            continue
        for parameter in inspect.signature(method).parameters.values():
            assert "Callable" not in str(parameter.annotation), f"{name}({parameter})"
            assert parameter.name not in ("engine", "judge", "function"), f"{name}({parameter})"


RUNS = {
    "fit": lambda place: Fit(algorithm="one-r", data=place),
    "select": lambda place: Select(data=place),
    "query": lambda place: AskQuery(data=place, sql="SELECT COUNT(*) FROM data"),
    "describe": lambda place: Describe(data=place),
    "evaluate": lambda place: Evaluate(model=place.with_name("model.json"), data=place, epsilon=1.0),
}


@pytest.mark.parametrize("case", RUNS.values(), ids=RUNS)
def test_whoever_watches_a_run_does_not_count_its_records(case, tmp_path):
    """Progress said after each batch how many rows had been read: exactly, and for nothing."""

    @contextlib.contextmanager
    def progress(what, unit):
        seen.append(what)
        yield lambda *counted: pytest.fail(f"{what}: {counted} were counted")

    place = tmp_path / "people.csv"
    csv.write_csv(TABLE, place)
    write_schema(SCHEMA, tmp_path / "people.schema.toml")
    save_model(NaiveBayes(schema=SCHEMA).fit(TABLE), tmp_path / "model.json")
    seen.clear()
    case(place).run(Session(progress=progress))
    assert seen, "somebody must have watched"


# (b) A statistic of one's own that keeps the answer


@dataclass(frozen=True)
class Keeps(Contingency):
    def finish(self, state, schema):
        seen.append(super().finish(state, schema))
        return seen[-1]


class Disguised(Keeps):
    """As if Privet had written it."""


Disguised.__module__ = "privet.stats.contingency"
Disguised.__qualname__ = "Contingency"


@pytest.mark.parametrize("kind", [Keeps, Disguised])
def test_a_statistic_of_ones_own_is_not_asked(kind):
    assert "would see exact answers" in attempt(Measure(kind("cough", "ill"), "mine"))
    assert "would see exact answers" in attempt(Choose(MajorityCorrect((kind("cough", "ill"),)), "mine"))


def test_an_author_vouches_for_a_marked_one_and_the_guarantee_says_so():
    with pytest.raises(TypeError, match="no proof"):
        proved(Keeps)

    @proved
    class Mine(Contingency):
        """**Sensitivity.** That of a contingency table: 1."""

    class Derived(Mine):
        """Marked by nobody: what its author changed may be anything."""

    with Curator(TABLE, SCHEMA, budget(1.0)) as curator:
        curator.ask(Measure(Mine("cough", "ill"), "mine"), Fraction(1, 2))
        assert any("Mine is its author's word" in caveat for caveat in curator.guarantee.caveats)
    assert "would see exact answers" in attempt(Measure(Derived("cough", "ill"), "derived"))


# (c) Imports


PLANTED = {
    "learning/classify/side_door_a.py": "from privet.curator.public import public_answers",
    "learning/regress/side_door_b.py": "from privet.sources import open_source",
    "selection/side_door_c.py": "import privet.engines.memory",
    "selection/side_door_d.py": "from privet.isolation.cell import Isolated",
    "evaluation/side_door_e.py": "from privet.curator.public import public_answers",
    "evaluation/side_door_f.py": "from privet.curator.tables import as_source",
    "perturbation/side_door_g.py": "from privet.sources.formats import open_source",
    "learning/classify/side_door_h.py": "from privet.curator.run import Run",
    "learning/linear/side_door_i.py": "from privet.curator.ask.measure import Measure",
}


def test_the_import_rules_find_what_is_planted(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "privet", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PACKAGE.parent.parent / "pyproject.toml", tmp_path)
    shutil.copytree(PACKAGE.parent.parent / "reproduction", tmp_path / "reproduction")
    for place, line in PLANTED.items():
        (tmp_path / "privet" / place).write_text(f"{line}\n", encoding="utf-8")
    command = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    ran = subprocess.run(
        [sys.executable, "-c", command],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PATH": "", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    for place in PLANTED:
        module = "privet." + place.removesuffix(".py").replace("/", ".")
        assert module in ran.stdout, f"{place} was not noticed"


def borrowed(tree):
    """Names that a module takes from the curator or the estimators although they do not offer them.

    The import rules look at modules. A name that another module has imported for its own use, or a module
    that is reached through its package, would pass.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("privet"))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(GUARDED):
            offered = importlib.import_module(str(node.module)).__all__
            yield from (f"{node.module}.{name.name}" for name in node.names if name.name not in offered)


GUARDED = ("privet.curator", "privet.estimator")


def test_algorithms_borrow_no_names():
    for line in ("import privet.curator", "from privet.estimator.base import Run"):
        assert list(borrowed(ast.parse(line))), line
    found = {str(place): list(borrowed(tree)) for place, tree in modules() if place.parts[0] in ALGORITHMS}
    assert not {place: what for place, what in found.items() if what}


# (d) The parts of a curator


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE)
        if place.parts[0] != "curator":
            yield place, ast.parse(path.read_text(encoding="utf-8"))


def reaches_in(tree):
    """What a module takes from inside a curator, or from the engine or source of anything but itself."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute):
            continue
        own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        of_curator = isinstance(node.value, ast.Name) and node.value.id == "curator"
        if (node.attr in ("_source", "_engine", "_guard") and not own) or (
            of_curator and node.attr.startswith("_")
        ):
            yield ast.unparse(node)


def opens(tree):
    """Where a module opens a curator of its own, instead of being given one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Curator":
            yield ast.unparse(node)


def test_nobody_reaches_into_a_curator():
    assert list(reaches_in(ast.parse("rows = curator._source.batches()"))), (
        "the test must find what is planted"
    )
    assert list(reaches_in(ast.parse("rows = self.door._engine.answer([], None, None)")))
    assert list(opens(ast.parse("with Curator(X, schema, budget(1.0)) as mine: pass")))
    found = {str(place): list(reaches_in(tree)) for place, tree in modules()}
    assert not {place: what for place, what in found.items() if what}
    opened = {str(place): list(opens(tree)) for place, tree in modules() if place.parts[0] in ALGORITHMS}
    assert not {place: what for place, what in opened.items() if what}


# (e) A score of one's own


@dataclass(frozen=True)
class Overhears(Association):
    what: ClassVar[str] = "overhears"
    whole: ClassVar[bool] = True

    def evaluate(self, tables):
        seen.append(tables)
        return tables.max(axis=1).sum(axis=1)

    def sensitivity(self, sizes, values):
        return Fraction(1)


def test_a_score_of_ones_own_is_not_asked():
    assert "would see exact answers" in attempt(TopK(Overhears(), Attributes((COUNTS,)), 1, "mine"))
    with pytest.raises(TypeError, match="custom"):
        SelectKBest(custom=Overhears(), schema=SCHEMA)
    with pytest.raises(ParameterError, match="always adds noise"):
        SelectKBest(mechanism="none", schema=SCHEMA).fit(TABLE)


# (f) Scores of one's own


@dataclass(frozen=True)
class Listens(Scores):
    @property
    def statistics(self):
        return (COUNTS,)

    def groups(self, answers, schema):
        seen.append(answers)
        return [np.zeros(2, np.int64)]


@dataclass(frozen=True)
class Borrows(MajorityCorrect):
    def groups(self, answers, schema):
        seen.append(answers)
        return super().groups(answers, schema)


@pytest.mark.parametrize("scores", [Listens(), Borrows((COUNTS,))], ids=lambda scores: type(scores).__name__)
def test_scores_of_ones_own_are_not_asked(scores):
    assert "would see exact answers" in attempt(Choose(scores, "mine"))


# A question of one's own, and one that only looks like Privet's


@dataclass(frozen=True)
class Tells(Question):
    what: str = "mine"
    statistics: ClassVar = (COUNTS,)

    def release(self, exact, amount, mechanism):
        seen.append(exact)
        return exact


@dataclass(frozen=True)
class TellsToo(Measure):
    def release(self, exact, amount, mechanism):
        seen.append(exact)
        return super().release(exact, amount, mechanism)


@pytest.mark.parametrize("question", [Tells(), TellsToo(COUNTS, "mine")], ids=["own", "derived"])
def test_questions_are_a_closed_set(question):
    assert "does not answer" in attempt(question)


# (g) Outside of a run, (h) and beyond what is left


def test_nothing_is_answered_outside_of_an_open_run():
    question = Measure(COUNTS, "too early")
    curator = Curator(TABLE, SCHEMA, budget(1.0))
    with pytest.raises(ParameterError, match="not open"):
        curator.ask(question, Fraction(1))
    with curator:
        pass
    with pytest.raises(ParameterError, match="not open"):
        curator.ask(question, Fraction(1))


def test_a_part_is_answered_only_while_the_run_that_pays_is_open():
    run = Run(SCHEMA, budget(1.0))
    part = Curator.within(run.part(budget(1.0), run.randomness), TABLE)
    with part, pytest.raises(ParameterError, match="not open"):
        part.ask(Measure(COUNTS, "unpaid"), Fraction(1))


@pytest.mark.parametrize("share", [Fraction(3, 2), Fraction(0), Fraction(-1)])
def test_no_more_than_what_is_left(share):
    attempt(Measure(COUNTS, "too much"), share)
    with Curator(TABLE, SCHEMA, budget(1.0)) as curator:
        curator.ask(Measure(COUNTS, "half"), Fraction(1, 2))
        with pytest.raises(ParameterError, match=r"only 0\.5 is left"):
            curator.ask_together([(Measure(COUNTS, "each"), Fraction(1, 3))] * 2)


# What is declared public


def test_sizes_of_classes_need_a_public_number_of_records_and_are_in_the_guarantee():
    question = ClassSizes("ill", "declared")
    with Curator(TABLE, SCHEMA, budget(1.0)) as curator, pytest.raises(SchemaError, match="private"):
        curator.ask(question)
    exchanged = Schema(SCHEMA.columns, "ill", unit=Unit("replace"))
    with Curator(TABLE, exchanged, budget(1.0)) as curator:
        with pytest.raises(ParameterError, match="no other column"):
            curator.ask(ClassSizes("cough", "declared"))  # "the class" is the target, and nothing else
        assert curator.ask(question).value.tolist() == [20, 20]
        assert curator.left == 1
    assert (
        "the class of every record, and so how many each class has",
        "declared",
    ) in curator.guarantee.public
    assert any("protected within it" in caveat for caveat in curator.guarantee.caveats)


def test_a_run_that_is_declared_public_promises_nothing_and_is_not_paid_for():
    run = Run.declared_public(SCHEMA, "It is in the newspaper.")
    with Curator.within(run, TABLE) as curator:
        assert curator.ask(Measure(COUNTS, "counts"), Fraction(1, 2)).value.sum() == 40
        with pytest.raises(ParameterError, match="public"):
            curator.ask(Choose(MajorityCorrect((COUNTS,)), "a choice"), Fraction(1, 2))
    assert (curator.guarantee.holds, curator.guarantee.amount) == (False, None)
    ledger = Ledger.in_memory()
    ledger.open_account("people", Pure(exact(1)), unit=Unit())
    paid = Run(SCHEMA, budget(0.1), ledger=ledger, public="It is in the newspaper.")
    with pytest.raises(ParameterError, match="without a guarantee"), paid:
        pass


# Values


def test_a_question_travels_as_a_value():
    """Nothing in a question is bound to this process: no lock, no memory of rows, no function."""
    for question in (
        Measure(Coverage(Cross(()), "ill"), "counts"),
        Choose(Refinements(FirstThatHolds(()), (COUNTS,)), "a condition"),
        TopK(Majority(), Attributes((COUNTS,)), 1, "an attribute"),
    ):
        assert pickle.loads(pickle.dumps(question)) == question


def test_fit_learns_at_most_twice():
    """Once to rehearse, where there is a ledger, and once on the table."""
    learned = []

    class Counted(NaiveBayes):
        def _fit(self, curator):
            learned.append(type(curator))
            super()._fit(curator)

    ledger = Ledger.in_memory()
    ledger.open_account("people", Pure(exact(1)), unit=Unit())
    paid = Schema(SCHEMA.columns, "ill", dataset="people")
    model = Counted(epsilon=0.1, schema=paid, ledger=ledger)
    model.rehearse()  # which is remembered, as long as nothing changes
    model.fit(TABLE)
    assert len(learned) == 2
    model.set_params(epsilon=0.2).fit(TABLE)
    assert len(learned) == 4
    learned.clear()
    Counted(epsilon=0.1, schema=paid, ledger=ledger).fit(TABLE)
    assert len(learned) == 2
    Counted(epsilon=0.1, schema=SCHEMA).fit(TABLE)
    assert len(learned) == 3
