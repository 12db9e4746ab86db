"""Logs in ROS 2 bags and MCAP files, written here by the libraries made for them and read back."""

import json
from pathlib import Path

import numpy as np
import pytest

import backemf as be
from backemf.errors import ParameterError

rosbags = pytest.importorskip("rosbags", reason="needs the extra logs: pip install 'backemf[logs]'")
mcap_writer = pytest.importorskip("mcap.writer", reason="needs the extra logs: pip install 'backemf[logs]'")

from rosbags.rosbag2 import StoragePlugin, Writer  # noqa: E402
from rosbags.typesys import Stores, get_typestore  # noqa: E402

STORE = get_typestore(Stores.ROS2_HUMBLE)
START = 1_760_000_000 * 10**9
STATE, ARRAY, BATTERY = "sensor_msgs/msg/JointState", "std_msgs/msg/Float64MultiArray", "sensor_msgs/msg/BatteryState"


def state(nanoseconds: int, names: list[str], position: list[float], velocity=(), effort=()) -> tuple:
    """A joint state, with the time of its measurement."""
    make = STORE.types
    stamp = make["builtin_interfaces/msg/Time"](sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)
    header = make["std_msgs/msg/Header"](stamp=stamp, frame_id="")
    arrays = (np.array(values, dtype=np.float64) for values in (position, velocity, effort))
    return STATE, make[STATE](header, names, *arrays)


def array(*values: float) -> tuple:
    make = STORE.types
    layout = make["std_msgs/msg/MultiArrayLayout"](dim=[], data_offset=0)
    return ARRAY, make[ARRAY](layout=layout, data=np.array(values))


def joint_states(topic: str = "/joint_states", count: int = 5) -> list[tuple]:
    """Two joints every 10 ms, recorded 1 ms after they were measured; the order of their names changes."""
    found = []
    for k in range(count):
        names, position = (["hip", "knee"], [k, -k]) if k % 2 == 0 else (["knee", "hip"], [-k, k])
        time = START + k * 10**7
        found.append((topic, time + 10**6, state(time, names, position, [100.0, 100.0], [1.0, 1.0])))
    return found


def bag(folder: Path, messages: list[tuple], storage=StoragePlugin.SQLITE3) -> Path:
    """A bag in a folder."""
    with Writer(folder, version=9, storage_plugin=storage) as writer:
        made = {}
        for topic, received, (kind, message) in messages:
            if topic not in made:
                made[topic] = writer.add_connection(topic, kind, typestore=STORE)
            writer.write(made[topic], received, STORE.serialize_cdr(message, kind))
    return folder


def mcap(path: Path, messages: list[tuple], as_json: bool = False) -> Path:
    """An MCAP file of ROS 2 messages, or of the same fields in JSON."""
    with open(path, "wb") as file:
        writer = mcap_writer.Writer(file)
        writer.start()
        channels = {}
        for topic, received, (kind, message) in messages:
            if topic not in channels:
                text = STORE.generate_msgdef(kind, ros_version=2)[0]
                schema = writer.register_schema(kind, "jsonschema" if as_json else "ros2msg", text.encode())
                channels[topic] = writer.register_channel(topic, "json" if as_json else "cdr", schema)
            data = bytes(STORE.serialize_cdr(message, kind))
            if as_json:
                stamp = {"sec": message.header.stamp.sec, "nsec": message.header.stamp.nanosec}
                content = {"header": {"stamp": stamp}, "name": message.name, "position": message.position.tolist()}
                data = json.dumps(content).encode()
            writer.add_message(channels[topic], received, data, received)
        writer.finish()
    return path


MAKERS = {
    "sqlite": lambda folder, messages: bag(folder / "bag", messages),
    "mcap bag": lambda folder, messages: bag(folder / "bag", messages, StoragePlugin.MCAP),
    "mcap": lambda folder, messages: mcap(folder / "log.mcap", messages),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=list(MAKERS))
def test_joint_states_are_a_log(make, tmp_path):
    """Joints by name whatever their order, effort as torque, and times of measurement rather than of recording."""
    log = be.read_log(make(tmp_path, joint_states()))
    assert log.joints == ("hip", "knee") and set(log.channels) == {"position", "velocity", "torque"}
    np.testing.assert_array_equal(log.joint("hip")["position"], np.arange(5.0))
    np.testing.assert_array_equal(log.joint("knee")["position"], -np.arange(5.0))
    np.testing.assert_allclose(log.time, 0.01 * np.arange(5), atol=1e-9)
    assert log.meta["start_ns"] == START and log.notes == ()


