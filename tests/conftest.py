"""Settings for all tests."""

import gc
import os
import signal

import pytest
from hypothesis import settings

# compiled programs stay until the end and grow to gigabytes: the collector need not look through them so often
gc.set_threshold(100_000, 50, 100)

# the gate tries the same examples each time; on a desk every run tries new ones; neither looks at the clock
settings.register_profile("desk", deadline=None)
settings.register_profile("gate", derandomize=True, database=None, deadline=None)
settings.load_profile("gate" if os.environ.get("CI") else "desk")

# a shell that starts tests in the background has them ignore Ctrl-C, and every program that they start
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# where a developer has Webots, its PROTOs are found; tests have their own
os.environ.pop("WEBOTS_HOME", None)

# a part in an expectation may hold pytest.approx: it passes for an array whose numbers are not known
type(pytest.approx(0.0)).dtype = float


def pytest_configure(config: pytest.Config) -> None:
    """What is opened is closed, and no error is lost where Python only tells of it.

    Only here: browsers and simulators, which the other tests run in, leave things open.
    """
    for kind in ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning"):
        config.addinivalue_line("filterwarnings", f"error::{kind}")
