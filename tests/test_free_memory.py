"""How much memory a run may take: what the machine, the groups around this process and its address space leave."""

from pathlib import Path

import pytest

import backemf as be
from backemf import free_memory as module
from backemf.free_memory import free_memory

GIB = 2**30


@pytest.fixture
def kernel(tmp_path):
    """A folder in place of the kernel's: a machine with 8 GiB, of which 6 are free, and 1 GiB of free swap."""

    def write(path: str, text: str) -> None:
        target = Path(tmp_path, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    write(
        "proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable:    6291456 kB\nSwapFree: 1048576 kB\nHugePages_Total: 0\n"
    )
    return write


def test_what_the_machine_has_left_counts_and_not_what_it_has(kernel, tmp_path):
    assert free_memory(str(tmp_path)) == 7 * GIB


@pytest.mark.parametrize("place", ["sys/fs/cgroup", "sys/fs/cgroup/unified"])
def test_a_group_leaves_what_is_below_its_limit(kernel, tmp_path, place):
    """4 GiB, of which 3 are taken, 1 of those by files that are only kept: 2 are left; an outer group leaves less."""
    kernel("proc/self/cgroup", "0::/batch/job_7/step\n")
    kernel(f"{place}/batch/job_7/step/memory.max", "max\n")
    kernel(f"{place}/batch/job_7/memory.max", f"{4 * GIB}\n")
    kernel(f"{place}/batch/job_7/memory.current", f"{3 * GIB}\n")
    kernel(f"{place}/batch/job_7/memory.stat", f"anon {2 * GIB}\ninactive_file {GIB}\nactive_file 5\n")
    assert free_memory(str(tmp_path)) == 2 * GIB
    kernel(f"{place}/batch/memory.max", f"{GIB}\n")
    assert free_memory(str(tmp_path)) == GIB
    kernel(f"{place}/batch/memory.current", f"{2 * GIB}\n")
    assert free_memory(str(tmp_path)) == 0


def test_a_group_of_the_first_version_counts_too(kernel, tmp_path):
    """Its limit is under other names, and none is a number that no machine has."""
    kernel("proc/self/cgroup", "9:cpu,cpuacct:/elsewhere\n4:memory:/slurm/uid_1/job_2\n0::/\n")
    kernel("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
    assert free_memory(str(tmp_path)) == 7 * GIB
    kernel("sys/fs/cgroup/memory/slurm/uid_1/job_2/memory.limit_in_bytes", f"{3 * GIB}\n")
    kernel("sys/fs/cgroup/memory/slurm/uid_1/job_2/memory.usage_in_bytes", f"{2 * GIB}\n")
    kernel("sys/fs/cgroup/memory/slurm/uid_1/job_2/memory.stat", f"inactive_file 1\ntotal_inactive_file {GIB // 2}\n")
    assert free_memory(str(tmp_path)) == 1.5 * GIB


def test_a_container_sees_its_group_as_the_outermost_one(kernel, tmp_path):
    """The name of the group is the host's, and is not there inside."""
    kernel("proc/self/cgroup", "4:memory:/docker/0123\n0::/docker/0123\n")
    kernel("sys/fs/cgroup/memory/memory.limit_in_bytes", f"{2 * GIB}\n")
    assert free_memory(str(tmp_path)) == 2 * GIB
    kernel("sys/fs/cgroup/memory.max", f"{GIB}\n")
    assert free_memory(str(tmp_path)) == GIB


def test_the_limit_of_the_address_space_counts(kernel, tmp_path, monkeypatch):
    """Of 5 GiB of addresses 1 GiB is used."""
    resource = pytest.importorskip("resource")
    kernel("proc/self/statm", f"{GIB // resource.getpagesize()} 1 1 1 0 1 0\n")
    monkeypatch.setattr(resource, "getrlimit", lambda what: (5 * GIB, resource.RLIM_INFINITY))
    assert free_memory(str(tmp_path)) == 4 * GIB


@pytest.mark.parametrize("text", ["", "max", "nothing\n", "MemAvailable:\n", "0::\n::::\n4:memory:/../..\n"])
def test_what_cannot_be_read_is_no_limit(kernel, tmp_path, text):
    """Whatever is in the place of the kernel's files."""
    for path in ("proc/self/cgroup", "sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"):
        kernel(path, text)
    assert free_memory(str(tmp_path)) == 7 * GIB


def test_a_run_that_the_memory_left_does_not_hold_is_refused(kernel, tmp_path, monkeypatch):
    """In a group with 30 MB left 100,000 steps of more than 30 channels of 8 bytes are too many, and 10,000 are not."""
    kernel("proc/self/cgroup", "0::/job\n")
    kernel("sys/fs/cgroup/job/memory.max", "90000000\n")
    kernel("sys/fs/cgroup/job/memory.current", "60000000\n")
    monkeypatch.setattr("backemf.checks.free_memory", lambda: module.free_memory(str(tmp_path)))
    motor = be.Motor(
        winding=be.Winding(resistance=1.0),
        magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
        rotor=be.Rotor(inertia=1e-4),
    )
    be.simulate(motor, be.Inertia(inertia=1e-4), 1.0, 1.0, 1e-4)
    with pytest.raises(
        be.ParameterError, match=r"^the run would take .* GiB, and there are 0\.0279 GiB free: raise every"
    ):
        be.simulate(motor, be.Inertia(inertia=1e-4), 1.0, 10.0, 1e-4)
