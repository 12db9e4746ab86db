"""An actuator in a TOML file: every constant under its own name, in SI units, angles in radians.

A table is a part, named after the field that holds it; `kind` names its class where a field may hold several. A field
that is left out has its default. A datasheet (`Datasheet`) is what a maker prints; this is what is simulated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from .actuator import Actuator
from .actuator.networks import Gru, Lstm, Mlp
from .checks import quote
from .datasheet import Datasheet
from .errors import BackemfError, ParameterError
from .files import read_bytes, read_text, write_text
from .learned.beside import network_name, read_beside, write_beside
from .motor import Estimate, Motor
from .parts import declaration_of, members
from .toml_text import parse_toml, toml_value
from .tree import is_table
from .values import Foreign

P = TypeVar("P")

FORMAT = "backemf actuator 1"
"""What the first line of such a file says."""
JOINT = ("name", "armature", "coulomb", "stiction", "viscous", "beside")
"""What the table [joint] holds of the joint itself."""
LARGEST = 1_000_000
"""Longest file that is read [bytes]."""


def load(id_or_path: str | Path, estimate: bool = False) -> Actuator:
    """Load an `Actuator` by catalogue id, or from the path of a datasheet or of a motor file.

    Always returns an `Actuator`; its motor is `load(...).motor`. That is None for a datasheet without a winding, which
    gives an actuator with torque and speed limits only, and for a motor file without a motor. With `estimate`, what the
    datasheet of a motor does not give is estimated; `Motor.valid_estimates` lists it.
    """
    return load_with_joint(id_or_path, estimate)[0]


def load_with_joint(id_or_path: str | Path, estimate: bool = False) -> tuple[Actuator, dict[str, Foreign] | None]:
    """The actuator, and what the file says of the joint itself; None for the motor of a datasheet, which has it."""
    path = Path(id_or_path)
    if is_actuator_file(path):
        return loads_with_joint(read_text(path, LARGEST, what="a motor file"), str(path), path.parent)
    sheet = Datasheet.load(id_or_path)
    actuator = sheet.actuator(estimate=estimate)
    return actuator, sheet.joint() if actuator.motor is None else None


def save(actuator: Actuator | Motor, path: str | Path, joint: Mapping[str, Foreign] | None = None) -> None:
    """Write an actuator, or a motor on a voltage, to a file, atomically.

    The network of a learned controller goes into its own file beside it, knee.network.safetensors for knee.toml.
    """
    if isinstance(actuator, Motor):
        actuator = Actuator(actuator)
    if not isinstance(actuator, Actuator):
        raise ParameterError(f"save: {quote(actuator)}: must be an Actuator or a Motor")
    controller: Any = actuator.controller
    if controller.asks != "network":
        write_text(path, dumps(actuator, joint))
        return
    text = _text(actuator, joint, network_name(path))
    write_beside(controller.network, path)
    write_text(path, text)


def is_actuator_file(path: Path) -> bool:
    """Whether a path is that of an actuator; False too where nothing can be read, which the datasheet's reader says."""
    if path.suffix != ".toml":
        return False
    try:
        return is_actuator(read_bytes(path, LARGEST).decode("utf-8", errors="replace"))
    except ParameterError:
        return False


def is_actuator(text: str) -> bool:
    """Whether a text is an actuator rather than a datasheet."""
    return re.search(rf'^\s*format\s*=\s*"{FORMAT[:-2]}', text, re.MULTILINE) is not None


# --- writing


def dumps(actuator: Actuator, joint: Mapping[str, Foreign] | None = None) -> str:
    """TOML text of an actuator that reads back as the same one."""
    if actuator.controller.asks == "network":
        raise ParameterError(
            f"{type(actuator.controller).__name__}: a network has no place in a TOML text; save the actuator to a "
            "file, and its network is written beside it"
        )
    return _text(actuator, joint, "")


