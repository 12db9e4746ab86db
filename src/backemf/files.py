"""Reading and writing files: written atomically, and read only if they are plain files of a bounded size.

Everything else in the package goes through here, so that a full disk, a pipe in the place of a file or a file without
end raises the same error everywhere.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .errors import BackemfError, ParameterError

AnyPath = str | os.PathLike[str]
LARGEST_TEXT = 16_000_000
"""Longest text that is read where a reader does not say otherwise [bytes]."""
_REMEDIES = {
    errno.ENOSPC: "free some space, or write to another disk",
    errno.EDQUOT: "free some space, or write to another disk",
    errno.EFBIG: "write to a disk that takes files of this size",
    errno.EACCES: "write to a folder that is yours",
    errno.EPERM: "write to a folder that is yours",
    errno.EROFS: "write to another folder",
    errno.ENOENT: "make the folder first",
    errno.ENOTDIR: "give a path whose folders are folders",
    errno.EISDIR: "give a file in it",
    errno.ENAMETOOLONG: "give it a shorter name",
}
"""Remedies for errors of the operating system that a user can fix."""
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)
"""What may be in the place of a file."""


# --- writing


def write_text(path: AnyPath, text: str, folders: bool = False) -> Path:
    """Write a text to a file atomically."""
    return write_bytes(path, text.encode("utf-8"), folders)


def write_with(path: AnyPath, text: str, beside: Mapping[str, bytes]) -> Path:
    """Write a text after the files that belong beside it."""
    for name, content in beside.items():
        write_bytes(Path(path).parent / name, content)
    return write_text(path, text)


def write_bytes(path: AnyPath, content: bytes, folders: bool = False) -> Path:
    """Write a file atomically; with `folders`, those that its path lacks are made."""
    if folders:
        make_folder(Path(path).parent)
    with replacing(path) as file:
        file.write(content)
    return Path(path)


@contextmanager
def replacing(path: AnyPath) -> Iterator[BinaryIO]:
    """A new file that takes the place of `path` at the end of the block, and is removed if the block fails.

    Its name cannot be guessed, and it is never an existing file or link. An existing file keeps its permissions; a link
    is replaced, and its target does not change. A library that needs a path writes to the file's `name`.
    """
    target = Path(path)
    beside = target.with_name(f".{secrets.token_hex(8)}{target.suffix}") if target.name else target
    made = False
    try:
        before = _existing(target)
        file = _create(beside, 0o666 if before is None else before.st_mode & 0o777)
        made = True
        with file:
            yield file
        put_in_place(beside, target)
    except OSError as error:
        raise unwritable(target, error) from None
    finally:
        if made:
            with suppress(OSError):
                beside.unlink(missing_ok=True)


def put_in_place(whole: Path, path: AnyPath) -> None:
    """Rename a complete file over another; it is on the disk when this returns. Raises `OSError`."""
    target = Path(path)
    before = _existing(target)
    if before is not None:
        _keep_permissions(whole, before)
    _sync(whole)
    os.replace(whole, target)
    with suppress(OSError):  # some file systems cannot, and the file is whole without it
        _sync(target.parent)


def create(path: AnyPath) -> BinaryIO:
    """A new file under a known name, such as that of a recording; an existing one is replaced."""
    target = Path(path)
    try:
        _existing(target)
        with suppress(FileNotFoundError):
            target.unlink()
        return _create(target)
    except OSError as error:
        raise unwritable(target, error) from None


def open_lock(path: AnyPath) -> BinaryIO:
    """A file that stands for a lock, made where there is none; never a link. What is in it stays."""
    flags = os.O_RDWR | os.O_CREAT
    for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, name, 0)
    try:
        return os.fdopen(os.open(path, flags, 0o666), "r+b")
    except OSError as error:
        raise unwritable(Path(path), error) from None


def require_writable(path: AnyPath) -> None:
    """Check that nothing stands in the way of a file that is written later: no folder or device of its name."""
    try:
        _existing(Path(path))
    except OSError as error:
        raise unwritable(Path(path), error) from None


def room_on_disk(path: AnyPath) -> int | None:
    """Free space where a file will be written [bytes]; None where it is not known."""
    try:
        return shutil.disk_usage(Path(path).resolve().parent).free
    except (OSError, ValueError):  # what is wrong with the path is said where it is written
        return None


def make_folder(path: AnyPath) -> Path:
    """Make a folder and its missing parents."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(Path(path), error) from None
    return Path(path)


def make_private_folder(path: AnyPath) -> Path:
    """Make a folder that only its user can enter; raises `ParameterError` where it is someone else's or open to all."""
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            target.mkdir(mode=0o700)
        found = target.lstat()
    except OSError as error:
        raise unwritable(target, error) from None
    own = not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o077)
    if not stat.S_ISDIR(found.st_mode) or not own:
        raise ParameterError(f"{target}: must be a folder of yours that nobody else can enter: chmod 700, or remove it")
    return target


