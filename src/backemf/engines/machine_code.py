"""LLVM's language to machine code in this process."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from ..values import Module
from .code_cache import attach_cache, find_code, key_of

_KEPT: dict[str, Module] = {}
"""What was compiled, by a hash of its text."""
_LOCK = threading.Lock()
WORTH_A_THREAD = 20_000
"""Steps of motors that take longer than starting a thread [1]."""
_LIBRARY = ("exp", "expm1", "log2", "sin", "cos", "tanh", "pow")


@cache
def target() -> Module:
    """The machine that code is made for, with its own vector instructions."""
    from llvmlite import binding as llvm

    for start in ("initialize_native_target", "initialize_native_asmprinter"):
        getattr(llvm, start)()
    library = ctypes.CDLL("ucrtbase" if os.name == "nt" else ctypes.util.find_library("m"))
    for name in _LIBRARY:
        llvm.add_symbol(name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)
    cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_default_triple().create_target_machine(cpu=cpu, features=features, opt=2)


@cache
def vector_width() -> int:
    """Motors that one instruction steps, as wide as this machine's vectors [1]."""
    from llvmlite import binding as llvm

    features = llvm.get_host_cpu_features()
    return 8 if features.get("avx512f") else 4


def in_threads(count: int, steps: int, run: Callable[[int, int], object]) -> None:
    """Step a batch of motors by `run(first, last)`, on several processors where that pays: each motor is by itself."""
    parts = min(count * steps // WORTH_A_THREAD, count // (2 * vector_width()))
    if parts > 1:
        parts = min(parts, len(processors()))
    if parts < 2:
        run(0, count)
        return
    ends = [count * k // parts for k in range(parts + 1)]
    with ThreadPoolExecutor(parts) as pool:
        list(pool.map(run, ends[:-1], ends[1:]))


def processors() -> set[int]:
    """Processors that this process may use."""
    own = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    return set(sorted(own)[: _most[0]]) if _most else own


def limit_processors(count: int) -> None:
    """Let this process use so many processors at most, where others compute beside it."""
    _most[:] = [count]


_most: list[int] = []
"""Most processors that this process uses; empty: as many as there are [1]."""


def compile_text(text: str, optimize: bool = False) -> Module:
    """The engine that holds the compiled functions of a module; the same text is compiled once, and kept on disk.

    A step comes as it shall run; with `optimize` LLVM's own passes go over the text first, for loops and variables.
    """
    from llvmlite import __version__ as llvmlite_version
    from llvmlite import binding as llvm

    machine = target()
    maker = llvmlite_version, ".".join(map(str, llvm.llvm_version_info)), llvm.get_process_triple()
    key = key_of(
        text,
        (
            *maker,
            *(["optimized"] if optimize else []),
            llvm.get_host_cpu_name(),
            llvm.get_host_cpu_features().flatten(),
        ),
    )
    with _LOCK:
        if key not in _KEPT:
            module = llvm.parse_assembly(text)
            module.verify()
            if optimize and find_code(key) is None:
                passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
                passes.getModulePassManager().run(module, passes)
            engine = llvm.create_mcjit_compiler(module, machine)
            attach_cache(engine, key)
            engine.finalize_object()
            _KEPT[key] = engine
        return _KEPT[key]
