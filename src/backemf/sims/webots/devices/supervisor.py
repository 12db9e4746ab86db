"""`Supervisor` of the module `controller`: it ends the run, and sees the world as its file has it."""

from __future__ import annotations

from ..backends.axis import log
from ..nodes.node import Node as FileNode
from .fields import Node, SeenWorld
from .robot import Robot, idle

IDLE = {
    "setLabel": None, "simulationReset": None, "simulationResetPhysics": None, "worldLoad": None, "worldSave": False,
    "worldReload": None, "exportImage": None, "movieStartRecording": None, "movieStopRecording": None,
    "movieIsReady": True, "movieFailed": False, "animationStartRecording": False, "animationStopRecording": False,
    "virtualRealityHeadsetIsUsed": False, "virtualRealityHeadsetGetPosition": None,
    "virtualRealityHeadsetGetOrientation": None,
}  # fmt: skip
"""Methods without effect, and what they return."""


class Supervisor(Robot):
    """A robot that may end the run and look at the world; only the robot's own joints move in it."""

    SIMULATION_MODE_PAUSE, SIMULATION_MODE_REAL_TIME, SIMULATION_MODE_FAST = 0, 1, 2
    MOVIE_READY, MOVIE_RECORDING, MOVIE_SAVING = 0, 1, 2
    _supervises = True
    _seen: SeenWorld | None = None

    def _world(self) -> tuple[SeenWorld, FileNode]:
        """The world as the script sees it, and the robot's own node in it."""
        robot = self._simulation.robot
        if self._seen is None:
            self._seen = SeenWorld(list(robot.roots) or [FileNode("Robot", 0, fields={"name": robot.name})])
        return self._seen, robot.node or self._seen.root.nodes("children")[0]

    def getSelf(self) -> Node:
        world, own = self._world()
        return world.node(own)

    def getRoot(self) -> Node:
        world, _ = self._world()
        return world.node(world.root)

    def getFromDef(self, d: str) -> Node | None:
        """The node that DEF calls so; None where the world file has none."""
        world, _ = self._world()
        return world.node(world.names[d]) if d in world.names else None

    def getFromId(self, id: int) -> Node | None:
        world, _ = self._world()
        return next((node for node in world.nodes.values() if node.getId() == id), None)

    def getFromDevice(self, tag: object) -> None:
        self._without_effect("Supervisor.getFromDevice() gives None: nodes of devices are not found here.")

    def getSelected(self) -> None:
        """None: there is no window in which one could be selected."""

    def simulationQuit(self, status: int) -> None:
        self._simulation.end()

    def simulationGetMode(self) -> int:
        return self.SIMULATION_MODE_REAL_TIME if self._simulation.realtime else self.SIMULATION_MODE_FAST

    def simulationSetMode(self, mode: int) -> None:
        if mode not in (self.SIMULATION_MODE_REAL_TIME, self.SIMULATION_MODE_FAST):
            log(
                f"Error: wb_supervisor_simulation_set_mode(): mode {mode} is not supported; a run continues to its end."
            )
            return
        self._simulation.realtime = mode == self.SIMULATION_MODE_REAL_TIME

    simulation_mode = property(simulationGetMode, simulationSetMode)


for _name, _answer in IDLE.items():
    sentence = f"Supervisor.{_name}() has no effect: only the robot's joints are simulated."
    setattr(Supervisor, _name, idle(sentence, _answer))
