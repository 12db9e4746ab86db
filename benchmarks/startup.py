"""CPU seconds (user and system) that the command line takes: the least of several runs, each a process of its own.

Completion is what the shell waits for when Tab is pressed. `make bench` runs it.
"""

from __future__ import annotations

import os
import subprocess
import sys

RUNS = 5
COMMANDS = {
    "backemf --help": ["--help"],
    "backemf list": ["list"],
    "backemf check maxon-re40-148877": ["check", "maxon-re40-148877"],
    "backemf show maxon-re40-148877": ["show", "maxon-re40-148877"],
    "backemf simulate --help": ["simulate", "--help"],
    'backemf simulate maxon-re40-148877 --command "24 V"': ["simulate", "maxon-re40-148877", "--command", "24 V"],
    "backemf export maxon-re40-148877 --to mujoco@4.0": ["export", "maxon-re40-148877", "--to", "mujoco@4.0"],
    "backemf export maxon-re40-148877 --to mjlab": ["export", "maxon-re40-148877", "--to", "mjlab"],
}
TAB = {
    "backemf <Tab>": "backemf ",
    "backemf check max<Tab>": "backemf check max",
    "backemf export maxon-re40-gp52c --to <Tab>": "backemf export maxon-re40-gp52c --to ",
}


def cpu_seconds(arguments: list[str], **environment: str) -> float:
    """CPU time of one run of the command line [s]."""
    program = "import sys; from backemf.cli import main; sys.argv[0] = 'backemf'; main()"
    command = [sys.executable, "-c", program, *arguments]
    before = os.times()
    quiet = subprocess.DEVNULL
    subprocess.run(command, env={**os.environ, **environment}, stdout=quiet, stderr=quiet, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def completion(line: str) -> dict[str, str]:
    """What bash tells a program whose command line is to be completed at the end."""
    return {
        "_BACKEMF_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
    }


def main() -> None:
    print(f"CPU seconds, the least of {RUNS} runs")
    for shown, arguments in COMMANDS.items():
        print(f"{min(cpu_seconds(arguments) for _ in range(RUNS)):6.2f}  {shown}")
    for shown, line in TAB.items():
        print(f"{min(cpu_seconds([], **completion(line)) for _ in range(RUNS)):6.2f}  {shown}")


if __name__ == "__main__":
    main()
