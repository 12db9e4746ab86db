"""Settings for all tests."""

import os

from hypothesis import settings

# the gate tries the same examples each time; on a desk every run tries new ones
settings.register_profile("gate", derandomize=True, database=None)
if os.environ.get("CI"):
    settings.load_profile("gate")
