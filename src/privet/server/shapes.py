"""What requests and answers look like. The OpenAPI document and the types of every client follow from it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    StringConstraints,
)

from privet.budget import Amount, Zcdp

__all__ = ["AmountShown", "Name", "Sent", "amount"]


def _printable(text: str) -> str:
    if not text.strip() or any(not c.isprintable() for c in text):
        raise ValueError("must be text that can be printed")
    return text


def _as_seen(text: str) -> str:
    if text != " ".join(text.split()):
        raise ValueError("must have no blanks at its ends, and no two together: nobody would see them")
    return _printable(text)


Name = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_printable)]
#: Of people: roles are given by it, so two names must not look alike by their blanks.
PersonName = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_as_seen)]
Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,80}$")]
Role = Literal["owner", "analyst", "contributor", "auditor"]
RunState = Literal["priced", "approval", "queued", "running", "released", "lost", "refused", "cancelled"]


class Sent(BaseModel):
    """A body that somebody sends: what it does not know is refused."""

    model_config = ConfigDict(extra="forbid")


class AmountShown(BaseModel):
    """An amount of privacy loss: rounded numbers, and the words for it."""

    epsilon: float
    delta: float
    text: str


def amount(found: Amount | None) -> AmountShown:
    if found is None:
        return AmountShown(epsilon=0.0, delta=0.0, text="nothing")
    if isinstance(found, Zcdp):
        return AmountShown(epsilon=float(found.rho), delta=0.0, text=str(found))
    return AmountShown(epsilon=float(found.epsilon), delta=float(found.delta), text=str(found))


# People


class UserShown(BaseModel):
    id: str
    name: str
    operator: bool
    owner: bool


class SessionShown(BaseModel):
    user: UserShown
    mode: Literal["workbench", "server"]
    version: str


class SignIn(Sent):
    """A name with its password, or the one-time key that ``privet workbench`` printed."""

    name: Name | None = None
    password: Annotated[str, StringConstraints(min_length=1, max_length=1000)] | None = None
    key: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None


class NewUser(Sent):
    name: PersonName
    password: Annotated[str, StringConstraints(min_length=1, max_length=1000)]
    owner: bool = False


class NewToken(Sent):
    name: Name
    scopes: Annotated[list[Literal["read", "plan", "run", "manage"]], Field(min_length=1, max_length=4)]
    #: 30 days from now, if nothing is said; at most 366.
    expires: AwareDatetime | None = None


class TokenShown(BaseModel):
    id: str
    name: str
    scopes: list[str]
    created: str
    expires: str


class TokenMade(TokenShown):
    token: str


# Studies


class NewStudy(Sent):
    name: Name
    approval: bool = False


class MemberShown(BaseModel):
    name: str
    role: Role


class StudyShown(BaseModel):
    id: str
    name: str
    role: Role
    approval: bool
    members: list[MemberShown] | None = None


class NewRole(Sent):
    role: Role


class AuditEntry(BaseModel):
    number: int
    when: str
    who: str
    what: str
    about: dict[str, Any]
    hash: str


class AuditShown(BaseModel):
    intact: bool
    entries: list[AuditEntry]


# Datasets


class ExampleShown(BaseModel):
    name: str
    title: str
    line: str
    target: str


class ForStudy(Sent):
    study: Id | None = None


class NewDataset(Sent):
    study: Id
    name: Name


class UnitShape(Sent):
    """The unit of privacy: one record, or one person by the column ``id`` with at most ``most`` records."""

    neighbours: Literal["add_remove", "replace"] = "add_remove"
    id: Annotated[str, StringConstraints(min_length=1, max_length=500)] | None = None
    most: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    keep: Literal["first", "content"] | None = None


class Meter(BaseModel):
    """A budget as a bar: shares of the limit in percent, so that no page adds anything up."""

    spent: float
    this: float
    left: float


class Account(BaseModel):
    limit: AmountShown
    spent: AmountShown
    left: AmountShown
    odds_so_far: float
    meter: Meter


class ColumnShape(Sent):
    """What is public about a column; ``left_out`` is why it is not used, if it is not.

    ``most`` and ``between`` are of columns whose cells are sets of items (of kind ``items``).
    """

    name: Annotated[str, StringConstraints(min_length=1, max_length=500)]
    kind: Annotated[str, StringConstraints(max_length=40)]
    low: FiniteFloat | None = None
    high: FiniteFloat | None = None
    cuts: Annotated[list[FiniteFloat], Field(max_length=10_000)] = []
    values: Annotated[list[bool | int | FiniteFloat | str], Field(max_length=100_000)] = []
    other: Annotated[str, StringConstraints(max_length=500)] | None = None
    most: int | None = None
    between: Annotated[str, StringConstraints(max_length=1)] | None = None
    origin: Annotated[str, StringConstraints(max_length=200)] = "declared"
    confirmed: bool = True
    left_out: str | None = None


class SchemaShape(Sent):
    columns: Annotated[list[ColumnShape], Field(max_length=10_000)]
    target: Annotated[str, StringConstraints(min_length=1, max_length=500)] | None = None
    unit: UnitShape = UnitShape()
    missing: Literal["skip", "error"] = "skip"
    version: int = 0
    text: str = ""


class DatasetShown(BaseModel):
    id: str
    name: str
    study: str
    role: Role
    kind: Literal["table", "genotypes"]
    state: Literal["empty", "draft", "open", "deleted"]
    target: str | None
    unit: UnitShape
    unit_text: str
    columns: list[ColumnShape]
    unconfirmed: list[str]
    account: Account | None
    source: str | None
    version: int


class GenotypesShown(BaseModel):
    """What is public about a study of genotypes, in numbers; chromosomes with their number of variants."""

    cases: int
    controls: int
    without: int
    variants: int
    chromosomes: list[tuple[str, int]]


class VariantsShown(BaseModel):
    """A page of the list of variants: id, chromosome, position and alleles."""

    number: int
    first: int
    header: list[str]
    rows: list[list[str]]


class DraftAsked(Sent):
    target: Annotated[str, StringConstraints(min_length=1, max_length=500)] | None = None
    unit: UnitShape = UnitShape()
    ignore: Annotated[list[str], Field(max_length=10_000)] = []


class ConfirmAsked(Sent):
    columns: Annotated[list[str], Field(max_length=10_000)]


class LimitAsked(Sent):
    epsilon: Annotated[FiniteFloat, Field(gt=0, le=1_000_000)]
    delta: Annotated[FiniteFloat, Field(ge=0, lt=1)] = 0.0


class OpenAsked(LimitAsked):
    per_analyst: Annotated[FiniteFloat, Field(gt=0, le=1_000_000)] | None = None


# What can be done


class FamilyShown(BaseModel):
    """A kind of algorithm; ``use_case`` is what its page plans (None: nothing), ``default`` the first one.

    ``of_models`` is what can be planned for a model of it that was released.
    """

    name: str
    title: str
    line: str
    target: str | None
    commands: list[str]
    of_models: list[str]
    use_case: str | None
    default: str | None


class AlgorithmShown(BaseModel):
    name: str
    title: str
    family: str
    line: str
    command: str
    usable: bool
    reason: str | None


class AlgorithmInFull(AlgorithmShown):
    json_schema: dict[str, Any]


class UseCaseShown(BaseModel):
    name: str
    line: str
    per_algorithm: bool
    #: Whether it can be foretold what it would give.
    forecast: bool
    json_schema: dict[str, Any]


# Plans and runs


class NewPlan(Sent):
    use_case: Annotated[str, StringConstraints(max_length=80)]
    dataset: Id
    algorithm: Annotated[str, StringConstraints(max_length=80)] | None = None
    release: Id | None = None
    #: The release of a second model, where two are compared.
    other: Id | None = None
    parameters: dict[str, Any] = {}
    practice: bool = False


class StepShown(BaseModel):
    what: str
    mechanism: str
    epsilon: float
    error: float
    words: str


class Odds(BaseModel):
    coin: float
    so_far: float
    after: float


class Assumed(BaseModel):
    what: str
    origin: str


class PlanShown(BaseModel):
    id: str
    hash: str
    use_case: str
    dataset: str
    algorithm: str | None
    release: str | None
    other: str | None = None
    parameters: dict[str, Any]
    practice: bool
    price: AmountShown
    left: AmountShown
    left_after: AmountShown | None
    meter: Meter
    state: Literal["fits", "too_much", "empty", "ask_owner", "free"]
    most: float | None
    odds: Odds
    steps: list[StepShown]
    assumed: list[Assumed]
    caveats: list[str]
    command: str
    already: str | None
    words: str
    created: str


class Perturbing(Sent):
    """A perturbation: its algorithm, its settings, and the columns (none named: all that it is for)."""

    algorithm: Annotated[str, StringConstraints(max_length=80)]
    parameters: dict[str, Any] = {}
    columns: Annotated[list[str], Field(max_length=10_000)] = []


class PerturbationTried(Perturbing):
    dataset: Id


class PerturbedAsked(Perturbing):
    """For the real table: with the owner's word why its rows may leave, which is recorded."""

    says: Annotated[Name, StringConstraints(min_length=10)]


