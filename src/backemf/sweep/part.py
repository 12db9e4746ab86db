"""One part of a sweep: cases in a row, computed by a worker and handed back as the bytes of a parquet file."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np

from ..errors import BackemfError
from ..progress import without_bars
from ..recording_writing import require_pyarrow
from ..values import Module
from .cases import Answers, Cases
from .space import Space
from .swept import Swept

CASE, ERROR = "case", "error"
"""Columns that every part has: the number of a case, and why it has no answers."""


@dataclass(frozen=True)
class Job:
    """All that a worker needs: any part of a sweep follows from it."""

    swept: Swept
    """What is run."""
    space: Space
    """What varies."""
    seed: int
    """Random seed."""
    size: int
    """Cases of a part; the last may have fewer [1]."""
    hash: str
    """What says that parts belong to the same sweep."""

    @property
    def parts(self) -> int:
        """Number of parts."""
        return -(-self.space.cases // self.size)

    def count(self, part: int) -> int:
        """Number of cases of a part."""
        return min(self.size, self.space.cases - part * self.size)


@dataclass(frozen=True)
class Refused:
    """Why a worker cannot compute any part."""

    sentence: str


@dataclass(frozen=True)
class PartDone:
    """A part as a worker hands it back."""

    part: int
    """Its number."""
    rows: int
    """Its cases."""
    failed: int
    """How many of them failed."""
    content: bytes
    """The parquet file."""


def run_part(job: Job, part: int) -> PartDone | Refused:
    """Compute a part: the same bytes wherever and whenever it is done."""
    try:
        pyarrow = require_pyarrow("A sweep")
    except BackemfError as error:
        return Refused(str(error))
    first, count = part * job.size, job.count(part)
    cases = Cases(first, job.seed, job.space.columns(first, count, job.seed, job.swept.nominal))
    answers = Answers(count)
    with without_bars():
        job.swept.run(cases, answers)
    table = _table(pyarrow, job, cases, answers)
    file = io.BytesIO()
    # with the checksum of each page, so that a damaged file is noticed
    pyarrow.parquet.write_table(table, file, compression="zstd", write_page_checksum=True)
    return PartDone(part, count, answers.failed, file.getvalue())


def _table(pyarrow: Module, job: Job, cases: Cases, answers: Answers) -> Module:
    columns = {CASE: pyarrow.array(cases.first + np.arange(len(cases), dtype=np.int64))}
    for name, values in cases.columns.items():
        columns[name] = pyarrow.array(values, pyarrow.string() if values.dtype == object else None)
    for name in sorted(answers.values):
        values = answers.values[name]
        kind = pyarrow.string() if values.dtype == object else None
        columns[name] = pyarrow.array(values, kind, mask=~answers.there[name])
    columns[ERROR] = pyarrow.array(answers.errors, pyarrow.string())
    fields = [
        pyarrow.field(name, values.type, metadata={"unit": job.swept.unit(name)}) for name, values in columns.items()
    ]
    meta = {"sweep": job.hash, "first": str(cases.first), "failed": str(answers.failed)}
    return pyarrow.Table.from_arrays(list(columns.values()), schema=pyarrow.schema(fields, metadata=meta))
