"""What happened to the data, as frozen values; how it adds up is the accountants' business.

An event says which mechanism ran and how strongly. ``Parallel`` is for parts of which one unit of privacy
touches at most one (disjoint data); ``Sequential`` for everything else. ``NoGuarantee`` is an event too:
a seeded draw or bounds read off the data cost "everything", and no accountant may forget it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

__all__ = [
    "ApproximateEvent",
    "Event",
    "GaussianEvent",
    "NoGuarantee",
    "Parallel",
    "PureEvent",
    "Sequential",
    "event_from_dict",
]


@dataclass(frozen=True)
class PureEvent:
    """Anything that is ε-differentially private; ``mechanism`` names it for the reader."""

    epsilon: Fraction
    mechanism: str = "pure"

    def to_dict(self) -> dict[str, Any]:
        return {"event": "pure", "epsilon": str(self.epsilon), "mechanism": self.mechanism}


@dataclass(frozen=True)
class GaussianEvent:
    """Discrete or continuous Gaussian noise of ρ = Δ²/(2σ²): ρ-zCDP, which is what is proved of both."""

    rho: Fraction
    mechanism: str = "gaussian"

    def to_dict(self) -> dict[str, Any]:
        return {"event": "gaussian", "rho": str(self.rho), "mechanism": self.mechanism}


@dataclass(frozen=True)
class ApproximateEvent:
    """Anything that is (ε, δ)-differentially private."""

    epsilon: Fraction
    delta: Fraction
    mechanism: str = "approximate"

    def to_dict(self) -> dict[str, Any]:
        return {
            "event": "approximate",
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            "mechanism": self.mechanism,
        }


@dataclass(frozen=True)
class Sequential:
    """All of these, on the same people."""

    events: tuple[Event, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"event": "sequential", "events": [event.to_dict() for event in self.events]}


@dataclass(frozen=True)
class Parallel:
    """Each of these on its own part: no unit of privacy is in two parts.

    Under ``replace`` a unit may leave one part and enter another, so the caller must have made each part's
    event large enough for a unit that goes *and* one that comes.
    """

    events: tuple[Event, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"event": "parallel", "events": [event.to_dict() for event in self.events]}


@dataclass(frozen=True)
class NoGuarantee:
    """Something that protects nothing, and why."""

    reason: str

    def to_dict(self) -> dict[str, Any]:
        return {"event": "none", "reason": self.reason}


Event = PureEvent | GaussianEvent | ApproximateEvent | Sequential | Parallel | NoGuarantee


def event_from_dict(data: dict[str, Any]) -> Event:
    """The inverse of ``to_dict``.

    >>> event = Sequential((PureEvent(Fraction(1, 2)), NoGuarantee("seeded")))
    >>> event_from_dict(event.to_dict()) == event
    True
    """
    match data:
        case {"event": "pure", "epsilon": epsilon, "mechanism": mechanism}:
            return PureEvent(Fraction(epsilon), mechanism)
        case {"event": "gaussian", "rho": rho, "mechanism": mechanism}:
            return GaussianEvent(Fraction(rho), mechanism)
        case {"event": "approximate", "epsilon": epsilon, "delta": delta, "mechanism": mechanism}:
            return ApproximateEvent(Fraction(epsilon), Fraction(delta), mechanism)
        case {"event": "sequential", "events": events}:
            return Sequential(tuple(event_from_dict(event) for event in events))
        case {"event": "parallel", "events": events}:
            return Parallel(tuple(event_from_dict(event) for event in events))
        case {"event": "none", "reason": reason}:
            return NoGuarantee(reason)
    raise ValueError(f"Unknown event: {data.get('event')!r}")
