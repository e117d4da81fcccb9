"""Trees as values: grown from chosen splits, pruned and smoothed by released counts, drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.report import Node, Tree
from privet.schema import Category, Schema
from privet.stats import Coded, Contingency
from privet.stats.choices.splits import ALL_VALUES
from privet.stats.conditions import readable
from privet.stats.tree_parts import Branching, TreeParts

__all__ = ["Grown", "drawn", "grown", "plain", "pruned", "rooted", "smoothed", "tree_of"]

Table = NDArray[np.float64]


@dataclass(frozen=True)
class Grown:
    """A tree, and for each node its noisy class counts and how many leaves they were added up from."""

    parts: TreeParts
    counts: Table
    added: tuple[int, ...]
    deviation: float = 0.0

    @classmethod
    def root(cls) -> Grown:
        return cls(TreeParts((None,)), np.zeros((1, 0)), (1,))


def grown(
    tree: Grown, chosen: Sequence[tuple[int, int]], tables: Sequence[Contingency], schema: Schema
) -> Grown:
    """The tree with every leaf split as chosen."""
    nodes = list(tree.parts.nodes)
    branchings = {split: _asked(split, tables, schema) for split in set(chosen)}
    for leaf, split in zip(tree.parts.leaves, chosen, strict=True):
        coded, branch = branchings[split]
        nodes[leaf] = Branching(coded, tuple((len(nodes) + branch).tolist()))
        nodes += [None] * (int(branch.max()) + 1)
    return Grown(TreeParts(tuple(nodes)), np.zeros((len(nodes), 0)), (1,) * len(nodes))


def _asked(
    split: tuple[int, int], tables: Sequence[Contingency], schema: Schema
) -> tuple[Coded, NDArray[np.int64]]:
    """What a split asks, and the branch of each code."""
    place, row = split
    table = tables[place]
    column, codes = schema[str(table.row)], np.arange(table.shape(schema)[0])
    if row == ALL_VALUES:
        branch = codes
    elif isinstance(column, Category):
        branch = (codes != row).astype(np.int64)
    else:  # below the cut, or not: missing values lie nowhere
        branch = 1 - ((codes <= row) & (codes < len(codes) - 1)).astype(np.int64)
    return Coded(column.name, table.cuts), branch


def pruned(tree: Grown, counts: Table, deviation: float) -> Grown:
    """The tree without branches that only noise tells apart; ``counts`` are those of its leaves.

    From the bottom up: under a split that tells nothing, children's counts differ from the parent's shares
    by noise and chance alone, and the sum of their squares, each over its variance, has about as many degrees
    of freedom as there are differences. A split stays if it is clearly above, and somebody is there at all.
    """
    nodes: list[Branching | None] = list(tree.parts.nodes)
    total = np.zeros((len(nodes), counts.shape[1]))
    added = np.ones(len(nodes), int)
    for place, leaf in enumerate(tree.parts.leaves):
        total[leaf] = counts[place]
    for place in range(len(nodes) - 1, -1, -1):
        node = nodes[place]
        if node is None:
            continue
        children = sorted(set(node.children))
        total[place] = total[children].sum(axis=0)
        added[place] = added[children].sum()
        if all(nodes[child] is None for child in children) and not _tells(
            total[children], added[children], deviation
        ):
            nodes[place] = None
    return _compact(nodes, total, added, deviation)


def rooted(tree: Grown, counts: Table, deviation: float) -> Grown:
    """The tree with these counts of all records at its root, if they are less noisy than the leaves' sum."""
    if deviation >= tree.deviation * tree.added[0] ** 0.5:
        return tree
    total = tree.counts.copy()
    total[0] = counts
    # In units of a leaf's noise, so that the root is smoothed by its own.
    added = (max(1, round((deviation / max(tree.deviation, 1e-9)) ** 2)), *tree.added[1:])
    return Grown(tree.parts, total, added, tree.deviation)


def _tells(children: Table, added: NDArray[np.int64], deviation: float) -> bool:
    noise = deviation * float(added.sum() * children.shape[1]) ** 0.5
    if float(children.sum()) <= 2 * noise:
        return False
    whole = np.maximum(children.sum(axis=0), 0)
    shares = (whole + 0.5) / (whole + 0.5).sum()
    expected = np.maximum(children.sum(axis=1), 0)[:, None] * shares
    variance = expected * (1 - shares) + added[:, None] * deviation**2 + 1e-9
    seen = float(((children - expected) ** 2 / variance).sum())
    freedom = (len(children) - 1) * (children.shape[1] - 1) + 1
    return bool(seen > freedom + 3 * np.sqrt(2 * freedom))


