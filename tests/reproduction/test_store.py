"""The store keeps every result, whoever writes it and whatever happens meanwhile."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from reproduction.store import Store


def _put_many(folder, writer):
    for number in range(20):
        Store("paper", "page", folder).put(f"{writer}/{number:02}", [writer, number])


def test_several_processes_add_to_one_file(tmp_path):
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        for done in [pool.submit(_put_many, tmp_path, writer) for writer in range(3)]:
            done.result()
    found = Store("paper", "page", tmp_path).read()
    assert len(found) == 60
    assert all(
        found[f"{writer}/{number:02}"] == [writer, number] for writer in range(3) for number in range(20)
    )


def test_lines_are_sorted_so_that_the_order_of_measuring_leaves_no_trace(tmp_path):
    one, other = Store("paper", "one", tmp_path), Store("paper", "other", tmp_path)
    for store, cells in ((one, "abc"), (other, "cab")):
        for cell in cells:
            store.put(cell, {"value": cell})
    assert one.path.read_text() == other.path.read_text()
    assert one.path.read_text().splitlines()[0] == '{"cell": "a", "result": {"value": "a"}}'
    assert sorted(path.name for path in one.path.parent.iterdir()) == ["one.jsonl", "other.jsonl"]


def test_a_result_that_cannot_be_written_leaves_the_others(tmp_path):
    store = Store("paper", "page", tmp_path)
    store.put("a", 1)
    with pytest.raises(TypeError):
        store.put("b", object())
    assert store.read() == {"a": 1}
