"""The documentation is true: its code runs, its commands exist, its links lead somewhere."""

from __future__ import annotations

import pkgutil
import re
import runpy
import shlex
import tomllib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import privet
from privet import errors
from privet.cli import app
from privet.cli.output import Output
from privet.demo.patients import patients
from privet.parameters import parameters_of
from privet.registry import ALGORITHMS
from privet.sources import ArrowSource, write_csv

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")])


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a page that are in a language."""
    return re.findall(
        rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


def named(pages: list[Path]) -> list[object]:
    return [pytest.param(page, id=str(page.relative_to(ROOT))) for page in pages]


def test_there_is_something_to_test() -> None:
    assert len(PAGES) > 20
    assert sum(len(blocks(page, "python")) for page in PAGES) > 10
    assert sum(len(blocks(page, "console")) for page in PAGES) > 10


@pytest.mark.parametrize("page", named([page for page in PAGES if blocks(page, "python")]))
def test_the_python_of_a_page_runs_from_top_to_bottom(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks(page, "python")), encoding="utf-8")
    runpy.run_path(str(script))


@pytest.mark.parametrize("example", named(sorted(ROOT.glob("examples/*.py"))))
def test_an_example_runs(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out


def commands(page: Path) -> list[list[str]]:
    """The words of every ``$ privet …`` line, and of every such command within a sentence."""
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"^\$ privet (.+)$", text, re.MULTILINE)
    inline = re.findall(r"`privet ([^`]+)`", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))
    return [shlex.split(line) for line in [*lines, *inline]]


def fault(words: list[str]) -> str | None:
    """What is wrong with a command: an unknown subcommand or option; nothing where it is fine."""
    command: click.Command = app
    context = click.Context(app, info_name="privet")
    while words and isinstance(command, click.Group) and not words[0].startswith("-"):
        found = None if words[0].isupper() else command.get_command(context, words[0])
        if found is None:
            return None if words[0].isupper() else f"there is no command {words[0]!r}"
        command, words = found, words[1:]
        context = click.Context(command, parent=context, info_name=command.name)
    known = {option for parameter in command.get_params(context) for option in parameter.opts}
    unknown = [word for word in words if word.startswith("--") and word.partition("=")[0] not in known]
    return f"{command.name} has no option {unknown[0]}" if unknown else None


@pytest.mark.parametrize("page", named([page for page in PAGES if commands(page)]))
def test_every_command_named_exists_with_its_options(page: Path) -> None:
    faults = {" ".join(words): fault(words) for words in commands(page)}
    assert not {command: found for command, found in faults.items() if found}


@pytest.mark.parametrize(
    ("page", "codes"),
    [("README.md", {}), ("docs/tutorials/first-model-on-the-command-line.md", {"ben": 5})],
)
def test_the_commands_of_a_story_work_in_their_order(
    page: str, codes: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # The reader sits at a terminal, and says yes to what is asked there.
    monkeypatch.setattr(Output, "interactive", property(lambda self: not self.json))
    table = patients(2000)
    for name, part in (("patients", table.slice(0, 1500)), ("holdout", table.slice(1500)), ("new", table)):
        write_csv(ArrowSource(part), f"{name}.csv")
    lines = re.findall(r"^\$ privet (.+)$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
    commands = [shlex.split(line) for line in lines if line != "demo"]
    assert len(commands) >= 8
    for words in commands:
        wanted = next((code for name, code in codes.items() if name in words), 0)
        done = CliRunner().invoke(app, words, input="y\n")
        assert done.exit_code == wanted, f"privet {' '.join(words)}: {done.output}"


def test_the_check_of_commands_finds_faults() -> None:
    assert fault(["fit", "naive-bayes", "x.csv", "--epsilon", "1"]) is None
    assert fault(["schema", "guess", "x.csv"])
    assert fault(["fit", "naive-bayes", "x.csv", "--epsilom", "1"])


@pytest.mark.parametrize("page", named(PAGES))
def test_links_within_the_documentation_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)\)", page.read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link]
    assert not [link for link in local if not (page.parent / link).exists()]


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        links = re.findall(r"\]\(([^)#\s]+)\)", page.read_text(encoding="utf-8"))
        waiting += [(page.parent / link).resolve() for link in links if "://" not in link]
    assert set(PAGES) == reached


def test_the_index_lists_every_page_of_its_own_folders() -> None:
    index = ROOT / "docs/index.md"
    links = re.findall(r"\]\(([^)#\s]+)\)", index.read_text(encoding="utf-8"))
    listed = {(index.parent / link).resolve() for link in links}
    folders = ("tutorials", "how-to", "concepts", "reference")
    assert {page for folder in folders for page in index.parent.glob(f"{folder}/*.md")} <= listed


def long_lines(text: str) -> list[str]:
    """Lines of more than 120 characters, without tables and targets of links: those cannot be wrapped."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("|")]
    return [line for line in lines if len(re.sub(r"\]\([^)\s]*\)", "]", line)) > 120]