def _compact(
    nodes: Sequence[Branching | None], total: Table, added: NDArray[np.int64], deviation: float
) -> Grown:
    """Without the nodes that nothing leads to any more."""
    order = [0]
    for place in order:
        node = nodes[place]
        if node is not None:
            order += sorted(set(node.children))
    new = {old: number for number, old in enumerate(order)}
    kept = tuple(
        None if (node := nodes[old]) is None else Branching(node.coded, tuple(new[c] for c in node.children))
        for old in order
    )
    return Grown(TreeParts(kept), total[order], tuple(int(n) for n in added[order]), deviation)


def smoothed(tree: Grown) -> list[tuple[Branching | None, Table, Table]]:
    """Each node with its counts and its class shares: drawn to the parent's by as much as noise could be."""
    classes = tree.counts.shape[1]
    shares = np.full((len(tree.parts.nodes), classes), 1 / classes)
    parent = {child: place for place, n in enumerate(tree.parts.nodes) if n for child in n.children}
    for place in range(len(tree.parts.nodes)):
        above = shares[parent[place]] if place else np.full(classes, 1 / classes)
        own = np.maximum(tree.counts[place], 0)
        weight = 1 + (2 if place else 0.5) * tree.deviation * tree.added[place] ** 0.5
        shares[place] = (own + weight * above) / (own.sum() + weight)
    return list(zip(tree.parts.nodes, tree.counts, shares, strict=True))


def plain(nodes: Sequence[tuple[Branching | None, Table, Table]]) -> list[dict[str, Any]]:
    """The tree as plain data, which travels in the model's JSON."""
    told: list[dict[str, Any]] = []
    for node, counts, shares in nodes:
        entry: dict[str, Any] = {"counts": counts.tolist(), "shares": shares.tolist()}
        if node is not None:
            entry |= {
                "column": node.coded.column,
                "cuts": list(node.coded.cuts),
                "children": list(node.children),
            }
        told.append(entry)
    return told


def tree_of(nodes: Sequence[dict[str, Any]]) -> tuple[TreeParts, Table]:
    """The partition that plain data stands for, and the class shares of its leaves."""
    parts = TreeParts(tuple(_branching(entry) for entry in nodes))
    return parts, np.array([nodes[leaf]["shares"] for leaf in parts.leaves])


def _branching(entry: dict[str, Any]) -> Branching | None:
    if "column" not in entry:
        return None
    return Branching(Coded(entry["column"], tuple(entry["cuts"])), tuple(entry["children"]))


def drawn(nodes: Sequence[dict[str, Any]], schema: Schema, labels: Sequence[str], error: float) -> Tree:
    """The tree as a chart: at each node the likeliest class, its share, and about how many records."""

    def node(place: int, edge: str) -> Node:
        entry = nodes[place]
        best = int(np.argmax(entry["shares"]))
        number = max(0.0, float(np.sum(entry["counts"])))
        text = f"{labels[best]} ({100 * entry['shares'][best]:.0f} % of about {number:,.0f})"
        if "column" not in entry:
            return Node(text, edge)
        children = sorted(set(entry["children"]))
        below = tuple(node(child, _edge(entry, child, schema)) for child in children)
        return Node(text, edge, below)

    note = f"Counts of a leaf are off by at most {error:.3g} per class in 95 % of cases."
    return Tree(f"What decides '{schema.target}'", node(0, ""), note=note)


def _edge(entry: dict[str, Any], child: int, schema: Schema) -> str:
    """What leads to a child: one value, the rest, or a side of a cut."""
    column = schema[entry["column"]]
    codes = [code for code, c in enumerate(entry["children"]) if c == child]
    last = len(entry["children"]) - 1
    if isinstance(column, Category):
        names = [*map(str, column.labels), "missing"]
        if len(codes) == 1:
            return f"{column.name} is {names[codes[0]]}"
        others = [names[code] for code in range(last + 1) if code not in codes]
        return f"{column.name} is not {' or '.join(others)}"
    if last not in codes:
        return f"{column.name} < {readable(entry['cuts'][codes[-1]])}"
    return f"{column.name} ≥ {readable(entry['cuts'][codes[0] - 1])} or missing"
