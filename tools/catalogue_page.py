"""The page of the catalogue: every motor, what its sheet says, and what becomes of it in every simulator.

Run it to write docs/reference/catalogue.md anew; a test holds the page to what this finds.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import backemf as be
from backemf.errors import BackemfError
from backemf.transfer.exported import export
from backemf.transfer.targets import NAMES, target_of

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "catalogue.md"
STATUSES = ("kept", "approximated", "dropped", "unknown")
HEAD = """---
hide: [toc]
---

# The catalogue

{count} motors of {makers} makers and laboratories. Each is a TOML file with the source of every figure; `backemf show
ID` prints them, and `backemf list` has their torques and speeds, with filters. {says}

A sheet with a winding, inertia, friction and heat makes a *whole* motor; *partial* lacks one of the last three;
*limits* is a torque and a top speed without a winding. What a sheet does not give can be
[estimated](../concepts/datasheets.md).

## Every motor in every simulator

Four counts per cell: phenomena that are kept·approximated·dropped·unknown, for a motor whose torque is commanded,
as `backemf export ID --to SIMULATOR` prints them with a sentence each. Unknown is what the sheet does not give.

"""


def page() -> str:
    """The text of the page."""
    ids = be.Datasheet.catalog()
    sheets = {name: be.Datasheet.load(name) for name in ids}
    counted = Counter(sheet.says for sheet in sheets.values())
    says = ", ".join(f"{counted[kind]} {words}" for kind, words in SAYS.items())
    titles = [target_of(name).title for name in NAMES]
    lines = [
        "| id | it says | " + " | ".join(titles) + " |",
        "|---|---|" + "---|" * len(titles),
        *(row(name, sheets[name]) for name in ids),
    ]
    makers = len({sheet.maker for sheet in sheets.values()})
    head = HEAD.format(count=len(ids), makers=makers, says=f"Of these, {says}.")
    return head + "\n".join(lines) + "\n"


def row(name: str, sheet: be.Datasheet) -> str:
    """One motor: what becomes of it in each simulator."""
    words = sheet.says.removesuffix(" motor").removesuffix(" only")
    return f"| `{name}` | {words} | " + " | ".join(cell(name, target) for target in NAMES) + " |"


def cell(name: str, target: str) -> str:
    """The counts of one motor in one simulator, or why there are none."""
    try:
        found = export(name, target, "joint", compare=False)
    except BackemfError as error:
        return reason(str(error))
    counted = Counter(loss.status for loss in found.statuses)
    return "·".join(str(counted[status]) for status in STATUSES)


SAYS = {
    "whole motor": "are whole motors",
    "partial motor": "partial ones",
    "limits only": "limits",
    "too little": "give too little for either",
}
"""What the page calls each kind of sheet."""
REASONS = {
    "too few figures": "no torque is known",
    "no nominal voltage": "needs `--supply`",
}
"""Words of an error, and what the table says for it."""


def reason(text: str) -> str:
    """Why there is no text for a simulator, in a few words; a reason that nobody thought of is an error."""
    for words, shown in REASONS.items():
        if words in text:
            return shown
    raise AssertionError(f"no reason is known for: {text}")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
