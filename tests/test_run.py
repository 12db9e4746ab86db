"""The record of a run: channels, units, files."""

import os

import numpy as np
import pyarrow.parquet
import pytest

import backemf as be
from backemf.run import UNITS

MOTOR = be.Motor(
    name="test motor",
    winding=be.Winding(resistance=1.0, inductance=1e-3),
    magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
    rotor=be.Rotor(inertia=1e-4),
    thermal=be.TwoNodeThermal(
        winding_resistance=1.0, winding_capacitance=10.0, housing_resistance=2.0, housing_capacitance=100.0
    ),
    friction=be.LuGre(coulomb=0.01, stiction=0.015, stribeck_velocity=0.1, stiffness=100.0),
    gearbox=be.Gearbox(stages=(be.Stage(ratio=3.0),), backlash=0.01),
)
LOAD = be.TwoMass(inertia=1e-3, far_inertia=1e-3, stiffness=50.0, backlash=0.01)


@pytest.fixture(scope="module")
def run():
    return be.simulate(MOTOR, LOAD, 12.0, 0.02, 1e-3, engine="numpy")


@pytest.fixture(scope="module")
def batch():
    return be.simulate(MOTOR, LOAD, be.commands.Constant(np.array([6.0, 12.0])), 0.02, 1e-3, engine="numpy")


def test_every_channel_has_a_unit(run):
    """A motor with every state has channels of every kind, and `unit` knows them all."""
    for name in run.channels:
        assert run.unit(name) == ("W" if name.endswith("_power") else (UNITS | {"command": "V"})[name])


@pytest.mark.parametrize(
    ("controller", "unit"),
    [
        (None, "V"),
        (be.Voltage(), "V"),
        (be.PositionPid(kp=1.0), "rad"),
        (be.VelocityPi(kp=1.0), "rad/s"),
        (be.TorquePid(kp=1.0), "rad"),
        (be.TorquePid(kd=1.0, follows="velocity"), "rad/s"),
        (be.IdealPd(stiffness=1.0), "rad"),
        (be.Torque(), "N*m"),
        (be.DutyServo(kp=1.0), "rad"),
        (be.ModeSelector(), "V"),
    ],
)
def test_the_command_has_the_unit_of_what_is_followed(controller, unit):
    """Volts, or the main input of the controller; the setpoint after a slew is in the same unit."""
    actuator = be.Actuator(MOTOR, be.Supply(voltage=24.0), controller=controller, slew=10.0)
    run = be.simulate(actuator, be.Inertia(inertia=1e-3), 0.5, 2e-3, 1e-3, engine="numpy")
    assert run.unit("command") == run.unit("setpoint") == unit


@pytest.mark.parametrize(
    ("controller", "unit"),
    [
        (be.PositionPid(kp=1.0, ki=1.0), "rad*s"),
        (be.VelocityPi(kp=1.0, ki=1.0), "rad"),
        (be.TorquePid(kp=1.0, ki=1.0), "rad*s"),
        (be.TorquePid(ki=1.0, follows="velocity"), "rad"),
    ],
)
def test_an_integral_is_an_error_over_time_or_a_moving_target(controller, unit):
    """rad·s where errors add up, rad where a target moves on."""
    actuator = be.Actuator(MOTOR, controller=controller)
    run = be.simulate(actuator, be.Inertia(inertia=1e-3), 0.5, 2e-3, 1e-3, engine="numpy")
    assert run.unit("integral") == unit


def test_every_channel_of_several_commands_has_a_unit():
    """`position_command` in rad, `velocity_command` in rad/s, `effort_command` in N·m."""
    command = be.Command(position=0.5, velocity=1.0, effort=0.1)
    actuator = be.Actuator(MOTOR, controller=be.IdealPd(stiffness=1.0, damping=0.1), delay=be.Delay(steps=(1, 2)))
    run = be.simulate(actuator, be.Inertia(inertia=1e-3), command, 4e-3, 1e-3, engine="numpy")
    units = {name: run.unit(name) for name in run.channels}
    assert (units["position_command"], units["velocity_command"], units["effort_command"]) == ("rad", "rad/s", "N*m")
    assert units["lag"] == "1"


