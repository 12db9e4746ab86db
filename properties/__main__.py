"""Try random motors for some minutes, print what was tried and what went wrong; a run goes on where it stopped."""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from time import monotonic

from backemf.progress import progress_bar

from .engines import installed_engines
from .pieces import Plan, examine_case, examine_piece
from .tally import Record, Tally, table


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m properties", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="how long to try; a run goes on where it stopped")
    parser.add_argument("--seed", type=int, default=0, help="random seed; another one tries other motors")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--engines", default=None, help="such as torch,jax; all that are installed if left out")
    parser.add_argument("--only-engines", action="store_true", help="compare engines, check nothing else")
    parser.add_argument(
        "--fused", action="store_true", help="let JAX fuse products and sums, as for users: this compares rounding too"
    )
    parser.add_argument("--record", type=Path, default=None, help="file that says what was done")
    parser.add_argument("--table", type=Path, default=None, help="file for the table, in Markdown")
    parser.add_argument(
        "--case", type=int, default=None, help="try one case only, by the number in a program's heading"
    )
    return parser.parse_args()


def main() -> int:
    """Run; the exit status is 1 where something was violated."""
    given = arguments()
    if not given.fused:
        compare_laws_only()
    engines = installed_engines() if given.engines is None else tuple(filter(None, given.engines.split(",")))
    plan = Plan(seed=given.seed, engines=engines, only_engines=given.only_engines, fused=given.fused)
    if given.case is not None:
        total = Tally()
        examine_case(plan, given.case, total)
    else:
        total = run(plan, given)
    for check, programs in total.programs.items():
        print(f"# --- violated: {check}")
        print("\n\n".join(programs) + "\n")
    text = table(total)
    print(text)
    if given.table is not None:
        given.table.write_text(text + "\n")
    return 1 if total.violations else 0


def run(plan: Plan, given: argparse.Namespace) -> Tally:
    """Examine piece after piece until the time is over."""
    path = given.record or Path("out") / f"properties-{plan.seed}.jsonl"
    record = Record(path, json.loads(json.dumps(asdict(plan))))
    if record.done:
        print(f"going on with {path}: {record.total.inputs:,} motor-inputs are done", file=sys.stderr)
    begin, length = monotonic(), 60.0 * given.minutes
    left = (piece for piece in count() if piece not in record.done)
    with workers(given.workers) as pool, progress_bar("trying motors", max(1, round(length)), 0.0) as advance:
        shown, jobs = 0, {}
        while True:
            # as many pieces under way as there are workers, so that little is lost at the end
            while len(jobs) < given.workers and monotonic() - begin < length:
                piece = next(left)
                jobs[pool.submit(examine_piece, plan, piece)] = piece
            if not jobs:
                return record.total
            for job in wait(jobs, return_when=FIRST_COMPLETED).done:
                record.write(jobs.pop(job), job.result())
            now = min(round(length), round(monotonic() - begin))
            advance(now - shown)
            shown = now


def compare_laws_only() -> None:
    """Have JAX round every operation as NumPy does, on processors that could fuse a product and a sum.

    What is then compared is the law alone. `XLA_FLAGS` is read when JAX starts, here and in the workers.
    """
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_max_isa=AVX".strip()


def workers(number: int) -> ProcessPoolExecutor:
    """Processes that share nothing with this one, of one thread each."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    return ProcessPoolExecutor(number, mp_context=get_context("spawn"))


if __name__ == "__main__":
    sys.exit(main())