def test_the_check_of_lines_finds_long_ones() -> None:
    link = f"[a link](https://example.org/{'a' * 120})"
    assert not long_lines("\n".join(["a" * 120, "ε" * 120, f"| {'a' * 120} |", link]))
    assert long_lines("a" * 121)
    assert long_lines(f"{link} {'a' * 120}")


#: Written by a program, a line for each parameter.
GENERATED = {ROOT / "docs/reference"}
PROSE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
PROSE += [page for page in sorted(ROOT.glob("docs/**/*.md")) if not GENERATED & set(page.parents)]


@pytest.mark.parametrize("page", named(PROSE))
def test_lines_of_prose_are_short_enough_to_read_and_to_compare(page: Path) -> None:
    assert not long_lines(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", named([page for page in PAGES if page.name != "CHANGELOG.md"]))
def test_files_and_modules_named_in_a_sentence_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    files = re.findall(r"`((?:src|tests|docs|benchmarks)/[\w/.-]+)`", text)
    assert not [name for name in files if not (ROOT / name).exists()]
    modules = set(re.findall(r"`(privet(?:\.[a-z_]+)+)(?:\.[A-Z]\w*)?`", text))
    assert not [name for name in modules if not exists(name)]


def exists(dotted: str) -> bool:
    """Whether a dotted name is a module of Privet, or a name within one."""
    try:
        pkgutil.resolve_name(dotted)
    except (ImportError, AttributeError):
        return False
    return True


def test_the_check_of_modules_finds_faults() -> None:
    assert exists("privet.budget.tight_epsilon")
    assert not exists("privet.budget.loose_epsilon")
    assert not exists("privet.no_such_module")


def test_every_registered_algorithm_and_parameter_is_documented() -> None:
    text = (ROOT / "docs/reference/algorithms.md").read_text(encoding="utf-8")
    for entry in ALGORITHMS:
        assert entry.name in text
        for parameter in parameters_of(entry.load()):
            assert f"`{parameter.name}`" in text, f"{entry.name}: {parameter.name}"


def test_every_public_name_and_error_is_documented() -> None:
    text = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")
    for name in privet.__all__:
        assert re.search(rf"`{name}\b", text), name
    for name, error in vars(errors).items():
        if (
            isinstance(error, type)
            and issubclass(error, errors.PrivetError)
            and error is not errors.PrivetError
        ):
            assert f"| `{name}` | {error.exit_code} |" in text, name


def test_lazy_names_and_those_that_type_checkers_see_are_the_same() -> None:
    lazy = {name for names in privet._HOMES.values() for name in names}
    source = (ROOT / "src/privet/__init__.py").read_text(encoding="utf-8")
    block = source[source.index("if TYPE_CHECKING:") : source.index("__all__")]
    block = re.sub(r"\(([^)]*)\)", lambda found: " ".join(found[1].split()).rstrip(","), block)
    typed = {name.strip() for line in re.findall(r"import (.+)", block) for name in line.split(",")}
    assert lazy == typed == set(privet.__all__)


def test_the_changelog_knows_the_version_and_the_makefile_its_targets() -> None:
    assert "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for page in PAGES:
        for target in re.findall(r"(?:`|^\$ )make ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE):
            assert target in targets, f"{page.name}: make {target}"


def test_the_readme_names_every_extra() -> None:
    """Those for developers aside."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].keys() - {"all", "dev", "experiments"}
    _, after = (ROOT / "README.md").read_text(encoding="utf-8").split("the extras are")
    told = set(re.findall(r"`(\w+)`", after.split("## ")[0].split(".")[0]))
    assert told == extras
