"""No file that is read runs code: each hostile kind would leave a mark, and none does."""

from pathlib import Path

import pytest
from test_cli import call

from backemf.errors import BackemfError
from backemf.transfer import read_actuators

SHELL = "touch {mark}"
PYTHON = "__import__('pathlib').Path({mark!r}).touch()"
"""What would leave the mark, as a command and as an expression."""


def python_texts(mark: str) -> dict[str, str]:
    """Python that would leave the mark if it were run, beside an actuator that is read."""
    run = PYTHON.format(mark=mark)
    fine = "a = IdealPdActuatorCfg(target_names_expr=('hip',), stiffness=1.0, damping=0.1, effort_limit=2.0)\n"
    head = "from mjlab.actuator import IdealPdActuatorCfg\n" + fine
    knee = "b = IdealPdActuatorCfg(target_names_expr=('knee',), damping=0.1, effort_limit=2.0, stiffness="
    return {
        "module": f"{head}{run}\n",
        "field": f"{head}{knee}{run})\n",
        "constant": f"{head}K = {run}\n{knee}K)\n",
        "f-string": head + "K = f'{" + run.replace("'", '"') + "}'\n" + f"{knee}K)\n",
        "lambda": f"{head}{knee}(lambda: {run})())\n",
        "comprehension": f"{head}K = [{run} for _ in range(1)]\n{knee}K[0])\n",
        "decorator": f"{head}@({run} or (lambda f: f))\ndef f(): pass\n",
        "default": f"{head}def f(x={run}): pass\n",
        "class body": f"{head}class C:\n    x = {run}\n{knee}C.x)\n",
        "attribute": f"{head}class C:\n    def __getattr__(self, n): return {run}\nc = C()\n{knee}c.x)\n",
        "subscript": f"{head}T = dict(a={run})\n{knee}T['a'])\n",
        "star": f"{head}b = IdealPdActuatorCfg(**{{'stiffness': {run}}}, target_names_expr=('knee',))\n",
        "import": f"{head}import evil\n{knee}evil.K)\n",
        "relative import": f"{head}from .evil import K\n{knee}K)\n",
        "exec": f"{head}exec({run!r})\n",
        "eval": f"{head}{knee}eval({run!r}))\n",
        "walrus": f"{head}{knee}(x := {run}))\n",
        "conditional": f"{head}{knee}1.0 if {run} else 2.0)\n",
        "type annotation": f"{head}K: {run} = 1.0\n{knee}K)\n",
    }


@pytest.mark.parametrize("kind", python_texts("mark"))
def test_python_is_read_and_never_run(kind, tmp_path):
    """The good actuator beside it is read; the other is read or says why not; the mark is not there."""
    mark = tmp_path / "mark"
    (tmp_path / "evil.py").write_text(f"{PYTHON.format(mark=str(mark))}\nK = 1.0\n")
    path = tmp_path / "robot.py"
    path.write_text(python_texts(str(mark))[kind])
    found = read_actuators(path)
    assert found[0].joint == "hip"
    assert not mark.exists()


FILES = {
    "template.proto": (
        "#VRML_SIM R2023b utf8\nPROTO P [ field SFFloat t 1 ] {{\n%< import('child_process').execSync('{shell}'); >%\n"
        "%{{ os.execute('{shell}') }}%\nHingeJoint {{ device RotationalMotor {{ maxTorque %<= {python} >% }} }}\n}}\n"
    ),
    "extern.wbt": (
        '#VRML_SIM R2023b utf8\nEXTERNPROTO "file:///bin/sh"\n'
        'Robot {{ controller "{shell}" children [ HingeJoint {{ device RotationalMotor {{ name "a" }} }} ] }}\n'
    ),
    "entity.xml": '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><mujoco><actuator>&x;</actuator></mujoco>',
    "include.xml": '<mujoco><include file="/etc/hostname"/><actuator/></mujoco>',
    "plugin.xml": (
        '<mujoco><extension><plugin plugin="{shell}"/></extension><worldbody><body><joint name="k"/>'
        '<geom size="1"/></body></worldbody><actuator><plugin joint="k" plugin="{shell}"/></actuator></mujoco>'
    ),
    "actuator.toml": 'format = "backemf actuator 1"\n[controller]\nkind = "{python}"\n',
    "kind.toml": 'format = "backemf actuator 1"\n[controller]\nkind = "os.system"\ncommand = "{shell}"\n',
    "payload.usda": (
        "#usda 1.0\n(\n  subLayers = [@{folder}/evil.py@]\n)\n"
        'def "robot" (prepend payload = @anon:{shell}@ prepend references = @{folder}/evil.py@)\n{{\n}}\n'
    ),
    "script.usda": (
        '#usda 1.0\ndef Scope "s" (customData = {{ string omni_script = "{python}" }})\n{{\n'
        "  asset omni:scripting:scripts = @{folder}/evil.py@\n}}\n"
    ),
}
"""Files of the other kinds, with what their programs could run."""


@pytest.mark.parametrize("name", FILES)
def test_other_files_run_nothing(name, tmp_path):
    """One sentence or an answer, and no mark."""
    mark = tmp_path / "mark"
    (tmp_path / "evil.py").write_text(PYTHON.format(mark=str(mark)))
    words = {
        "shell": SHELL.format(mark=mark),
        "python": PYTHON.format(mark=str(mark)).replace('"', "'"),
        "folder": str(tmp_path),
    }
    path = tmp_path / name
    path.write_text(FILES[name].format(**words))
    result = call("import", path, "--list")
    assert result.exit_code in (0, 2) and "Traceback" not in result.output, result.output
    assert not isinstance(result.exception, Exception) or isinstance(result.exception, (SystemExit, BackemfError))
    assert sorted(Path(tmp_path).iterdir()) == sorted([tmp_path / "evil.py", path])
