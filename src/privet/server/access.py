"""WHO MAY DO WHAT: one table of routes, from which the checks and their tests are made.

A rule names the roles (in the study that the request is about) that may use a route, or who else may; and the
scope that a token needs. A route that is not in this table cannot be reached: the application does not start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["ACCESS", "PREFIX", "ROLES", "Rule", "Scope"]

PREFIX = "/api/v1"
ROLES = ("owner", "analyst", "contributor", "auditor")
Scope = Literal["read", "plan", "run", "manage"]
#: A person at a browser only: no token, however wide, may make tokens.
Who = Literal["anybody", "signed in", "owner or operator", "overseer", "owner", "role"]


@dataclass(frozen=True)
class Rule:
    """Who may use a route.

    ``anybody`` needs no account. ``signed in`` needs one. ``owner`` is whoever may register data (and make
    studies); ``owner or operator`` one of these; ``overseer`` an operator, or somebody who is owner or
    auditor of some study. ``role``: one of ``roles`` in the study that the request is about; to others who
    are members it is forbidden, to all others the thing does not exist. ``scope`` None: not with a token.
    """

    who: Who
    scope: Scope | None = "read"
    roles: frozenset[str] = frozenset()


def _role(scope: Scope, *roles: str) -> Rule:
    return Rule("role", scope, frozenset(roles))


_ALL = ROLES
_SEE = ("owner", "analyst", "auditor")
_USE = ("owner", "analyst")
_READ = Rule("signed in")

ACCESS: dict[tuple[str, str], Rule] = {
    ("GET", "/session"): _READ,
    ("POST", "/session"): Rule("anybody"),
    ("DELETE", "/session"): Rule("anybody"),
    ("GET", "/oidc"): Rule("anybody"),
    ("GET", "/oidc/login"): Rule("anybody"),
    ("GET", "/oidc/callback"): Rule("anybody"),
    ("GET", "/users"): Rule("owner or operator"),
    ("POST", "/users"): Rule("owner or operator", "manage"),
    ("GET", "/tokens"): Rule("signed in", None),
    ("POST", "/tokens"): Rule("signed in", None),
    ("DELETE", "/tokens/{token}"): Rule("signed in", None),
    ("GET", "/studies"): _READ,
    ("POST", "/studies"): Rule("owner", "manage"),
    ("GET", "/studies/{study}"): _role("read", *_ALL),
    ("PUT", "/studies/{study}/members/{name}"): _role("manage", "owner"),
    ("DELETE", "/studies/{study}/members/{name}"): _role("manage", "owner"),
    ("GET", "/studies/{study}/audit"): _role("read", "owner", "auditor"),
    ("GET", "/studies/{study}/coordination/{name}"): _role("read", "owner", "contributor"),
    ("PUT", "/studies/{study}/coordination/{name}"): _role("manage", "owner"),
    ("GET", "/studies/{study}/submissions/{step}/{party}"): _role("read", "owner", "contributor"),
    ("PUT", "/studies/{study}/submissions/{step}/{party}"): _role("run", "owner", "contributor"),
    ("GET", "/examples"): _READ,
    ("POST", "/examples/{name}"): _role("manage", "owner"),
    ("GET", "/connections"): Rule("owner"),
    ("POST", "/connections/{connection}"): _role("manage", "owner"),
    ("GET", "/datasets"): _READ,
    ("POST", "/datasets"): _role("manage", "owner"),
    ("GET", "/datasets/{dataset}"): _role("read", *_SEE),
    ("PUT", "/datasets/{dataset}/rows"): _role("manage", "owner"),
    ("DELETE", "/datasets/{dataset}/rows"): _role("manage", "owner"),
    ("PUT", "/datasets/{dataset}/public"): _role("manage", "owner"),
    ("POST", "/datasets/{dataset}/draft"): _role("manage", "owner"),
    ("GET", "/datasets/{dataset}/schema"): _role("read", *_SEE),
    ("PUT", "/datasets/{dataset}/schema"): _role("manage", "owner"),
    ("POST", "/datasets/{dataset}/schema/confirm"): _role("manage", "owner"),
    ("POST", "/datasets/{dataset}/open"): _role("manage", "owner"),
    ("PUT", "/datasets/{dataset}/limit"): _role("manage", "owner"),
    ("GET", "/datasets/{dataset}/genotypes"): _role("read", *_SEE),
    ("GET", "/datasets/{dataset}/variants"): _role("read", *_SEE),
    ("GET", "/families"): _READ,
    ("GET", "/algorithms"): _READ,
    ("GET", "/algorithms/{name}"): _READ,
    ("GET", "/use-cases"): _READ,
    ("POST", "/plans"): _role("plan", *_USE),
    ("GET", "/plans/{plan}"): _role("read", *_USE),
    ("POST", "/forecasts"): _role("plan", *_USE),
    ("POST", "/perturbations"): _role("plan", *_USE),
    ("POST", "/datasets/{dataset}/perturbed"): Rule("role", None, frozenset({"owner"})),
    ("POST", "/runs"): _role("run", *_USE),
    ("GET", "/runs"): _READ,
    ("GET", "/runs/{run}"): _role("read", *_SEE),
    ("GET", "/runs/{run}/events"): _role("read", *_SEE),
    ("POST", "/runs/{run}/cancel"): _role("run", *_USE),
    ("POST", "/runs/{run}/approve"): _role("manage", "owner"),
    ("POST", "/runs/{run}/refuse"): _role("manage", "owner"),
    ("GET", "/flows/kinds"): _READ,
    ("POST", "/flows/read"): _role("plan", *_USE),
    ("POST", "/flows/check"): _role("plan", *_USE),
    ("GET", "/releases"): _READ,
    ("GET", "/releases/{release}"): _role("read", *_USE),
    ("GET", "/releases/{release}/model"): _role("read", *_USE),
    ("GET", "/releases/{release}/report"): _role("read", *_USE),
    ("GET", "/releases/{release}/export"): _role("read", *_USE),
    ("GET", "/experiments"): _READ,
    ("POST", "/experiments"): _role("run", *_USE),
    ("GET", "/experiments/parts"): _role("read", *_USE),
    ("POST", "/experiments/price"): _role("plan", *_USE),
    ("GET", "/experiments/{experiment}"): _role("read", *_USE),
    ("POST", "/experiments/{experiment}/pause"): _role("run", *_USE),
    ("POST", "/experiments/{experiment}/resume"): _role("run", *_USE),
    ("POST", "/experiments/{experiment}/measure"): _role("run", *_USE),
    ("GET", "/experiments/{experiment}/file"): _role("read", *_USE),
    ("GET", "/accounts"): _READ,
    ("GET", "/accounts/{dataset}/history"): _role("read", *_SEE),
    ("GET", "/ledger/head"): Rule("overseer"),
    ("POST", "/ledger/verify"): Rule("overseer"),
    ("POST", "/attacks/membership"): Rule("signed in", "plan"),
}
