"""Expressions of one record in SQL, as values; what is not understood is refused with the words at fault."""

from __future__ import annotations

from typing import Any, NoReturn

from privet.errors import ParameterError
from privet.schema import Category, Schema
from privet.stats.views import (
    Arithmetic,
    Compare,
    Connect,
    Constant,
    Expression,
    Field,
    IsIn,
    IsMissing,
    Labelled,
    Not,
)

__all__ = ["called", "condition", "refuse", "value"]

_REASONS = {
    "DIV": "A quotient has no bounds: multiply by a constant instead, or divide the answers.",
    "CAST": "A conversion can fail because of one record: declare the column as what it is.",
    "TRYCAST": "A conversion can fail because of one record: declare the column as what it is.",
    "LIKE": "List the values with IN instead.",
}
_SIGNS = {"LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}


def called(node: Any) -> str:
    """The name of a function or operator, in capitals."""
    from sqlglot import exp

    if isinstance(node, exp.Anonymous):
        return str(node.name).upper()
    if isinstance(node, exp.Func):
        return str(node.sql_name()).upper()
    return str(node.key).upper()


def refuse(node: Any) -> NoReturn:
    """Refuse what cannot be answered, in the asker's own words."""
    advice = _REASONS.get(str(node.key).upper(), "The documentation lists what can be asked in SQL.")
    raise ParameterError(f"'{node.sql()}' is not understood here.", advice)


def value(node: Any, schema: Schema) -> Expression:
    """A number or a category of one record."""
    from sqlglot import exp

    if isinstance(node, exp.Paren):
        return value(node.this, schema)
    if isinstance(node, exp.Column):
        _ = schema[node.name]
        return Field(str(node.name))
    if isinstance(node, exp.Literal) and not node.is_string:
        return Constant(float(node.name))
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and not node.this.is_string:
        return Constant(-float(node.this.name))
    if isinstance(node, exp.Neg):
        return Arithmetic("*", value(node.this, schema), Constant(-1.0))
    for kind, sign in ((exp.Add, "+"), (exp.Sub, "-"), (exp.Mul, "*")):
        if isinstance(node, kind):
            one, other = value(node.this, schema), value(node.expression, schema)
            return Arithmetic(sign, one, other)  # type: ignore[arg-type]
    if isinstance(node, exp.Case) and node.this is None:
        cases = tuple((condition(each.this, schema), _label(each.args["true"])) for each in node.args["ifs"])
        default = node.args.get("default")
        return Labelled(cases, None if default is None else _label(default))
    return refuse(node)


def condition(node: Any, schema: Schema) -> Expression:
    """Something that is true of a record, or not, or unknown."""
    from sqlglot import exp

    if isinstance(node, exp.Paren):
        return condition(node.this, schema)
    if isinstance(node, exp.Not):
        return Not(condition(node.this, schema))
    if isinstance(node, exp.And | exp.Or):
        word = "and" if isinstance(node, exp.And) else "or"
        return Connect(word, condition(node.this, schema), condition(node.expression, schema))  # type: ignore[arg-type]
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
        return IsMissing(value(node.this, schema))
    if isinstance(node, exp.Between):
        one = value(node.this, schema)
        low, high = value(node.args["low"], schema), value(node.args["high"], schema)
        return Connect("and", Compare(">=", one, low), Compare("<=", one, high))
    if isinstance(node, exp.In) and node.expressions:
        return _among(node.this, node.expressions, schema)
    if isinstance(node, exp.EQ | exp.NEQ):
        equal = _equal(node, schema)
        return equal if isinstance(node, exp.EQ) else Not(equal)
    sign = _SIGNS.get(str(node.key).upper())
    if sign is None:
        return refuse(node)
    return Compare(sign, value(node.this, schema), value(node.expression, schema))  # type: ignore[arg-type]


def _equal(node: Any, schema: Schema) -> Expression:
    from sqlglot import exp

    one, other = node.this, node.expression
    if isinstance(one, exp.Literal | exp.Boolean):
        one, other = other, one
    if isinstance(other, exp.Literal | exp.Boolean | exp.Neg):
        return _among(one, [other], schema)
    return Compare("=", value(one, schema), value(other, schema))


def _among(node: Any, literals: list[Any], schema: Schema) -> Expression:
    """Whether a category has one of these values, or a number is one of these."""
    from sqlglot import exp

    one = value(node, schema)
    if isinstance(one.domain("it", schema), Category):
        return IsIn(one, tuple(_label(each) for each in literals))
    found: Expression | None = None
    for each in literals:
        if not isinstance(each, exp.Literal | exp.Neg):
            return refuse(each)
        equal = Compare("=", one, value(each, schema))
        found = equal if found is None else Connect("or", found, equal)
    assert found is not None
    return found


def _label(node: Any) -> str:
    from sqlglot import exp

    if isinstance(node, exp.Literal):
        return str(node.name)
    if isinstance(node, exp.Boolean):
        return str(node.this)
    return refuse(node)
