"""The three controllers in this folder on every backend: Webots' ideal motor, our full motor, and MuJoCo.

Writes webots_*.svg to out/ (or to the folder named by BACKEMF_OUT).
"""

import os
from pathlib import Path

from backemf.sims import webots

HERE = Path(__file__).parent
SCRIPTS = {"position_loop": "arm motor", "endless_velocity": "left wheel motor", "torque_control": "arm motor"}


def main() -> None:
    folder = Path(os.environ.get("BACKEMF_OUT", "out")).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    robot = webots.load_robot(HERE / "robot.toml")
    for script, motor in SCRIPTS.items():
        runs = {}
        for backend in ("ideal", "motor", "mujoco"):
            runs[backend] = webots.Recorder()
            webots.run_script(HERE / f"{script}.py", robot.with_values(backend=backend), recorder=runs[backend])
        path = folder / f"webots_{script}.svg"
        webots.draw_compared(runs, motor, path, f"{script}.py: {motor}")
        print(path)
        if script == "endless_velocity":
            path = folder / "webots_full_motor.svg"
            webots.draw_run(runs["motor"], path, f"{script}.py with our full motors")
            print(path)


if __name__ == "__main__":
    main()
