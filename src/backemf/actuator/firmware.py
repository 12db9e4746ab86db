"""What the position loop of a servo's firmware makes of its registers: duty per radian, model by model.

Where the makers' pages and measurements differ, measurements count, and `Firmware.source` says so. A model is here only
if its conversion is public.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ..checks import Number, concrete
from ..errors import ParameterError

_PULSES = 4096 / (2 * math.pi)
"""Encoder pulses per radian of a 12 bit servo [1/rad]."""
_PWM = 885
"""PWM limit of a Dynamixel X at full duty, in units of 0.113 %."""


@dataclass(frozen=True, kw_only=True)
class Firmware:
    """One model's position loop: duty = p·P·e + i·I·∫e - d·D·q'."""

    p: float
    """Duty per position error and unit of the P gain [1/rad]."""
    i: float | None = None
    """Duty per integrated error and unit of the I gain [1/(rad·s)]; None: its unit is not public."""
    d: float | None = None
    """Duty per velocity and unit of the D gain [s/rad]; None: its unit is not public."""
    gains: tuple[int, int, int]
    """P, I and D gain as delivered [1]."""
    largest_gain: int
    """Largest value of the gain registers [1]."""
    full_pwm: int | None = None
    """Value of the PWM limit at full duty [1]; None: the model has no such register."""
    largest_duty: float = 1.0
    """Largest duty that the firmware gives [1]."""
    source: str
    """Where the conversion comes from."""


# --- Dynamixel X, and MX with firmware for protocol 2.0: P/128 per pulse, I/65536 per pulse and step, D/16 per pulse of
# change in a step, in units of the PWM limit. The pages do not print the step; a millisecond is taken.

_X = Firmware(
    p=_PULSES / (128 * _PWM),
    i=_PULSES / (65536 * _PWM) / 1e-3,
    d=_PULSES / (16 * _PWM) * 1e-3,
    gains=(800, 0, 0),
    largest_gain=16383,
    full_pwm=_PWM,
    source="emanual.robotis.com, control table of the model (read 2026-11-15)",
)
_XL330 = replace(
    _X,
    p=_PULSES / (256 * _PWM),
    source="P/256 as measured (github:Rhoban/bam, logs of 2026-01-15), the page says P/128; I and D as on the page",
)
_X_GAINS = {
    "2xc430-w250": (700, 0, 0),
    "2xl430-w250": (640, 0, 2000),
    "xc330-m181": (1200, 0, 500),
    "xc330-m288": (1100, 0, 500),
    "xc330-t181": (900, 0, 0),
    "xc330-t288": (900, 0, 0),
    "xc430-t150bb": (460, 0, 0),
    "xc430-t240bb": (700, 0, 0),
    "xc430-w150": (460, 0, 0),
    "xc430-w240": (700, 0, 0),
    "xd430-t210": (900, 0, 0),
    "xd430-t350": (900, 0, 0),
    "xd540-t150": (800, 0, 0),
    "xd540-t270": (800, 0, 0),
    "xh430-v210": (800, 0, 0),
    "xh430-v350": (800, 0, 0),
    "xh430-w210": (900, 0, 0),
    "xh430-w350": (900, 0, 0),
    "xh540-v150": (800, 0, 0),
    "xh540-v270": (800, 0, 0),
    "xh540-w150": (800, 0, 0),
    "xh540-w270": (800, 0, 0),
    "xl430-w250": (640, 0, 4000),
    "xm335-t323": (2000, 0, 0),
    "xm430-w210": (800, 0, 0),
    "xm430-w350": (800, 0, 0),
    "xm540-w150": (800, 0, 0),
    "xm540-w270": (800, 0, 0),
    "xw430-t200": (900, 0, 0),
    "xw430-t333": (900, 0, 0),
    "xw540-h260": (800, 0, 0),
    "xw540-t140": (800, 0, 0),
    "xw540-t260": (800, 0, 0),
    "mx-28-2.0": (850, 0, 0),
    "mx-64-2.0": (850, 0, 0),
    "mx-106-2.0": (850, 0, 0),
}


def _small_registers(duty: float, largest_duty: float, source: str) -> Firmware:
    """MX of protocol 1.0 and XL-320: Kp = P/8, Ki = I·1000/2048 and Kd = D·4/1000 of one error, whose scale to a duty
    was measured for P."""
    scale = 8 * duty
    return Firmware(
        p=duty,
        i=scale * 1000 / 2048,
        d=scale * 4 / 1000,
        gains=(32, 0, 0),
        largest_gain=254,
        largest_duty=largest_duty,
        source=source,
    )


_MX = _small_registers(
    0.158,
    0.9625,
    "github:Rhoban/bam, PWM of MX-64 and MX-106 on an oscilloscope; ratio of I and D to P: emanual.robotis.com",
)

DYNAMIXEL: dict[str, Firmware] = {
    **{model: replace(_X, gains=gains) for model, gains in _X_GAINS.items()},
    "xl330-m077": replace(_XL330, gains=(400, 0, 400)),
    "xl330-m288": replace(_XL330, gains=(400, 0, 0)),
    "xl-320": _small_registers(
        0.05048199, 1.0, "github:Rhoban/bam, PWM on an oscilloscope; ratio of I and D to P: emanual.robotis.com"
    ),
    "mx-64": _MX,
    "mx-106": _MX,
}
"""Dynamixel servos whose conversion is public."""

FEETECH: dict[str, Firmware] = {
    "sts3215": Firmware(
        p=0.166,
        gains=(32, 0, 32),
        largest_gain=254,
        largest_duty=0.97,
        source="github:Rhoban/bam, PWM of an STS3215 of 7.4 V on an oscilloscope",
    ),
}
"""Feetech servos whose conversion is public."""

_NOT_PUBLIC = {
    "dynamixel": {
        "ax": "it has compliance slopes instead of a P gain, and what duty they give is not public",
        "ph": "the maker does not print how its gains become a duty",
        "pm": "the maker does not print how its gains become a duty",
        "ym": "the maker does not print how its gains become a duty",
        "mx-28": "its scale was measured by nobody with protocol 1.0; with protocol 2.0 it is 'mx-28-2.0'",
    },
    "feetech": {"": "the maker does not print how its gains become a duty, and nobody has published a measurement"},
}
"""Why some models are missing, by how their names begin."""


def firmware_of(model: object, known: dict[str, Firmware], maker: str) -> Firmware:
    """The conversion of a model, by its name as printed, in any case, with or without the maker and the bus' letter."""
    call = f"DutyServo.{maker}"
    if not isinstance(model, str):
        given = "no model is given" if model is None else f"model = {model!r} is no name"
        raise ParameterError(
            f"{call}: {given}, and what a gain means differs between models: give one of {', '.join(sorted(known))}"
        )
    name = model.lower().strip().replace("(2.0)", "-2.0").removeprefix(maker).strip("- _")
    names = {key.replace("-", ""): key for key in known}
    for text in (name, name.removesuffix("-t"), name.removesuffix("-r")):
        key = names.get(text.replace("-", ""))
        if key is not None:
            return known[key]
    why = next((f"{reason}; " for start, reason in _NOT_PUBLIC[maker].items() if name.startswith(start)), "")
    raise ParameterError(
        f"{call}: the firmware of model = {model!r} is not known: {why}known are {', '.join(sorted(known))}; "
        "for another, give DutyServo(kp=...) in duty per radian"
    )


def register(name: str, value: Number | None, delivered: int, largest: int) -> Number:
    """The value of a register: as delivered where none is given, refused outside its range."""
    if value is None:
        return delivered
    known = concrete(value)
    if known is not None and not ((known >= 0) & (known <= largest)).all():
        raise ParameterError(f"{name} = {value}: the register takes 0 to {largest}")
    return value
