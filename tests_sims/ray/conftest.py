"""A Ray cluster of two nodes on this machine, for all tests of the folder."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from rig import patiently

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")


@pytest.fixture(scope="session")
def cluster() -> Iterator[object]:
    """A head and a second node, of one processor each."""
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 1, "include_dashboard": False}
    made = patiently(lambda: Cluster(initialize_head=True, head_node_args=head))
    patiently(lambda: made.add_node(num_cpus=1))
    yield made
    made.shutdown()


@pytest.fixture(scope="session")
def joined_once(cluster: object) -> Iterator[object]:
    """The cluster, of which this process is a part to the end."""
    import ray

    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")  # type: ignore[attr-defined]
    yield cluster
    ray.shutdown()


@pytest.fixture
def joined(joined_once: object) -> object:
    """The same, which must still be joined."""
    import ray

    assert ray.is_initialized()
    return joined_once
