"""No face's own words below it: errors and notes outside the command line name no option and no command."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from privet.service import USE_CASES

SOURCE = Path(__file__).parents[1] / "src" / "privet"
COMMANDS = sorted({entry.words[0] for entry in USE_CASES})
TYPED = re.compile(rf"(?<![\w-])--[a-z][a-z-]+|\bprivet (?:{'|'.join(COMMANDS)})\b")
# Where such words are made or told: commands, a story about them, a style sheet, PostgreSQL's own programs.
ELSEWHERE = ("cli/", "service/exporting.py", "service/demonstration/", "report/look.py", "server/dumping.py")
# And PLINK's own options.
FOREIGN = re.compile(r"plink1\.9 | --make-bed ")


def strings(tree: ast.AST) -> Iterator[ast.Constant]:
    """Every text in the code but the docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node


def typed_in(code: str) -> list[tuple[int, str]]:
    return [
        (node.lineno, node.value)
        for node in strings(ast.parse(code))
        if TYPED.search(node.value) and not FOREIGN.search(node.value)
    ]


def test_nothing_but_the_command_line_speaks_of_options_and_commands():
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith(ELSEWHERE) and (typed := typed_in(path.read_text(encoding="utf-8"))):
            found[name] = typed
    assert found == {}


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ('raise ParameterError("No.", "Run  privet ledger verify")', 1),
        ('raise ParameterError("No.", f"Leave it out (--ignore {name}).")', 1),
        ('def f():\n    """What --force does."""\n    return "x -- y, a--b, privet perturbation key"', 0),
    ],
)
def test_what_counts_as_typed(code: str, count: int):
    assert len(typed_in(code)) == count


# Turns at which a native reader stumbles, and what to say instead.
STUMBLES = {
    r"\banew\b": "again",
    r"\b[Ff]oret(?:ell|old)": "forecast, predict",
    r"\bshall\b": "is to",
    r"\ban own\b": "… of its own",
    r"\b(?:has|have) not (?:the|a|an|one|any)\b": "does not have",
    r"\b(?:after|about|at most|multiples of|sample of) so (?:many|much|long)\b": "this many",
    r"\bif need be\b": "if needed",
    r"\bunless it is said\b": "unless stated",
}
KEYS = re.compile(r"[\w.-]+")  # a key or a name, no text


def test_texts_avoid_turns_at_which_a_reader_stumbles():
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in strings(ast.parse(path.read_text(encoding="utf-8"))):
            turns = [turn for turn in STUMBLES if re.search(turn, str(node.value))]
            if turns and not KEYS.fullmatch(str(node.value)):
                found[f"{path.relative_to(SOURCE)}:{node.lineno}"] = [STUMBLES[turn] for turn in turns]
    for path in sorted((SOURCE.parents[1] / "docs" / "reference").glob("*.md")):  # help, from docstrings too
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if turns := [turn for turn in STUMBLES if re.search(turn, line)]:
                found[f"{path.name}:{number}"] = [STUMBLES[turn] for turn in turns]
    assert found == {}


def test_the_contract_of_imports_names_every_package_below_the_command_line():
    import tomllib

    settings = tomllib.loads((SOURCE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    [contract] = [c for c in contracts if c.get("source_modules") == ["privet.cli"]]
    names = {
        path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    allowed = {"__init__", "__main__", "cli", "service", "registry", "families", "parameters", "errors"}
    assert set(contract["forbidden_modules"]) == {f"privet.{name}" for name in names - allowed}
