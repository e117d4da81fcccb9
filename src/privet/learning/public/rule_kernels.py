"""The compiled search for a rule: what ``search.BeeColony`` does with a ``RuleProblem``, draw for draw.

``BeeColony`` is the definition, and a test compares the two: from one seed they find the same rule by the
same steps. Here the loop over bees does not leave compiled code, which matters because a bee's step itself
takes a microsecond or two: an AND of a few bit masks, and a count of the bits.
"""

from __future__ import annotations

import numpy as np

from privet.compiled import njit

__all__ = ["MEASURES", "checkpoints", "count", "find", "search"]

MEASURES = ("wLap", "MS", "wMS", "wLapMS")


@njit
def find(position, ranges, used, low, high):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Which attributes a position uses, and the lowest and highest ranks that fit."""
    width = used.size
    for j in range(width):
        used[j] = position[j] > 0.5
        one, other = position[width + j], position[2 * width + j]
        values = ranges.flat[ranges.starts[j] : ranges.starts[j + 1]]
        if ranges.nominal[j]:  # the nearest code
            low[j] = high[j] = int(min(max(np.rint(one), 0), values.size - 1))
        elif used[j]:
            low[j] = np.searchsorted(values, one)
            high[j] = np.searchsorted(values, other, side="right") - 1
        else:
            low[j], high[j] = 0, values.size - 1


@njit
def checkpoints(order, ends, masks):  # type: ignore[no-untyped-def]  # pragma: no cover
    """masks[c] = the first ends[c] records of the order, as bits."""
    one = np.uint64(1)
    for c in range(1, masks.shape[0]):
        masks[c] = masks[c - 1]
        for i in range(ends[c - 1], ends[c]):
            masks[c, order[i] >> 6] |= one << np.uint64(order[i] & 63)


@njit
def _ones(word):  # type: ignore[no-untyped-def]  # pragma: no cover
    """How many bits are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@njit
def count(index, starts, alive, own, used, low, high, fits):  # type: ignore[no-untyped-def]  # pragma: no cover
    """How many records of the class, and how many others, a rule covers: one AND of masks an attribute."""
    words = alive.size
    one = np.uint64(1)
    for w in range(words):
        fits[w] = alive[w]
    for j in range(used.size):
        if not used[j]:
            continue
        if low[j] > high[j]:
            return 0, 0
        # The records of a range of ranks are a run of the sorted order. The masks of a slightly longer run
        # are at hand, and what it has too many at both ends is taken out again.
        place = starts[j] + j
        first, last = index.begins[place + low[j]], index.begins[place + high[j] + 1]
        before, after = index.rows[place + low[j]], index.rows[place + high[j] + 1]
        if index.at[after] < last:
            after += 1
        lower, upper = index.masks[before], index.masks[after]
        for w in range(words):
            fits[w] &= upper[w] & ~lower[w]
        for i in range(index.at[before], first):
            fits[index.order[j, i] >> 6] &= ~(one << np.uint64(index.order[j, i] & 63))
        for i in range(last, index.at[after]):
            fits[index.order[j, i] >> 6] &= ~(one << np.uint64(index.order[j, i] & 63))
    right = np.uint64(0)
    total = np.uint64(0)
    for w in range(words):
        total += _ones(fits[w])
        right += _ones(fits[w] & own[w])
    return np.int64(right), np.int64(total - right)


@njit
def _worth(p, n, own, others, measure, alpha, beta):  # type: ignore[no-untyped-def]  # pragma: no cover
    """``rule_quality.quality`` of one rule."""
    lap = (p + 1) * (own + others) / ((p + n + 2) * own)
    if measure == 0:
        return lap
    below = own + n if measure == 1 else alpha * own + beta * n
    support = p / below if below > 0 else 0.0
    return lap * support if measure == 3 else support


@njit
def _judge(position, index, ranges, records, goal, earlier, used, low, high, fits):  # type: ignore[no-untyped-def]  # pragma: no cover
    """A position's fitness, and its similarity with the earlier rules."""
    find(position, ranges, used, low, high)
    p, n = count(index, ranges.starts, records.alive, records.own, used, low, high, fits)
    fitness = 0.0
    if p > 0 and used.any():
        fitness = _worth(p, n, records.size, records.others, goal.measure, goal.alpha, goal.beta)
    alike = 0.0
    for e in range(earlier.used.shape[0]):
        for j in range(used.size):
            meet = max(low[j], earlier.low[e, j]) <= min(high[j], earlier.high[e, j])
            if used[j] and earlier.used[e, j] and meet:
                alike += 1
    return fitness, alike


@njit
def _begin(positions, ranges, likely, generator):  # type: ignore[no-untyped-def]  # pragma: no cover
    """``RuleProblem.start``: random ends in order, then which attributes are used."""
    width = ranges.low.size
    for layer in (1, 2):
        for r in range(positions.shape[0]):
            for j in range(width):
                draw = generator.random()
                positions[r, layer * width + j] = ranges.low[j] + draw * (ranges.high[j] - ranges.low[j])
    for r in range(positions.shape[0]):
        for j in range(width):
            positions[r, j] = 1.0 if generator.random() < likely else 0.0
            _sort(positions[r], j, width, ranges.nominal[j])