class NewRun(Sent):
    plan: Id


class RunShown(BaseModel):
    id: str
    plan: str
    dataset: str
    use_case: str
    algorithm: str | None
    who: str
    practice: bool
    state: RunState
    step: str
    cost: str
    release: str | None
    problem: str | None
    created: str
    finished: str | None


class ReleaseShown(BaseModel):
    id: str
    run: str
    dataset: str
    title: str
    headline: str
    practice: bool
    use_case: str
    algorithm: str | None
    family: str | None
    epsilon: float | None
    created: str
    has_model: bool


class TableShown(BaseModel):
    """A released table, as texts."""

    title: str
    header: list[str]
    rows: list[list[str]]


class PerturbationShown(BaseModel):
    """What a perturbation did to made-up people: D against D′, attacks, and what it promises."""

    records: int
    promises: bool
    headline: str
    guarantee_text: str
    verdicts: list[str]
    attacks: list[TableShown]
    attack_text: str
    charts: list[dict[str, Any]]


class ReleaseInFull(ReleaseShown):
    #: What its algorithm does, in a line; older releases do not say.
    line: str = ""
    text: str
    words: str
    #: Its figures by name, as text; where there are none, ``figures`` are for people, too.
    facts: list[tuple[str, str]] = []
    figures: dict[str, Any]
    charts: list[dict[str, Any]]
    tables: list[TableShown] = []
    #: The formats of other tools that its model can be exported in.
    exports: list[str] = []
    guarantee: dict[str, Any] | None
    guarantee_text: str
    not_said: list[str]