def _text(actuator: Actuator, joint: Mapping[str, Foreign] | None, network: str) -> str:
    """TOML text of an actuator; the name of its network's file stands for its network."""
    lines = ["# SI units, angles in radians, temperatures in degrees Celsius; everything at the joint but the motor.",
             f'format = "{FORMAT}"']  # fmt: skip
    own = _lines(actuator, "", single=True, network=network)
    lines += own
    known = {name: value for name, value in (joint or {}).items() if value not in (None, "", 0.0)}
    if known.get("coulomb") and (joint or {}).get("stiction") == 0.0:
        known["stiction"] = 0.0
    beside = known.pop("beside", {})
    for header, table in (("[joint]", known), ("[joint.beside]", beside)):
        if table:
            plain = {name: value if isinstance(value, str) else float(value) for name, value in table.items()}
            lines += [
                "",
                header,
                *(f"{n} = {toml_value(x) if isinstance(x, str) else repr(x)}" for n, x in plain.items()),
            ]
    text = "\n".join(lines) + "\n"
    # what is written must read back as the same actuator: better no file than one that cannot be read
    try:
        again = _actuator(text, "text", lambda name, at: getattr(actuator.controller, "network", None))[0]
        if _lines(again, "", single=True, network=network) == own:
            return text
        why = "it would read back as another actuator"
    except ParameterError as error:
        why = str(error)
    raise ParameterError(f"the actuator cannot be written as a motor file: {why}")


def actuator_lines(actuator: Actuator, header: str) -> list[str]:
    """The lines of an actuator below a table of another file, without the table's own header."""
    if actuator.controller.asks == "network":
        raise ParameterError(
            f"{type(actuator.controller).__name__}: a network has no place in this file; save the actuator to a motor "
            "file, and give its path"
        )
    return _lines(actuator, header, single=True)


def actuator_from(table: Mapping[str, Foreign], file: str, where: str) -> Actuator:
    """An actuator from such lines."""
    return _part(Actuator, dict(table), file, where)


def _lines(part: Foreign, header: str, single: bool, network: str = "") -> list[str]:
    """The lines of a part: its own values first, then the tables of the parts in it; a file's name for a network."""
    own, below = ([] if single else [f'kind = "{type(part).__name__}"']), []
    for entry in fields(part):
        value = getattr(part, entry.name)
        if value is None or (not is_dataclass(value) and _is_default(entry, value)):
            continue
        name = f"{header}.{entry.name}" if header else entry.name
        alone = _only_kind(entry) is not None
        if isinstance(value, (Mlp, Lstm, Gru)):
            own.append(f"{entry.name} = {toml_value(network)}")
        elif is_dataclass(value):
            below += ["", f"[{name}]", *_lines(value, name, alone, network)]
        elif isinstance(value, tuple) and value and is_dataclass(value[0]):
            for item in value:
                below += ["", f"[[{name}]]", *_lines(item, name, alone)]
        else:
            own.append(f"{entry.name} = {_plain(type(part).__name__, entry, value)}")
    return own + below


def _is_default(entry: Field, value: Foreign) -> bool:
    if entry.default is MISSING or value is None or entry.default is None:
        return value is entry.default
    if isinstance(value, (bool, str, tuple, list)) or isinstance(entry.default, (bool, str, tuple)):
        return type(entry.default) is type(value) and value == entry.default
    # a number, whether plain or NumPy's
    return np.size(value) == 1 and bool(np.all(np.asarray(value) == entry.default))


def _plain(kind: str, entry: Field, value: Foreign) -> str:
    if isinstance(value, (bool, str)):
        return toml_value(value)
    if isinstance(value, (tuple, list)) or is_table(entry):
        return _row(value)
    known = np.asarray(value)
    if known.dtype.kind not in "fiub" or known.size != 1:
        raise ParameterError(f"{kind}.{entry.name} = {value}: a file holds one number; write one file per motor")
    return repr(known.reshape(()).item())


def _row(values: Foreign) -> str:
    """Texts, numbers or rows of numbers, as TOML has them; NumPy's own numbers become plain ones."""
    plain = [x if isinstance(x, str) else np.asarray(x).tolist() for x in values]
    return toml_value(plain) if any(isinstance(x, str) for x in plain) else repr(plain)


# --- reading


def loads(text: str, file: str = "text") -> Actuator:
    """An actuator from TOML text; `file` stands for it in messages."""
    return loads_with_joint(text, file)[0]


def loads_with_joint(text: str, file: str = "text", folder: Path | None = None) -> tuple[Actuator, dict[str, Foreign]]:
    """The actuator, and what the text says of the joint itself; a network is looked for in the folder."""
    return _actuator(text, file, lambda name, at: read_beside(name, folder, at))


