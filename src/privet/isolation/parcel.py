"""A function packed to travel: its code, and nothing beside it that could be a table.

What may travel:

- functions and classes of Python and of installed packages, by name;
- all other functions (a lambda, a notebook's, a module's that is not installed) by their code, and with each
  the functions and modules that it names, by the same rules;
- the values that they hold in closures, defaults and global names: None, bool, int, float, complex, str,
  bytes, and tuples, lists, sets, frozensets and dicts of these, of ``LARGEST`` bytes together;
- ``functools.partial`` of these.

All else is refused: arrays, frames, tables, open files, objects. A plain value can still have been read off
the data (a mean, say), and so can the code; no machine can tell. So the guarantee lists the function and what
it holds among what is taken to be public.
"""

from __future__ import annotations

import builtins
import dis
import importlib
import marshal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from privet.errors import ParameterError
from privet.isolation.installed import is_installed

__all__ = ["LARGEST", "Parcel", "pack", "unpack"]

#: How many bytes of values a function may hold.
LARGEST = 4096
_LARGEST_CODE = 1 << 20
_PLAIN = (bool, int, float, complex, str, bytes)
_DEEPEST = 20
_GLOBAL_NAMES = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")


@dataclass(frozen=True)
class Parcel:
    """A packed function, and the installed modules that it needs."""

    content: bytes
    modules: tuple[str, ...]


def pack(function: Callable[[Any], Any]) -> Parcel:
    """Pack a function, or refuse it.

    >>> factor = 3
    >>> parcel = pack(lambda table: factor * len(table))
    >>> unpack(parcel.content)([1, 2])
    6
    """
    packer = _Packer()
    root = packer.value(function, "function")
    if root[0] == "plain":
        raise ParameterError("The function is not a function.")
    try:
        content = marshal.dumps((root, packer.functions, packer.namespaces))
    except ValueError:
        content = b""
    if not 0 < len(content) <= _LARGEST_CODE:
        raise ParameterError(
            "The function's code cannot be sent to another process, or is larger than a megabyte.",
            "Move long parts to a package and install it.",
        )
    return Parcel(content, tuple(sorted(packer.modules | packer.parts())))


