"""Logs in ROS 2 bags and MCAP files, read by the libraries made for them: rosbags and mcap."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import MissingExtraError, ParameterError
from ..files import open_plain, require_plain
from ..recording import first_line
from .assembly import Wanted
from .log import Log
from .messages import Message, log_of_messages

LARGEST = 4_000_000_000
"""Largest bag [bytes]."""
MOST = 20_000_000
"""Most messages of a bag that are looked at [1]."""


def read_bag(folder: Path, wanted: Wanted) -> Log:
    """A log from the folder of a ROS 2 bag."""
    if not (folder / "metadata.yaml").is_file():
        raise ParameterError(f"{folder}: is a folder without metadata.yaml, so no ROS 2 bag; give a bag or a file")
    rosbags = _require("rosbags", "rosbags.highlevel", "rosbags.typesys")
    for file in folder.iterdir():
        if file.is_file():
            require_plain(file, LARGEST, what="a ROS 2 bag")
    store = rosbags.typesys.get_typestore(rosbags.typesys.Stores.LATEST)
    try:
        with rosbags.highlevel.AnyReader([folder], default_typestore=store) as reader:
            return log_of_messages(str(folder), _bag_messages(folder, reader), wanted)
    except ParameterError:
        raise
    except Exception as error:  # the library raises many kinds for a damaged bag
        raise ParameterError(f"{folder}: is no ROS 2 bag that can be read ({first_line(error)})") from None


def _bag_messages(folder: Path, reader: Any) -> Iterator[Message]:
    for count, (connection, received, raw) in enumerate(reader.messages()):
        _check_count(folder, count)
        yield Message(
            connection.topic, connection.msgtype, received, _later(reader.deserialize, raw, connection.msgtype)
        )


def read_mcap(path: Path, wanted: Wanted) -> Log:
    """A log from an MCAP file with messages of ROS 2, or in JSON with the same fields."""
    mcap = _require("mcap", "mcap.reader")
    try:
        with open_plain(path, LARGEST, what="an MCAP file") as file:
            return log_of_messages(str(path), _mcap_messages(path, mcap.reader.make_reader(file)), wanted)
    except (ParameterError, MissingExtraError):
        raise
    except Exception as error:  # the library raises many kinds for a damaged file
        raise ParameterError(f"{path}: is no MCAP file that can be read ({first_line(error)})") from None


def _mcap_messages(path: Path, reader: Any) -> Iterator[Message]:
    decode = _Decoder()
    for count, (schema, channel, message) in enumerate(reader.iter_messages()):
        _check_count(path, count)
        kind = "" if schema is None else schema.name
        content = _later(decode, schema, channel.message_encoding, message.data)
        yield Message(channel.topic, kind, message.log_time, content)


class _Decoder:
    """Messages of an MCAP file as objects: CDR by rosbags, JSON by Python."""

    def __init__(self) -> None:
        self._store: Any = None
        self._known: set[str] = set()

    def __call__(self, schema: Any, encoding: str, data: bytes) -> Any:
        if encoding == "json":
            return json.loads(data)
        if encoding != "cdr" or schema is None or schema.encoding != "ros2msg":
            raise ValueError(f"a message in {encoding}, where ROS 2 or JSON can be read")
        rosbags = _require("rosbags", "rosbags.typesys")
        if self._store is None:
            self._store = rosbags.typesys.get_typestore(rosbags.typesys.Stores.EMPTY)
        name = schema.name if "/msg/" in schema.name else schema.name.replace("/", "/msg/")
        if name not in self._known:
            self._store.register(rosbags.typesys.get_types_from_msg(schema.data.decode("utf-8"), name))
            self._known.add(name)
        return self._store.deserialize_cdr(data, name)


def _later(function: Any, *arguments: Any) -> Any:
    """A message that is decoded when it is asked for, since most topics of a bag are not."""
    return lambda: function(*arguments)


def _check_count(path: Path, count: int) -> None:
    if count > MOST:
        raise ParameterError(f"{path}: has more than {MOST:,} messages; cut out the part that matters")


def _require(package: str, *modules: str) -> Any:
    """A library of the extra `logs`, with some of its modules."""
    try:
        for module in modules:
            importlib.import_module(module)
        return importlib.import_module(package)
    except ModuleNotFoundError:
        raise MissingExtraError(package, "logs", "Reading ROS 2 bags and MCAP") from None