def _actuator(text: str, file: str, network: Callable[[Foreign, str], object]) -> tuple[Actuator, dict[str, Foreign]]:
    """Actuator and joint of a text; `network(name, at)` gives the network of a file by its name."""
    content = parse_toml(text, file, ParameterError, "an actuator")
    found = content.pop("format", None)
    if found != FORMAT:
        raise ParameterError(f'{file}: format = {found!r}: must be "{FORMAT}"')
    joint = content.pop("joint", {})
    controller = content.get("controller")
    if isinstance(controller, dict) and "network" in controller:
        controller["network"] = network(controller["network"], f"{file}, [controller]")
    return _part(Actuator, content, file, ""), _joint(joint, file)


def _joint(joint: object, file: str) -> dict[str, Foreign]:
    if not isinstance(joint, dict):
        raise ParameterError(f"{file}: joint = {joint!r}: must be a table")
    for name, value in joint.items():
        if name not in JOINT:
            raise ParameterError(f"{file}, [joint] {name}: {_no_such(name, JOINT)}")
        if name == "beside":
            _beside(value, file)
        elif name == "name" and not isinstance(value, str):
            raise ParameterError(f"{file}, [joint] {name} = {value!r}: must be a text")
        elif name != "name" and not (_is_finite(value) and float(value) >= 0.0):
            raise ParameterError(f"{file}, [joint] {name} = {value!r}: must be a number, 0 or more")
    return joint


def _beside(table: object, file: str) -> None:
    for name, value in table.items() if isinstance(table, dict) else [("beside", table)]:
        if not _is_finite(value):
            raise ParameterError(f"{file}, [joint.beside] {name} = {value!r}: must be a number")


def _is_finite(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and bool(np.isfinite(value))


def _part(kind: type[P], content: dict[str, Foreign], file: str, where: str) -> P:
    """A part from its table."""
    known = {entry.name: entry for entry in fields(kind)}  # pyright: ignore[reportArgumentType]
    at = f"{file}, [{where}]" if where else file
    values = {}
    for name, value in content.items():
        if name not in known:
            raise ParameterError(f"{at} {name}: {_no_such(name, known)}")
        values[name] = _value(known[name], value, file, f"{where}.{name}" if where else name)
    missing = [n for n, e in known.items() if e.default is MISSING and e.default_factory is MISSING and n not in values]
    if missing:
        raise ParameterError(f"{at}: {kind.__name__} needs {' and '.join(missing)}")
    try:
        return kind(**values)
    except BackemfError as error:
        raise ParameterError(f"{at}: {error}") from None
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{at}: {kind.__name__} cannot be made of this: {error}") from None


def _value(entry: Field, value: Foreign, file: str, where: str) -> object:
    if isinstance(value, dict):
        content = dict(value)
        only = _only_kind(entry)
        name = content.pop("kind", None if only is None else only.__name__)
        return _part(_kind(name, entry, file, where), content, file, where)
    if isinstance(value, list):
        items = [_value(entry, item, file, where) for item in value]
        return np.array(items, dtype=float) if _is_row(entry, items) else tuple(items)
    if isinstance(value, (str, bool, int, float, Mlp, Lstm, Gru)):
        return value
    raise ParameterError(f"{file}, {where} = {value}: must be a number, a text or a table")


def _is_row(entry: Field, items: list[object]) -> bool:
    return is_table(entry) and all(isinstance(item, (int, float)) for item in items)


def _kind(name: Foreign, entry: Field, file: str, where: str) -> type:
    allowed = _kinds(entry)
    if name not in allowed:
        given = "has no kind" if name is None else f"kind = {name!r}"
        raise ParameterError(f"{file}, [{where}] {given}: must be one of {', '.join(sorted(allowed))}")
    return allowed[name]


def _kinds(entry: Field) -> dict[str, type]:
    """Classes that a field may hold, by name."""
    declaration = declaration_of(entry)
    if declaration is None or declaration.role not in ("part", "parts", "record"):
        return {}
    return {"Estimate": Estimate} if declaration.role == "record" else members(declaration)


def _only_kind(entry: Field) -> type | None:
    """The one class that a field may hold; None where there are several, or none."""
    found = _kinds(entry)
    return next(iter(found.values())) if len(found) == 1 else None


def _no_such(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, list(known), n=1)
    hint = f"did you mean {near[0]}" if near else f"must be one of {', '.join(known)}"
    return f"there is no such field: {hint}"