def remove_oldest(folder: AnyPath, suffix: str, keep: int) -> None:
    """Remove the oldest files of a kind from a folder until `keep` are left."""
    found = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):  # another process removes them too
                if entry.name.endswith(suffix):
                    found.append((entry.stat(follow_symlinks=False).st_mtime, entry.path))
    for _, path in sorted(found)[: max(0, len(found) - keep)]:
        with suppress(OSError):
            os.unlink(path)


def unwritable(path: Path, error: OSError) -> ParameterError:
    """Why a file cannot be written, and what to do."""
    remedy = _REMEDIES.get(error.errno or 0)
    return ParameterError(f"{path}: cannot be written: {error.strerror or error}{f'; {remedy}' if remedy else ''}")


def _create(path: Path, mode: int = 0o666) -> BinaryIO:
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
    for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, name, 0)
    return open(path, "wb", opener=lambda name, _: os.open(name, flags, mode))


def _existing(path: Path) -> os.stat_result | None:
    """The file that is replaced; None: there is none, or a link. Anything else is an error."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ParameterError(f"{str(path)[:200]!r}: cannot be written: {error}; give the path of a file") from None
    if stat.S_ISLNK(found.st_mode):
        with suppress(OSError):
            _require_file(path, path.stat(), "written", ParameterError)
        return None
    _require_file(path, found, "written", ParameterError)
    return found


def _keep_permissions(path: Path, before: os.stat_result) -> None:
    with suppress(OSError, AttributeError):  # only the administrator gives files away
        os.chown(path, before.st_uid, before.st_gid)
    os.chmod(path, before.st_mode & 0o777)


def _sync(path: Path) -> None:
    """Wait until a file or a folder is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# --- reading


def read_text(
    path: AnyPath, limit: int = LARGEST_TEXT, error: type[BackemfError] = ParameterError, what: str = ""
) -> str:
    """The text of a file in UTF-8, with or without a byte-order mark; lines end in a line feed.

    Args:
        path: A plain file.
        limit: Longest file that is read [bytes].
        error: Class of the error that is raised.
        what: What the file should be, such as "a TOML file", for the message.
    """
    content = read_bytes(path, limit, error, what)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise error(
            f"{path}: cannot be read: it is not UTF-8 text (byte 0x{content[fault.start]:02x} at offset {fault.start})"
            f"; {f'give {what}' if what else 'save it as UTF-8'}"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(
    path: AnyPath, limit: int = LARGEST_TEXT, error: type[BackemfError] = ParameterError, what: str = ""
) -> bytes:
    """The bytes of a plain file of a bounded size; arguments as of `read_text`."""
    with open_plain(path, limit, error, what) as file:
        content = file.read(limit + 1)
    if len(content) > limit:  # a file without a size, such as those of the kernel, or one that grows
        raise _too_large(path, limit, error, what)
    return content


@contextmanager
def open_plain(
    path: AnyPath, limit: int = LARGEST_TEXT, error: type[BackemfError] = ParameterError, what: str = ""
) -> Iterator[BinaryIO]:
    """A plain file of a bounded size, open for reading; arguments as of `read_text`.

    A pipe is not waited for and a device not read.
    """
    handle = _handle(path, error, what)
    try:
        found = os.fstat(handle)
        _require_file(path, found, "read", error, what)
        if found.st_size > limit:
            raise _too_large(path, limit, error, what)
        with os.fdopen(handle, "rb", closefd=False) as file:
            yield file
    except OSError as fault:
        raise _unreadable(path, fault, error, what) from None
    finally:
        os.close(handle)


def _handle(path: AnyPath, error: type[BackemfError], what: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise error(f"{path}: no such file{f'; give {what}' if what else ''}") from None
    except (OSError, ValueError) as fault:
        raise _unreadable(path, fault, error, what) from None


def _unreadable(path: AnyPath, fault: Exception, error: type[BackemfError], what: str) -> BackemfError:
    # a library's reason may have several lines
    reason = " ".join(str(getattr(fault, "strerror", None) or fault).split())
    return error(f"{str(path)[:300]}: cannot be read: {reason}{f'; give {what}' if what else ''}")


def require_plain(path: AnyPath, limit: int, error: type[BackemfError] = ParameterError, what: str = "") -> None:
    """Check what `open_plain` checks, for a file that a library opens by its name."""
    with open_plain(path, limit, error, what):
        pass


def _require_file(path: AnyPath, found: os.stat_result, verb: str, error: type[BackemfError], what: str = "") -> None:
    if stat.S_ISREG(found.st_mode):
        return
    kind = next((word for holds, word in _KINDS if holds(found.st_mode)), "not a plain file")
    raise error(f"{path}: cannot be {verb}: it is {kind}; give {what or 'the path of a file'}")


def _too_large(path: AnyPath, limit: int, error: type[BackemfError], what: str) -> BackemfError:
    size = f"{limit / 1e6:g} MB"
    return error(f"{path}: cannot be read: it is larger than {size}, the most for {what or 'such a file'}")