@njit
def _sort(position, j, width, nominal):  # type: ignore[no-untyped-def]  # pragma: no cover
    one, other = position[width + j], position[2 * width + j]
    if not nominal and one > other:
        position[width + j], position[2 * width + j] = other, one


@njit
def _move(new, positions, places, others, ranges, factor, generator, steps):  # type: ignore[no-untyped-def]  # pragma: no cover
    """``RuleProblem.neighbours``: one random attribute of each moves in both layers."""
    sources, width = new.shape[0], ranges.low.size
    for r in range(sources):
        steps[0, r] = generator.integers(0, width)
    for r in range(sources):
        steps[1, r] = generator.random()
    for layer in (2, 3):
        for r in range(sources):
            steps[layer, r] = generator.uniform(-1, 1)
    for r in range(sources):
        own, other = positions[places[r]], positions[others[r]]
        new[r] = own
        j = int(steps[0, r])
        if factor > steps[1, r]:
            new[r, j] = 0.0 if own[j] == other[j] else other[j]
        for layer in (1, 2):
            at = layer * width + j
            moved = own[at] + steps[layer + 1, r] * (own[at] - other[at])
            new[r, at] = min(max(moved, ranges.low[j]), ranges.high[j])
        _sort(new[r], j, width, ranges.nominal[j])


@njit
def _look(fitness, places, generator):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Sources in proportion to their fitness, as ``Generator.choice`` draws them."""
    sources = fitness.size
    parts = np.cumsum(fitness if fitness.sum() > 0 else np.full(sources, 1.0))
    parts /= parts[-1]
    for r in range(sources):
        places[r] = np.searchsorted(parts, generator.random(), side="right")


@njit
def search(index, ranges, records, goal, earlier, colony, generator):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The best position, its fitness, the best fitness after each iteration, and how many were judged."""
    sources, width = colony.sources, ranges.low.size
    used, low, high = np.empty(width, np.bool_), np.empty(width, np.int64), np.empty(width, np.int64)
    fits = np.empty(records.alive.size, np.uint64)
    positions, new = np.empty((sources, 3 * width)), np.empty((sources, 3 * width))
    fitness, similarity = np.empty(sources), np.empty(sources)
    new_fitness, new_similarity = np.empty(sources), np.empty(sources)
    tries, winner = np.zeros(sources, np.int64), np.empty(sources, np.int64)
    places, others, steps = np.empty(sources, np.int64), np.empty(sources, np.int64), np.empty((4, sources))
    history = np.empty(colony.iterations)
    _begin(positions, ranges, goal.likely, generator)
    for r in range(sources):
        fitness[r], similarity[r] = _judge(
            positions[r], index, ranges, records, goal, earlier, used, low, high, fits
        )
    best = fitness.argmax()
    kept, value = positions[best].copy(), fitness[best]
    judged = sources
    for iteration in range(colony.iterations):
        for looking in (False, True):
            # Employed bees stay at their own source; onlookers go where much is to be had.
            if looking:
                _look(fitness, places, generator)
            else:
                places[:] = np.arange(sources)
            for r in range(sources):
                others[r] = (places[r] + generator.integers(1, sources)) % sources
            _move(new, positions, places, others, ranges, goal.factor, generator, steps)
            winner[:] = -1
            for r in range(sources):
                new_fitness[r], new_similarity[r] = _judge(
                    new[r], index, ranges, records, goal, earlier, used, low, high, fits
                )
                tries[places[r]] += 1
            judged += sources
            for r in range(sources):
                place = places[r]
                if new_fitness[r] >= fitness[place] and new_similarity[r] <= similarity[place]:
                    if new_fitness[r] > fitness[place]:
                        tries[place] = 0
                    if winner[place] < 0 or new_fitness[r] >= new_fitness[winner[place]]:
                        winner[place] = r
            for place in range(sources):
                if winner[place] >= 0:
                    positions[place] = new[winner[place]]
                    fitness[place] = new_fitness[winner[place]]
                    similarity[place] = new_similarity[winner[place]]
        best = fitness.argmax()
        if fitness[best] > value:
            kept[:], value = positions[best], fitness[best]
        tired = np.flatnonzero(tries > colony.limit)
        if tired.size:
            fresh = np.empty((tired.size, 3 * width))
            _begin(fresh, ranges, goal.likely, generator)
            for r in range(tired.size):
                place = tired[r]
                positions[place] = fresh[r]
                fitness[place], similarity[place] = _judge(
                    fresh[r], index, ranges, records, goal, earlier, used, low, high, fits
                )
                tries[place] = 0
            judged += tired.size
        history[iteration] = value
        enough = iteration >= colony.patience and value <= history[iteration - colony.patience]
        if value >= colony.target or enough:
            return kept, value, history[: iteration + 1], judged
    return kept, value, history, judged
