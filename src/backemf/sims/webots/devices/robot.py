"""`Robot` of the module `controller`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from ..backends.axis import log
from ..session import current
from ..simulation import BatterySensor
from .inputs import KEYS, Joystick, Keyboard, Mouse
from .neutral import KINDS
from .other import Device, period_of, reader
from .servo import Servo

AnyDevice: TypeAlias = Any
"""A device of the kind that the world file says, which the script knows."""


class Robot:
    """The robot that the script controls."""

    EVENT_QUIT, EVENT_NO_EVENT, EVENT_MOUSE_CLICK, EVENT_MOUSE_MOVE, EVENT_KEYBOARD = -1, 0, 1, 2, 4
    EVENT_JOYSTICK_BUTTON, EVENT_JOYSTICK_AXIS, EVENT_JOYSTICK_POV = 8, 16, 32
    MODE_SIMULATION, MODE_CROSS_COMPILATION, MODE_REMOTE_CONTROL = 0, 1, 2

    devices: dict[str, Device]
    _supervises, synchronization = False, True

    getKeyboard, getMouse, getJoystick = reader("keyboard"), reader("mouse"), reader("joystick")
    getBasicTimeStep, getTime = reader("_simulation.basic"), reader("_simulation.time")
    getName, getModel = reader("_simulation.robot.name"), reader("_simulation.robot.model")
    getMode, getSupervisor = reader("MODE_SIMULATION"), reader("_supervises")
    getCustomData, getSynchronization = reader("_custom_data"), reader("synchronization")
    batterySensorGetSamplingPeriod = reader("_simulation.battery.period")

    def __init__(self) -> None:
        self._simulation = simulation = current("Robot")
        self._texts: set[str] = set()
        node = simulation.robot.node
        text = "" if node is None else node.fields.get("customData", "")
        self._custom_data = text if isinstance(text, str) else ""
        if simulation.created:
            log("Error: only one Robot instance can be created per controller process.")
            return
        simulation.created = True
        self.devices = {device._name: device for device in simulation.devices}
        self.keyboard, self.mouse, self.joystick = Keyboard(0), Mouse(0), Joystick(0)

    # --- devices

    def getDevice(self, name: str) -> AnyDevice:
        if name not in self.devices:
            log(f'Device "{name}" was not found on robot "{self.name}"')
            return None
        return self.devices[name]

    def getServo(self, name: str) -> Servo | None:
        """A motor as scripts of Webots 5 to 8 call it."""
        return None if self.getDevice(name) is None else Servo(name)

    def getDeviceByIndex(self, index: int) -> AnyDevice:
        if not 0 <= index < len(self._simulation.devices):
            log("Error: The index of wb_robot_get_device_by_index() is out of the bounds.")
            return None
        return self._simulation.devices[index]

    def getNumberOfDevices(self) -> int:
        return len(self._simulation.devices)

    # --- time

    def step(self, time_step: int | None = None) -> int:
        return self._simulation.step(time_step)

    def stepBegin(self, time_step: int | None = None) -> int:
        return self._simulation.step_begin(time_step)

    def stepEnd(self) -> int:
        return self._simulation.step_end()

    # --- the keyboard, as until Webots 8.4

    def keyboardEnable(self, ms: int) -> None:
        self.keyboard.enable(ms)

    def keyboardDisable(self) -> None:
        self.keyboard.disable()

    def keyboardGetKey(self) -> int:
        """0: no key is ever pressed."""
        return 0

    # --- words

    def setMode(self, mode: int, arg: str) -> None:
        if mode not in (self.MODE_SIMULATION, self.MODE_REMOTE_CONTROL):
            log(f"Error: wb_robot_set_mode() cannot set mode to {mode}.")

    def setCustomData(self, data: str) -> None:
        self._custom_data = data

    def getWorldPath(self) -> str:
        return os.path.abspath(self._simulation.robot.file)

    def getProjectPath(self) -> str:
        return os.path.dirname(os.path.dirname(self.getWorldPath()))

    # --- what is not there

    def _without_effect(self, text: str) -> None:
        """Say once what a call cannot do here."""
        if text not in self._texts:
            self._texts.add(text)
            log(f"WARNING: {text}")

    # --- the battery

    def batterySensorEnable(self, sampling_period: int) -> None:
        period = period_of(sampling_period)
        if period < 0:
            log("Error: wb_robot_battery_sensor_enable() called with negative sampling period.")
            return
        sampler = self._simulation.battery
        sampler.period, sampler.value = period, -1.0
        self._simulation.sample_from_next_step(BatterySensor(), sampler, "Robot")

    def batterySensorDisable(self) -> None:
        self.batterySensorEnable(0)

    def batterySensorGetValue(self) -> float:
        sampler = self._simulation.battery
        if sampler.period <= 0:
            log(
                "Error: wb_robot_battery_sensor_get_value() called for a disabled device! "
                "Please use: wb_robot_battery_sensor_enable()."
            )
        return sampler.value

    name, model, mode = property(getName), property(getModel), property(getMode)
    time, basic_time_step = property(getTime), property(getBasicTimeStep)
    number_of_devices, supervisor = property(getNumberOfDevices), property(getSupervisor)
    custom_data = property(getCustomData, setCustomData)
    world_path, project_path = property(getWorldPath), property(getProjectPath)
    battery_sensor_sampling_period = property(batterySensorGetSamplingPeriod, batterySensorEnable)

    def __getattr__(self, name: str) -> NoReturn:
        if name == "devices":
            raise AttributeError("devices")
        raise AttributeError(f"Robot.{name}: there is no {name} in Webots' Robot, or it is not there in backemf")


def _deprecated_getter(method: str) -> Callable[[Robot, str], AnyDevice]:
    """A getter of one kind of devices, which Webots still has."""

    def get(self: Robot, name: str) -> AnyDevice:
        log(f"DEPRECATION: Robot.{method} is deprecated, please use Robot.getDevice instead.")
        return self.getDevice(name)

    return get


def idle(sentence: str, answer: object = None) -> Callable[..., object]:
    """A method without effect: it says so once, and gives an answer."""

    def call(self: Robot, *_: object, **__: object) -> object:
        self._without_effect(sentence)
        return answer

    return call


_IDLE = {
    "wwiSendText": ("has no effect: there is no robot window", None),
    "wwiReceiveText": ("gives None: there is no robot window", None),
    "waitForUserInputEvent": ("does not wait: there is no user to give input", Robot.EVENT_NO_EVENT),
    "getUrdf": ("gives an empty text: no URDF is written here", ""),
}
for _name, (_why, _answer) in _IDLE.items():
    setattr(Robot, _name, idle(f"Robot.{_name}() {_why}.", _answer))
for _name, _code in KEYS.items():
    setattr(Robot, f"KEYBOARD_{_name}", _code)
for _kind in ("Motor", "PositionSensor", "Brake", *KINDS):
    setattr(Robot, f"get{_kind}", _deprecated_getter(f"get{_kind}"))
