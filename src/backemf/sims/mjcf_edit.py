"""An MJCF file with other actuators: elements replaced where they stand, and paths that hold from another folder."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from xml.etree import ElementTree

from ..errors import ParameterError
from ..files import read_text
from .mjcf import actuator_elements, joints_in, parse_mjcf
from .robot_text import path_beside
from .xml_text import LARGEST, xml_text

COPIES = ("replicate", "attach", "composite", "flexcomp")
"""Elements whose joints and actuators have no element of their own."""


class MjcfFile:
    """The tree of a model with everything that it includes, comments kept."""

    def __init__(self, path: Path, text: str | None = None):
        """Read a file; a `text` that was made of it stands for it."""
        self.path = path
        self.before = read_text(path, LARGEST, what="an MJCF file") if text is None else text
        self.root = parse_mjcf(path if text is None else text, comments=True)
        self.elements = actuator_elements(self.root)

    def labels(self) -> list[str]:
        """The name of each actuator, or its number where it has none."""
        return [each.get("name") or f"number {number}" for number, each in enumerate(self.elements)]

    def require_actuators(self, count: int) -> None:
        """Check that every actuator of the compiled model has an element; raise ParameterError if not."""
        if len(self.elements) != count:
            raise ParameterError(
                f"{self.path}: MuJoCo makes {count} actuators of it, and the file has {len(self.elements)}: write out "
                f"what <{'> or <'.join(COPIES)}> make, with MjSpec.to_xml"
            )

    def joint(self, name: str) -> ElementTree.Element:
        """The element of a joint."""
        found = [element for element, _, _ in joints_in(self.root) if element.get("name") == name]
        if len(found) != 1:
            raise ParameterError(
                f"{self.path}: joint {name!r} has no element of its own in the file: write out what "
                f"<{'> or <'.join(COPIES)}> make, with MjSpec.to_xml"
            )
        return found[0]

    def remove(self, gone: Collection[ElementTree.Element]) -> list[str]:
        """Take actuators out, and sensors that would be left without one; what was taken out besides the actuators."""
        names = {each.get("name") for each in gone} - {None}
        self.require_untied(names)
        for section in self.root.findall("actuator"):
            for each in [each for each in section if any(each is one for one in gone)]:
                section.remove(each)
        self.elements = actuator_elements(self.root)
        names -= {each.get("name") for each in self.elements}
        blind = []
        for section in self.root.findall("sensor"):
            for sensor in [each for each in section if each.get("actuator") in names]:
                section.remove(sensor)
                blind.append(f"The sensor {sensor.get('name', sensor.tag)!r} is removed with its actuator.")
        return blind + self.remove_idle_plugins()

    def remove_idle_plugins(self) -> list[str]:
        """Take out instances of plugins that no actuator, body, geom or sensor has, which MuJoCo refuses to load."""
        extensions = self.root.findall("extension")
        own = {id(each) for extension in extensions for each in extension.iter()}
        used = {each.get("instance") for each in self.root.iter() if id(each) not in own}
        removed = []
        for plugin in (each for extension in extensions for each in extension.findall("plugin")):
            for instance in [each for each in plugin.findall("instance") if each.get("name") not in used]:
                plugin.remove(instance)
                removed.append(f"The plugin instance {instance.get('name')!r} is removed with its actuators.")
        return removed

    def require_untied(self, names: Collection[str | None]) -> None:
        """Check that no <tuple> names any of these actuators."""
        for group in self.root.iter("tuple"):
            for each in group.findall("element"):
                if each.get("objtype") == "actuator" and each.get("objname") in names:
                    raise ParameterError(
                        f"{self.path}: the tuple {group.get('name')!r} names the actuator {each.get('objname')!r}, "
                        "which is removed; take it out of the tuple"
                    )

    def replace(self, old: ElementTree.Element, new: ElementTree.Element) -> None:
        """Put an actuator in the place of another."""
        for section in self.root.findall("actuator"):
            for place, each in enumerate(section):
                if each is old:
                    new.tail = old.tail
                    section[place] = new
        self.elements = actuator_elements(self.root)

    def append(self, new: ElementTree.Element) -> None:
        """Put an actuator behind all others."""
        sections = self.root.findall("actuator")
        if not sections:
            last = self.root[-1] if len(self.root) else None
            section = ElementTree.SubElement(self.root, "actuator")
            section.text, section.tail = "\n    ", "\n"
            if last is not None:
                last.tail = "\n\n  "
        else:
            section = sections[-1]
        if len(section):
            section[-1].tail = "\n    "
        new.tail = "\n  "
        section.append(new)
        self.elements = actuator_elements(self.root)

    def set_joint(self, name: str, words: Mapping[str, str]) -> None:
        """Attributes of a joint, which go before those of its class."""
        element = self.joint(name)
        for word, value in words.items():
            element.set(word, value)

    @property
    def in_degrees(self) -> bool:
        """Whether its angles are in degrees, as they are unless a <compiler> says otherwise."""
        said = [each.get("angle") for each in self.root.findall("compiler") if each.get("angle")]
        return not said or said[-1] == "degree"

    def keys(self) -> list[ElementTree.Element]:
        """Its keyframes."""
        return [key for section in self.root.findall("keyframe") for key in section.findall("key")]

    def move_to(self, folder: Path) -> None:
        """Make relative paths hold from another folder: those of meshes, textures and models."""
        home = self.path.parent
        if folder.resolve() == home.resolve():
            return
        mesh = texture = ""
        compilers = self.root.findall("compiler")
        for each in compilers:
            both = each.attrib.pop("assetdir", None)
            mesh = each.attrib.pop("meshdir", both if both is not None else mesh)
            texture = each.attrib.pop("texturedir", both if both is not None else texture)
        if any(each.get("file") for each in self.root.iter() if each.tag != "model"):
            if not compilers:
                compilers = [ElementTree.Element("compiler")]
                compilers[0].tail = "\n  "
                self.root.insert(0, compilers[0])
            compilers[-1].set("meshdir", _moved(mesh, home, folder))
            compilers[-1].set("texturedir", _moved(texture, home, folder))
        for each in self.root.iter("model"):
            if each.get("file"):
                each.set("file", _moved(each.get("file", ""), home, folder))

    def text(self) -> str:
        """The file."""
        return xml_text(self.root, self.before)


def _moved(name: str, home: Path, folder: Path) -> str:
    """A path that is relative to one folder, relative to another."""
    return name if Path(name).is_absolute() else path_beside(home / name, folder)
