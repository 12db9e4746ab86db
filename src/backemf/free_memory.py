"""How much memory this process may still take: what the machine has left, and what its limits leave.

Limits are those of control groups, which containers, systemd and the queues of clusters set, and of the address space
(`ulimit -v`). A process that goes beyond one is killed without a word.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from . import files
from .errors import ParameterError

_UNLIMITED = 2**60
"""What the kernel writes for no limit is a little less than 2^63 [bytes]."""
_GROUPS = {
    "": (("/sys/fs/cgroup", "/sys/fs/cgroup/unified"), "memory.max", "memory.current", "inactive_file"),
    "memory": (("/sys/fs/cgroup/memory",), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}
"""By controller, as `/proc/self/cgroup` names it: where groups are; limit, use, and what of it is only kept files."""


def free_memory(root: str = "/") -> int | None:
    """Memory that this process may still take [bytes]; None where it is not known. Below `root` are /proc and /sys."""
    found = _free_on_machine(root), *_free_in_groups(root), _free_addresses(root)
    known = [size for size in found if size is not None]
    return max(0, min(known)) if known else None


def _free_on_machine(root: str) -> int | None:
    """What could be taken without anything being killed, swap included; elsewhere than on Linux all that there is."""
    table = _table(Path(root, "proc/meminfo"))
    if "MemAvailable" in table:
        return 1024 * (table["MemAvailable"] + table.get("SwapFree", 0))
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _free_in_groups(root: str) -> Iterator[int]:
    """What each control group that this process is in has left, up to the outermost one."""
    for line in _text(Path(root, "proc/self/cgroup")).splitlines():
        _, controllers, name = [*line.split(":", 2), "", ""][:3]
        for controller in {"", "memory"} & set(controllers.split(",")):
            places, limit, use, kept = _GROUPS[controller]
            inner = Path(name.lstrip("/"))
            for place in places:
                # a container sees its own group as the outermost one, under a name that does not exist inside
                for group in (inner, *inner.parents):
                    folder = Path(root, place.lstrip("/"), group)
                    most = _number(_text(folder / limit))
                    if most is not None and most < _UNLIMITED:
                        used = _number(_text(folder / use)) or 0
                        yield most - used + _table(folder / "memory.stat").get(kept, 0)


def _free_addresses(root: str) -> int | None:
    """What the limit of the address space leaves."""
    try:
        import resource
    except ImportError:  # there is none on Windows
        return None
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY:
        return None
    pages = _number(_text(Path(root, "proc/self/statm")).partition(" ")[0]) or 0
    return most - pages * resource.getpagesize()


def _table(path: Path) -> dict[str, int]:
    """The numbers of one of the kernel's tables, by name."""
    rows = (line.replace(":", " ").split() for line in _text(path).splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}


def _text(path: Path) -> str:
    """The text of one of the kernel's files; empty where there is none."""
    try:
        return files.read_text(path)
    except ParameterError:
        return ""


def _number(text: str) -> int | None:
    """A whole number; None where a file says "max", or nothing."""
    return int(text) if text.strip().isdigit() else None
