"""`Robot`, `Supervisor` and `Node` of the module `controller`."""

from __future__ import annotations

from typing import Any

from ..backends.axis import told
from ..session import current
from ..simulation import BatterySensor
from .kinds import NODES
from .motor import Motor
from .other import Brake, Device, PositionSensor, period_of


class Node:
    """Kinds of nodes, as `Device.getNodeType` gives them, such as `Node.ROTATIONAL_MOTOR`."""

    def __init__(self, kind: int = 0, name: str = ""):
        self._node, self._name = kind, name

    def getType(self) -> int:
        return self._node

    def getName(self) -> str:
        """Its name."""
        return self._name


for _name, _number in NODES.items():
    setattr(Node, _name, _number)


class Robot:
    """The robot that the script controls."""

    EVENT_QUIT, EVENT_NO_EVENT, EVENT_MOUSE_CLICK, EVENT_MOUSE_MOVE, EVENT_KEYBOARD = -1, 0, 1, 2, 4
    EVENT_JOYSTICK_BUTTON, EVENT_JOYSTICK_AXIS, EVENT_JOYSTICK_POV = 8, 16, 32
    MODE_SIMULATION, MODE_CROSS_COMPILATION, MODE_REMOTE_CONTROL = 0, 1, 2

    devices: dict[str, Device]

    def __init__(self) -> None:
        self._simulation = simulation = current("Robot")
        if simulation.created:
            told("Error: only one Robot instance can be created per controller process.")
            return
        simulation.created = True
        self.devices = {device._name: device for device in simulation.devices}

    # --- devices

    def getDevice(self, name: str) -> Any:
        if name not in self.devices:
            told(f'Device "{name}" was not found on robot "{self.name}"')
            return None
        return self.devices[name]

    def getDeviceByIndex(self, index: int) -> Any:
        if not 0 <= index < len(self._simulation.devices):
            told("Error: The index of wb_robot_get_device_by_index() is out of the bounds.")
            return None
        return self._simulation.devices[index]

    def getNumberOfDevices(self) -> int:
        return len(self._simulation.devices)

    def getMotor(self, name: str) -> Motor | None:
        return self._deprecated("getMotor", name)

    def getPositionSensor(self, name: str) -> PositionSensor | None:
        return self._deprecated("getPositionSensor", name)

    def getBrake(self, name: str) -> Brake | None:
        return self._deprecated("getBrake", name)

    def _deprecated(self, method: str, name: str) -> Any:
        told(f"DEPRECATION: Robot.{method} is deprecated, please use Robot.getDevice instead.")
        return self.getDevice(name)

    # --- time

    def step(self, time_step: int | None = None) -> int:
        return self._simulation.step(time_step)

    def stepBegin(self, time_step: int | None = None) -> int:
        return self._simulation.step_begin(time_step)

    def stepEnd(self) -> int:
        return self._simulation.step_end()

    def getBasicTimeStep(self) -> float:
        return self._simulation.basic

    def getTime(self) -> float:
        return self._simulation.time

    # --- words

    def getName(self) -> str:
        return self._simulation.robot.name

    def getModel(self) -> str:
        return self._simulation.robot.model

    def getMode(self) -> int:
        return self.MODE_SIMULATION

    def setMode(self, mode: int, arg: str) -> None:
        if mode not in (self.MODE_SIMULATION, self.MODE_REMOTE_CONTROL):
            told(f"Error: wb_robot_set_mode() cannot set mode to {mode}.")

    def getSupervisor(self) -> bool:
        return isinstance(self, Supervisor)

    def getSynchronization(self) -> bool:
        return True

    # --- the battery

    def batterySensorEnable(self, sampling_period: int) -> None:
        period = period_of(sampling_period)
        if period < 0:
            told("Error: wb_robot_battery_sensor_enable() called with negative sampling period.")
            return
        sampler = self._simulation.battery
        sampler.period, sampler.value = period, -1.0
        self._simulation.sample_from_next_step(BatterySensor(), sampler, "Robot")

    def batterySensorDisable(self) -> None:
        self.batterySensorEnable(0)

    def batterySensorGetSamplingPeriod(self) -> int:
        return self._simulation.battery.period

    def batterySensorGetValue(self) -> float:
        sampler = self._simulation.battery
        if sampler.period <= 0:
            told(
                "Error: wb_robot_battery_sensor_get_value() called for a disabled device! "
                "Please use: wb_robot_battery_sensor_enable()."
            )
        return sampler.value

    name, model, mode = property(getName), property(getModel), property(getMode)
    time, basic_time_step = property(getTime), property(getBasicTimeStep)
    number_of_devices, supervisor = property(getNumberOfDevices), property(getSupervisor)
    synchronization = property(getSynchronization)
    battery_sensor_sampling_period = property(batterySensorGetSamplingPeriod, batterySensorEnable)

    def __getattr__(self, name: str) -> Any:
        if name == "devices":
            raise AttributeError("devices")
        raise AttributeError(f"Robot.{name}: backemf runs motors, position sensors and brakes; there is no {name} here")


class Supervisor(Robot):
    """A robot that may end the run; the world around it is not simulated here."""

    SIMULATION_MODE_PAUSE, SIMULATION_MODE_REAL_TIME, SIMULATION_MODE_FAST = 0, 1, 2

    def getSelf(self) -> Node:
        return Node(NODES["ROBOT"], self.name)

    def simulationQuit(self, status: int) -> None:
        self._simulation.end()

    def simulationGetMode(self) -> int:
        return self.SIMULATION_MODE_REAL_TIME if self._simulation.realtime else self.SIMULATION_MODE_FAST

    def simulationSetMode(self, mode: int) -> None:
        if mode not in (self.SIMULATION_MODE_REAL_TIME, self.SIMULATION_MODE_FAST):
            told(f"Error: wb_supervisor_simulation_set_mode(): mode {mode} is not there; a run goes on to its end.")
            return
        self._simulation.realtime = mode == self.SIMULATION_MODE_REAL_TIME

    simulation_mode = property(simulationGetMode, simulationSetMode)
