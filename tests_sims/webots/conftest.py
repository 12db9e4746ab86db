"""Finds ODE, the engine of Webots, or says in one sentence how to get it."""

import pytest
from ode import MissingOde, library


def pytest_sessionstart(session: pytest.Session) -> None:
    try:
        library()
    except MissingOde as missing:
        pytest.exit(str(missing), returncode=1)
