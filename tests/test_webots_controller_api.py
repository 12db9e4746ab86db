"""Every name of Webots' module `controller` is there, and can be used without an exception."""

import inspect

import pytest
from webots_api import API
from webots_rig import begun, lines

from backemf.sims import webots
from backemf.sims.webots import controller
from backemf.sims.webots.devices.absent import ABSENT

KINDS = sorted(ABSENT)
DEVICES = "\n".join(f'{kind} {{ name "{kind}" }}' for kind in KINDS)
WORLD = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 32 }}
DEF FLOOR RectangleArena {{ floorSize 3 2 name "hall" }}
DEF BOX Solid {{ translation 0.5 -1 0.25 }}
DEF CAR Robot {{
  children [
    DEF HINGE HingeJoint {{
      device [ RotationalMotor {{ name "Motor" }} PositionSensor {{ name "PositionSensor" }} Brake {{ name "Brake" }} ]
      endPoint Solid {{
        physics Physics {{ density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.001 0.001 0.001, 0 0 0 ] }}
      }}
    }}
    {DEVICES}
  ]
  name "car"
  physics Physics {{ }}
}}
"""
ARGUMENTS = {
    "setLabel": (0, "go", 0, 0, 0.1, 0xFF0000), "setMode": (0, ""), "setVisibility": (None, True), "set": (1,),
    "setControlPID": (10.0, 0.0, 0.0), "waitForUserInputEvent": (4, 32), "getDevice": ("Motor",), "send": (b"go",),
    "convertToDegreesMinutesSeconds": (46.52,), "getMFNode": (0,),
    "imageGetRed": (bytes(8), 2, 1, 0), "imageGetGreen": (bytes(8), 2, 1, 0), "imageGetBlue": (bytes(8), 2, 1, 0),
    "imageGetGray": (bytes(8), 2, 1, 0), "rangeImageGetDepth": ([0.0, 1.0], 2, 1, 0), "getFromId": (1,),
}  # fmt: skip
"""What a method is called with, where the number 1 or the text "Motor" would not do."""
ENDS = {"simulationQuit", "step", "stepBegin", "stepEnd"}
"""What other tests call, since it lets time pass or ends the run."""


def car() -> webots.RobotDescription:
    return webots.from_world(webots.read_world(WORLD))


def instances() -> dict[str, object]:
    """An object of every class of the module, as a script gets it."""
    robot = controller.Supervisor()
    floor = robot.getFromDef("FLOOR")
    made: dict[str, object] = {name: robot.getDevice(name) for name in (*KINDS, "Motor", "PositionSensor", "Brake")}
    return made | {
        "Device": robot.getDevice("Motor"), "Robot": robot, "Supervisor": robot, "Node": robot.getFromDef("BOX"),
        "Field": robot.getFromDef("BOX").getField("translation"), "Proto": floor.getProto(),
        "Keyboard": robot.getKeyboard(), "Mouse": robot.getMouse(), "MouseState": robot.getMouse().getState(),
        "Joystick": robot.getJoystick(), "LidarPoint": robot.getDevice("Lidar").getPointCloud()[0],
        "ContactPoint": controller.ContactPoint(), "AnsiCodes": controller.AnsiCodes,
        "Motion": controller.Motion("nothing.motion"),
    }  # fmt: skip


@pytest.mark.parametrize("name", sorted(API))
def test_a_class_has_every_name_of_webots(name) -> None:
    with webots.simulate(car()):
        thing = instances()[name]
        missing = [each for each in API[name].split() if not hasattr(type(thing), each) and not hasattr(thing, each)]
        assert missing == []


def test_the_list_covers_every_class_but_those_never_made() -> None:
    """Sensor is the base of sensors; Servo and DifferentialWheels are of former versions."""
    others = {"CameraRecognitionObject", "RadarTarget", "Sensor", "Servo", "DifferentialWheels"}
    assert set(API) | others == set(controller.__all__)


def arguments_of(name, method) -> tuple[object, ...]:
    """Something for every argument that has no default."""
    known = ARGUMENTS.get(name)
    if known is not None:
        return known
    taken = [each for each in inspect.signature(method).parameters.values() if each.default is each.empty]
    return tuple(
        "Motor" if each.annotation == "str" else 1 for each in taken if each.kind == each.POSITIONAL_OR_KEYWORD
    )


@pytest.mark.parametrize("name", sorted({*API} - {"AnsiCodes", "ContactPoint", "LidarPoint", "MouseState"}))
def test_every_method_can_be_called(name) -> None:
    """What is not simulated says so; nothing raises."""
    with webots.simulate(car(), hints=False):
        thing = instances()[name]
        for each in API[name].split():
            method = getattr(type(thing), each, None)
            if callable(method) and each not in ENDS:
                method = getattr(thing, each)
                method(*([thing] if each == "playSound" else arguments_of(each, method)))


# --- names that are not of every day


def test_a_node_that_is_a_proto_knows_its_parameters() -> None:
    """The arena is not read, so that its type and what the file gives it are all there is."""
    with webots.simulate(car()):
        robot = controller.Supervisor()
        floor, box = robot.getFromDef("FLOOR"), robot.getFromDef("BOX")
        assert floor.isProto() and not box.isProto() and box.getProto() is None
        proto = floor.getProto()
        assert (proto.getTypeName(), proto.number_of_parameters) == ("RectangleArena", 2)
        assert proto.getParameter("floorSize").getSFVec2f() == [3.0, 2.0]
        assert proto.getParameterByIndex(1).getSFString() == "hall"
        assert proto.getParameter("wallHeight") is None and proto.getParameterByIndex(2) is None
        assert box.getNumberOfBaseNodeFields() == 1 and box.getBaseNodeFieldByIndex(0).getName() == "translation"


def test_degrees_minutes_and_seconds_of_a_latitude() -> None:
    """46.52° are 46° and 0.52·60 = 31.2′, of which 0.2·60 = 12″."""
    assert controller.GPS.convertToDegreesMinutesSeconds(46.5201) == "46° 31′ 12″"


def test_properties_that_webots_names_otherwise_than_their_methods(capsys) -> None:
    """An image of the segmentation as large as the camera's, and a joystick that is not connected."""
    with begun(car()) as (robot, _):
        camera = robot.getDevice("Camera")
        assert camera.segmentation_image == bytes(4 * 64 * 64)
        assert robot.joystick.is_connected is False and robot.keyboard.get_key_code() == -1
        assert [line for line in lines(capsys) if line.startswith("WARNING")] == [
            'WARNING: Camera "Camera" is not simulated: its image stays black.',
            "WARNING: Joystick is not simulated: none is connected.",
            "WARNING: Keyboard is not simulated: no key is ever pressed.",
        ]