class _Packer:
    def __init__(self) -> None:
        self.functions: list[Any] = []
        self.namespaces: list[dict[str, Any]] = []
        self.modules: set[str] = set()
        self._known: dict[int, int] = {}
        self._spaces: dict[int, int] = {}
        self._names: set[str] = set()
        self._size = 0

    def value(self, value: Any, what: str) -> tuple[Any, ...]:
        """How a value travels."""
        if isinstance(value, ModuleType):
            return self._module(value.__name__, what)
        if type(value) is partial:
            return (
                "partial",
                self.value(value.func, what),
                [self.value(item, what) for item in value.args],
                {name: self.value(item, what) for name, item in value.keywords.items()},
            )
        if named := _name_of(value):
            self.modules.add(named[0])
            return ("named", *named)
        if isinstance(value, FunctionType):
            return ("function", self._function(value))
        if isinstance(value, type):
            raise ParameterError(
                f"The function uses the class '{value.__name__}', which no installed package has.",
                "Define the class inside the function, or install the package that it is in.",
            )
        self._plain(value, what)
        return ("plain", value)

    def _module(self, name: str, what: str) -> tuple[Any, ...]:
        if not is_installed(name):
            raise ParameterError(
                f"The function uses the module '{name}', which is not installed. It could read the table "
                "when it is loaded.",
                "Import the functions that you need from it by name (from module import name), or install it "
                "as a package.",
            )
        self.modules.add(name)
        return ("module", name)

    def _function(self, function: FunctionType) -> int:
        if (known := self._known.get(id(function))) is not None:
            return known
        place = self._known[id(function)] = len(self.functions)
        self.functions.append(None)
        code = function.__code__
        cells: list[tuple[Any, ...] | None] = []
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            try:
                held = cell.cell_contents
            except ValueError:  # not set yet
                cells.append(None)
                continue
            cells.append(self.value(held, f"'{name}'"))
        defaults = [self.value(v, "a default") for v in function.__defaults__ or ()]
        named = {
            k: self.value(v, f"the default of '{k}'") for k, v in (function.__kwdefaults__ or {}).items()
        }
        space = self._space(function)
        self.functions[place] = (code, function.__name__, space, cells, defaults, named)
        return place

    def _space(self, function: FunctionType) -> int:
        """The global names that a function's code uses. Functions of one module share them."""
        place = self._spaces.setdefault(id(function.__globals__), len(self.namespaces))
        if place == len(self.namespaces):
            self.namespaces.append({})
        space = self.namespaces[place]
        self._names |= {name for code in _codes(function.__code__) for name in code.co_names}
        for step in (step for code in _codes(function.__code__) for step in dis.get_instructions(code)):
            name = step.argval
            if step.opname == "IMPORT_NAME":
                if is_installed(name):
                    self.modules.add(name)
            elif step.opname in _GLOBAL_NAMES and name in function.__globals__ and name not in space:
                space[name] = ("plain", None)  # a function may name itself
                space[name] = self.value(function.__globals__[name], f"'{name}'")
        return place

    def parts(self) -> set[str]:
        """The modules within the modules that the code may mean: ``sklearn.linear_model`` by these two "
        "names."""
        return {
            name
            for name in list(sys.modules)
            for module in self.modules
            if name.startswith(module + ".") and self._names.issuperset(name[len(module) + 1 :].split("."))
        }

    def _plain(self, value: Any, what: str, depth: int = 0) -> None:
        if type(value) in (tuple, list, set, frozenset):
            parts = list(value)
        elif type(value) is dict:
            parts = [part for pair in value.items() for part in pair]
        elif value is None or value is Ellipsis or type(value) in _PLAIN:
            parts = []
        else:
            raise ParameterError(
                f"The function holds {what}, of the type {type(value).__name__}: it could hold records, and "
                "then nothing would be protected.",
                "Let a function hold numbers, texts, and small tuples, lists and dicts of these. All else it "
                "computes from its block.",
            )
        self._size += len(value) if isinstance(value, str | bytes) else 8
        self._size += value.bit_length() // 8 if isinstance(value, int) else 0
        if self._size > LARGEST or depth > _DEEPEST:
            raise ParameterError(
                f"The function holds more than {LARGEST} bytes of values, {what} among them: that could be "
                "records.",
                "Let it hold a few numbers and texts only.",
            )
        for part in parts:
            self._plain(part, what, depth + 1)


def _name_of(value: Any) -> tuple[str, str] | None:
    """Module and name of what an installed module offers."""
    module, name = (
        getattr(value, "__module__", None),
        getattr(value, "__qualname__", getattr(value, "__name__", None)),
    )
    if not (isinstance(module, str) and isinstance(name, str) and callable(value)):
        return None
    try:
        found = _get(module, name) if is_installed(module) else None
    except Exception:
        return None
    return (module, name) if found is value else None


def _get(module: str, name: str) -> Any:
    found: Any = sys.modules.get(module) or importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _codes(part)


def unpack(content: bytes) -> Callable[[Any], Any]:
    """The function. It is to be called in a closed cell only: the code is anybody's."""
    root, entries, namespaces = marshal.loads(content)
    spaces: list[dict[str, Any]] = [{"__builtins__": builtins, "__name__": "function"} for _ in namespaces]
    functions = []
    for code, name, space, cells, _, _ in entries:
        closure = tuple(CellType() for _ in cells)
        functions.append(FunctionType(code, spaces[space], name, None, closure))

    def restored(packed: tuple[Any, ...]) -> Any:
        kind, *parts = packed
        if kind == "function":
            return functions[parts[0]]
        if kind == "module":
            return importlib.import_module(parts[0])
        if kind == "named":
            return _get(*parts)
        if kind == "partial":
            held = {name: restored(item) for name, item in parts[2].items()}
            return partial(restored(parts[0]), *map(restored, parts[1]), **held)
        return parts[0]

    for function, (_, _, _, cells, defaults, named) in zip(functions, entries, strict=True):
        for cell, held in zip(function.__closure__ or (), cells, strict=True):
            if held is not None:
                cell.cell_contents = restored(held)
        function.__defaults__ = tuple(map(restored, defaults)) or None
        function.__kwdefaults__ = {name: restored(item) for name, item in named.items()} or None
    for space, packed in zip(spaces, namespaces, strict=True):
        space |= {name: restored(item) for name, item in packed.items()}
    unpacked: Callable[[Any], Any] = restored(root)
    return unpacked