@pytest.fixture(scope="module")
def joint():
    """A run of an actuator without a motor."""
    actuator = be.Actuator(controller=be.IdealPd(stiffness=20.0, damping=0.5), limits=be.EffortLimit(effort_limit=2.0))
    return be.simulate(actuator, be.Inertia(inertia=0.01), 1.0, 0.02, 1e-3, engine="numpy")


def test_energy_without_a_motor_is_one_sentence(joint):
    """It says what there is instead."""
    with pytest.raises(be.ParameterError) as caught:
        joint.energy()
    assert str(caught.value) == (
        "energy() needs a motor, and this actuator has none: run['mechanical_power'] is what the joint got"
    )
    assert joint["mechanical_power"].shape == joint.time.shape


def test_a_run_without_a_motor_says_joint_and_can_be_written(joint, tmp_path):
    """Only the channels that exist, each with its unit."""
    assert repr(joint).startswith("Run(1 joint, 0.02 s") and joint.motor is None
    header = joint.to_csv(tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()[0]
    assert "torque [N*m]" in header and "current" not in header
    table = pyarrow.parquet.read_table(joint.to_parquet(tmp_path / "run.parquet"))
    assert table.schema.field("command").metadata[b"unit"] == b"rad"


def test_every_state_and_output_is_a_channel(run):
    """Positions, speeds, all states of the motor and of the load, all telemetry."""
    wanted = {"position", "velocity", "far_position", "far_velocity", "load_torque", "command", "current"}
    wanted |= {"winding_rise", "housing_rise", "bristle", "gap", "rotor_speed", "limit", "bus_current"}
    wanted |= {"winding_temperature", "housing_temperature", "torque", "electrical_power", "mechanical_power"}
    assert wanted <= set(run.channels)
    assert all(run[name].shape == run.time.shape for name in run.channels)


def test_time_is_that_of_the_end_of_each_step(run):
    """20 steps of 1 ms: 1 ms to 20 ms."""
    assert np.allclose(run.time, np.arange(1, 21) * 1e-3, rtol=1e-12, atol=0)
    assert (run["time"] == run.time).all()


def test_an_unknown_channel_is_named_with_those_there_are(run):
    """The message lists what can be asked for."""
    with pytest.raises(be.ParameterError, match=r"run\['amps'\]: no such channel; there are position, velocity"):
        run["amps"]


def test_repr_says_how_many_motors_and_how_long(run, batch):
    """One line for people."""
    assert repr(run) == f"Run(1 motor, 0.02 s in steps of 0.001 s, {len(run.channels)} channels)"
    assert repr(batch).startswith("Run(2 motors, 0.02 s")


def test_parquet_holds_every_channel_exactly_with_its_unit(run, tmp_path):
    """Values to the bit, the unit in each field's metadata."""
    table = pyarrow.parquet.read_table(run.to_parquet(tmp_path / "run.parquet"))
    assert table.column_names == ["time", *run.channels]
    for name in table.column_names:
        assert table.schema.field(name).metadata[b"unit"].decode() == run.unit(name)
        assert (table[name].to_numpy() == run[name]).all()


def test_parquet_of_a_batch_has_a_column_per_motor(batch, tmp_path):
    """`current[1]` is the second motor, in amperes."""
    table = pyarrow.parquet.read_table(batch.to_parquet(tmp_path / "run.parquet"))
    assert table.num_columns == 1 + 2 * len(batch.channels)
    assert table.schema.field("current[1]").metadata[b"unit"] == b"A"
    assert (table["current[1]"].to_numpy() == batch["current"][:, 1]).all()


def test_a_batch_of_two_axes_has_both_indices():
    """`current[1,2]` in the table."""
    motor = be.Motor(winding=MOTOR.winding, magnet=MOTOR.magnet, rotor=MOTOR.rotor)
    run = be.simulate(motor, be.LockedRotor(), 1.0, 2e-3, 1e-3, shape=(2, 3), engine="numpy")
    assert "current[1,2]" in run.table() and repr(run).startswith("Run(2x3 motors")


def test_csv_has_the_unit_behind_each_name(run, tmp_path):
    """`current [A]`, and nine digits of every value."""
    path = run.to_csv(tmp_path / "run.csv")
    header = path.read_text(encoding="utf-8").splitlines()[0].split(",")
    assert header == [f"{name} [{run.unit(name)}]" for name in ["time", *run.channels]]
    values = np.loadtxt(path, delimiter=",", skiprows=1)
    for column, name in enumerate(["time", *run.channels]):
        assert np.allclose(values[:, column], run[name], rtol=1e-8, atol=0)


def test_csv_of_a_batch_has_as_many_cells_as_headings(tmp_path):
    """An index of two axes brings no comma into the header."""
    motor = be.Motor(winding=MOTOR.winding, magnet=MOTOR.magnet, rotor=MOTOR.rotor)
    run = be.simulate(motor, be.LockedRotor(), 1.0, 2e-3, 1e-3, shape=(2, 3), engine="numpy")
    lines = run.to_csv(tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    assert {line.count(",") for line in lines} == {6 * len(run.channels)}


@pytest.mark.parametrize("write", ["to_parquet", "to_csv"])
def test_a_folder_that_is_not_there_is_one_sentence(run, tmp_path, write):
    """The message names the file and the reason."""
    path = tmp_path / "missing" / "run.file"
    with pytest.raises(be.ParameterError, match=r"cannot be written.*No such file or directory") as caught:
        getattr(run, write)(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("write", ["to_parquet", "to_csv"])
def test_a_failed_write_keeps_the_old_file_and_leaves_no_half(run, tmp_path, write, monkeypatch):
    """The disk fills up in the middle: what was there before is there afterwards, and nothing else."""
    path = tmp_path / "run.file"
    path.write_text("old")

    def full(target, *_, **__):
        target.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pyarrow.parquet.write_table", lambda _, target, **options: full(target))
    monkeypatch.setattr("numpy.savetxt", full)
    with pytest.raises(be.ParameterError, match="No space left"):
        getattr(run, write)(path)
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["run.file"]


def test_an_interrupted_write_leaves_no_half_either(run, tmp_path, monkeypatch):
    """Ctrl-C while writing."""

    def interrupt(target, *_, **__):
        target.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr("numpy.savetxt", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run.to_csv(tmp_path / "run.csv")
    assert os.listdir(tmp_path) == []


def test_writing_again_replaces_the_file(run, tmp_path):
    """The second write wins."""
    path = tmp_path / "run.csv"
    path.write_text("old")
    run.to_csv(str(path))
    assert path.read_text().startswith("time [s]") and os.listdir(tmp_path) == ["run.csv"]


def test_a_run_draws_itself(run, tmp_path):
    """A picture lies there afterwards."""
    pytest.importorskip("matplotlib")
    run.plot(tmp_path / "run.png")
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")


def test_energy_needs_every_step():
    """What was not recorded cannot be summed."""
    run = be.simulate(MOTOR, LOAD, 12.0, 0.02, 1e-3, every=2, engine="numpy")
    with pytest.raises(be.ParameterError, match="simulate with every=1"):
        run.energy()


def test_energy_needs_every_step_even_of_a_single_one():
    """One recorded step of many is noticed too."""
    run = be.simulate(MOTOR, LOAD, 12.0, 0.02, 1e-3, every=20, engine="numpy")
    with pytest.raises(be.ParameterError, match="simulate with every=1"):
        run.energy()
