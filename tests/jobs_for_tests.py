"""Jobs that misbehave, for the tests of worker processes."""

import os
import signal
import time

from backemf.errors import ParameterError
from backemf.work.workers import Job


def add(payload, tell):
    print("what a library prints is no message")
    for k in range(3):
        tell({"label": "adding", "done": k + 1, "total": 3, "word": ""})
    return {"sum": payload["a"] + payload["b"], "pid": os.getpid()}


def sleep(payload, tell):
    tell({"label": "sleeping", "pid": os.getpid()})
    time.sleep(payload.get("seconds", 1000))
    return payload.get("word")


def refuse(payload, tell):
    raise ParameterError("mass = -1 kg: must be above 0")


def stumble(payload, tell):
    raise KeyError("a fault of ours")


def swell(payload, tell):
    tell({"label": "swelling", "pid": os.getpid()})
    return len(bytearray(payload["megabytes"] * 1_000_000))


def die(payload, tell):
    os.kill(os.getpid(), signal.SIGKILL)


def children(payload, tell):
    child = os.fork()
    if child == 0:
        time.sleep(1000)
    tell({"label": "parent", "pid": child})
    time.sleep(1000)


JOBS = {
    "add": Job(add),
    "sleep": Job(sleep),
    "sleep long": Job(sleep, long=True),
    "refuse": Job(refuse),
    "stumble": Job(stumble),
    "swell": Job(swell, megabytes=600),
    "die": Job(die),
    "children": Job(children),
}