# Flows


class FlowKindShown(BaseModel):
    """A kind of step: what it takes and gives, and its settings; ``reason`` is why it cannot be used here."""

    do: str
    title: str
    line: str
    family: str
    takes: list[list[str]]
    gives: str
    measures: bool
    many: bool
    parts: list[str]
    reason: str | None
    json_schema: dict[str, Any]


class PublicTable(BaseModel):
    """A public table beside a dataset."""

    name: str


class FlowPartShown(BaseModel):
    """A dataset that a source may have as a part; ``reason`` is why it cannot be one."""

    dataset: str
    name: str
    reason: str | None


class FlowKinds(BaseModel):
    """What flows are made of, and a flow to begin with.

    ``public`` are the public tables that a source may name, and ``parts`` the datasets that it may be in.

    ``head`` and ``part`` are JSON Schemas: of what is said of a flow as a whole, and of a step's part of its
    budget.
    """

    head: dict[str, Any]
    part: dict[str, Any]
    kinds: list[FlowKindShown]
    beginning: dict[str, Any] | None
    public: list[str]
    parts: list[FlowPartShown]


class FlowAsked(Sent):
    dataset: Id
    flow: dict[str, Any]
    until: Annotated[str, StringConstraints(max_length=80)] | None = None


class FlowText(Sent):
    dataset: Id
    text: Annotated[str, StringConstraints(min_length=1, max_length=200_000)]


class FlowRead(BaseModel):
    flow: dict[str, Any]


class FlowStepShown(BaseModel):
    """A step: where it stands in a picture, what it gets of the budget, or what is wrong with it.

    ``later`` says that a run that stops here would not reach it; ``free`` why it costs nothing; ``release``
    is the result that shows it, if it was paid for before.
    """

    name: str
    do: str
    gives: str
    measures: bool
    x: int
    y: int
    amount: AmountShown | None
    share: str
    later: bool
    free: str
    release: str | None
    buys: list[str]
    problem: str
    advice: str
    setting: str


class FlowEdgeShown(BaseModel):
    """An edge. One that is ``incremental`` hands on one part after the other, as they come."""

    source: str
    part: str
    target: str
    slot: int
    kind: str
    incremental: bool


class FlowPartPriced(BaseModel):
    """What a flow would cost on one of its parts now; nothing if it was released before."""

    dataset: str
    name: str
    total: AmountShown | None


class FlowLink(BaseModel):
    """Whether an edge may be drawn: the slot of the target that it fills, or the reason why it cannot be."""

    source: str
    target: str
    slot: int
    reason: str


class FlowLooked(BaseModel):
    """A flow as far as it is right: its picture, what may be connected and, once it is right, its price."""

    steps: list[FlowStepShown]
    edges: list[FlowEdgeShown]
    links: list[FlowLink]
    total: AmountShown | None
    problem: str
    advice: str
    text: str
    svg: str
    parts: list[FlowPartPriced]
    composition: str


# Accounts


class AccountShown(BaseModel):
    dataset: str
    name: str
    study: str
    unit: str
    account: Account


class HistoryEntry(BaseModel):
    number: int
    when: str
    who: str
    what: str
    kind: str
    amount: AmountShown | None
    state: str | None


class HistoryShown(BaseModel):
    account: Account
    entries: list[HistoryEntry]
    spent_by: dict[str, AmountShown]
    last: AmountShown | None
    runs_like_the_last: int | None


class HeadShown(BaseModel):
    head: str
    entries: int


class VerifyAsked(Sent):
    head: Annotated[str, StringConstraints(max_length=200)] | None = None


class Verified(BaseModel):
    intact: bool
    detail: str
    head: str


class AttackAsked(Sent):
    epsilon: Annotated[FiniteFloat, Field(gt=0, le=100)] | None = None


class AttackShown(BaseModel):
    hits: int
    of: int
    bound: float
    words: str
