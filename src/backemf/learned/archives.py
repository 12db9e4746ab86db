"""PyTorch's zip archives, read without PyTorch and within bounds."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

from ..errors import ParameterError
from ..values import Foreign, Json
from .pickles import Unreadable, read_pickle

LARGEST = 64_000_000
"""Largest file, packed or unpacked [bytes]; networks of actuators have a few hundred thousand."""
METADATA = "metadata.json"
"""Name of the entry with the scales of a controller, the same as Newton's."""


class Archive:
    """The entries of a file that torch.save or torch.jit.save wrote."""

    def __init__(self, path: Path, content: bytes):
        self.path = path
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                entries = archive.infolist()
                unpacked = sum(entry.file_size for entry in entries)
                if unpacked > LARGEST:
                    raise ParameterError(
                        f"{path}: would unpack to {unpacked} bytes; no network of an actuator has more than {LARGEST}"
                    )
                self.entries = {entry.filename: archive.read(entry) for entry in entries}
        except ParameterError:
            raise
        except Exception:  # zipfile raises many kinds for a damaged archive
            raise ParameterError(
                f"{path}: is damaged or not a TorchScript file; save it again with torch.jit.save"
            ) from None
        found = [name for name in self.entries if name == "data.pkl" or name.endswith("/data.pkl")]
        self.root = min(found, key=len)[: -len("data.pkl")] if found else None

    @property
    def is_torchscript(self) -> bool:
        """Whether there is code in it."""
        return any("code/" in name or name.endswith("constants.pkl") for name in self.entries)

    @property
    def metadata(self) -> dict[str, Json]:
        """The metadata of a file, such as scales; an empty dict where it has none."""
        text = self.entries.get(f"{self.root}extra/{METADATA}", b"")
        if not text:
            return {}
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            raise ParameterError(f"{self.path}: its {METADATA} is not JSON") from None
        return found if isinstance(found, dict) else {}

    def content(self, name: str) -> Foreign:
        """What the pickle `data` or `constants` holds; raises `Unreadable`."""
        pickled = self.entries.get(f"{self.root}{name}.pkl")
        if self.root is None or pickled is None:
            raise Unreadable(f"no entry {name}.pkl")
        order = ">" if self.entries.get(f"{self.root}byteorder") == b"big" else "<"

        def entry(key: str) -> bytes:
            found = self.entries.get(f"{self.root}{name}/{key}")
            if found is None:
                raise Unreadable(f"a tensor whose numbers {name}/{key} are not in the file")
            return found

        return read_pickle(pickled, entry, order)

    def source(self, module: str) -> str | None:
        """The text of a module of the file's code, such as torch.nn.functional; it is parsed and never run."""
        text = self.entries.get(f"{self.root}code/{module.replace('.', '/')}.py")
        return None if text is None else text.decode("utf-8", errors="replace")