def test_json_messages_are_a_log(tmp_path):
    log = be.read_log(mcap(tmp_path / "log.mcap", joint_states(), as_json=True))
    np.testing.assert_array_equal(log.joint("hip")["position"], np.arange(5.0))
    np.testing.assert_allclose(log.time, 0.01 * np.arange(5), atol=1e-9)


def test_a_topic_of_commands_is_a_command(tmp_path):
    log = be.read_log(bag(tmp_path / "bag", joint_states() + joint_states("/joint_commands")))
    assert log.commands == ("position_command", "velocity_command", "effort_command")
    np.testing.assert_array_equal(log["position_command"], log["position"])


def test_arrays_are_mapped_and_then_all_times_are_those_of_recording(tmp_path):
    """An array has no time of measurement, so that both clocks would differ by the 1 ms of the transport."""
    targets = [("/targets", START + k * 10**7, array(0.1 * k, 0.2 * k)) for k in range(5)]
    path = bag(tmp_path / "bag", sorted(joint_states() + targets, key=lambda row: row[1]))
    assert be.read_log(path).unread == ("/targets",)
    log = be.read_log(path, {"position_command": "/targets"}, {"position_command": "deg"})
    np.testing.assert_allclose(np.degrees(log["position_command"][:, 1]), 0.2 * np.arange(5))
    assert log.times("position")[0] - log.times("position_command")[0] == pytest.approx(1e-3)
    assert "those at which messages were recorded" in log.notes[0]


def test_chosen_joints_and_other_publishers(tmp_path):
    """Messages of a gripper between those of the leg are passed over, or chosen."""
    grip = [
        ("/joint_states", START + k * 10**7 + 2 * 10**6, state(START + k * 10**7 + 5, ["grip"], [7.0]))
        for k in range(5)
    ]
    path = bag(tmp_path / "bag", sorted(joint_states() + grip, key=lambda row: row[1]))
    log = be.read_log(path)
    assert log.joints == ("hip", "knee") and log.notes == (
        "joints that come in messages of their own are not read: grip",
    )
    chosen = be.read_log(path, joints=["grip"])
    assert chosen.joints == ("grip",) and "velocity" not in chosen
    with pytest.raises(ParameterError, match="lacks the joint 'ankle'"):
        be.read_log(path, joints=["hip", "ankle"])


def test_bad_bags_are_one_sentence(tmp_path):
    back = [*joint_states(), ("/joint_states", START + 10**9, state(START, ["hip", "knee"], [0.0, 0.0]))]
    nan = [("/joint_states", START + k, state(START + k, ["hip"], [0.0, np.nan][k : k + 1])) for k in (0, 1)]
    text = [("/note", START + k, array(1.0)) for k in range(3)]
    for index, (messages, said) in enumerate((
        (back, "topic /joint_states: position, time of row 5 = 0 s: goes back"),
        (nan, "row 1, joint 0 = nan"),
        (text, r"no topic with joint states; there are /note \(std_msgs/msg/Float64MultiArray\)"),
        (joint_states(count=1), "has one row"),
        (joint_states() + joint_states("/leg/joint_states"), "is in the topics /joint_states and /leg/joint_states"),
    )):  # fmt: skip
        with pytest.raises(ParameterError, match=said):
            be.read_log(bag(tmp_path / str(index), messages))
    with pytest.raises(ParameterError, match="no topic '/joints' for position"):
        be.read_log(bag(tmp_path / "named", joint_states()), {"position": "/joints"})
    with pytest.raises(ParameterError, match="messages have times"):
        be.read_log(tmp_path / "named", rate=10.0)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ParameterError, match=r"without metadata\.yaml"):
        be.read_log(tmp_path / "empty")
    (tmp_path / "bad.mcap").write_bytes(b"no mcap file at all")
    with pytest.raises(ParameterError, match="is no MCAP file that can be read"):
        be.read_log(tmp_path / "bad.mcap")
    next((tmp_path / "named").glob("*.db3")).write_bytes(b"no database")
    with pytest.raises(ParameterError, match="is no ROS 2 bag that can be read"):
        be.read_log(tmp_path / "named")
