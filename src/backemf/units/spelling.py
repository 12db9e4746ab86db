"""What makers print, in the letters of a keyboard: `7.6×10⁻⁵ kg·m²` becomes `7.6*10^-5 kg*m^2`."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SIGNS = {
    **dict.fromkeys("·⋅∙•・×∗", "*"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
    **dict.fromkeys("∕÷", "/"),
    **dict.fromkeys("\u200b\u2060\ufeff\u00ad", ""),
    **dict.fromkeys("’ʼ′", "'"),
    "″": '"',
    "℃": "degC",
    "℉": "degF",
    "°": "deg",
    "Ω": "ohm",
    "\u2126": "ohm",
    "µ": "u",
    "μ": "u",
}
_SIGNS_TABLE = str.maketrans(_SIGNS)
_SPACES = str.maketrans("*/^()", "     ")

_KNOWN = {
    *"%123456789mgshAKNJWVH", "mm", "cm", "kg", "ms", "us", "min", "mA", "mN", "uN", "Nm", "mNm", "mV", "mW", "ohm",
    "mohm", "mH", "uH", "rad", "deg", "arcmin", "rpm", "degC", "Hz",
}  # fmt: skip
"""Words of the grammar that are no part of a longer spelling."""
_ENDS = r"[)}]?(?![A-Za-z])"
# patterns are compiled when they are first needed: most units need none
_WORDS = [
    # r.p.m., and the points of "oz.-in."
    (r"(?i)\br\.\s?p\.\s?m\b\.?", "rpm"),
    (r"(?<=[A-Za-z])\.(?![A-Za-z\d])", ""),
    (r"\bdeg[.\s]*([CF])\b", r"deg\1"),
    # a revolution in French, German and short English, only where a speed is spelt
    (r"\b(?:r|U|tr|Umdr)(?=\s*/\s*(?:min|s|sec)\b)", "rev"),
    # which ampere, which volt
    (r"\b([mk]?A)[\s_*-]*[({]?(?:rms|eff|RMS|Rms)" + _ENDS, r"\1rms"),
    (r"\b([mk]?A)[\s_*-]*[({]?(?:pk|peak|PK|Pk|Peak)" + _ENDS, r"\1pk"),
    (r"\b([mk]?A)[\s_*-]*[({]?(?:dc|DC)" + _ENDS, r"\1dc"),
    (r"\b([mk]?V)[\s_*-]*[({]?(?:dc|DC|pk|peak)" + _ENDS, r"\1"),
    (r"\b[mk]?V[\s_*-]*[({]?(?:rms|eff|RMS|Rms|ac|AC)" + _ENDS, "Vrms"),
    # a power without its sign: cm2, min-1
    (r"(?<=[A-Za-z])(-?\d)(?!\d)", r"^\1"),
]
_GROUP = r"[A-Za-z]+(?:\^-?\d)?(?:\s?[.-]\s?[A-Za-z]+(?:\^-?\d)?)+"
_JOINT = r"\s?[.-]\s?(?=[A-Za-z])"


def keyboard(text: str) -> str:
    """A text with its typographic signs replaced; a power is never merged into a number."""
    if text.isascii():
        return text.replace("**", "^")
    text = re.sub("[⁰¹²³⁴-⁹⁻⁺]+", lambda found: "^" + found[0].translate(_SUPERSCRIPT), text)
    # signs go first: NFKC would take ″ apart; and once more for what it makes, such as the square ㏀
    text = unicodedata.normalize("NFKC", text.translate(_SIGNS_TABLE))
    return text.translate(_SIGNS_TABLE).replace("**", "^")


@lru_cache(maxsize=1024)
def unit_words(text: str) -> str:
    """A unit in the words of the grammar: `oz-in-s2` becomes `(oz*in*s^2)`, `A rms` becomes `Arms`."""
    text = keyboard(text).strip()
    if text.startswith("/"):
        text = f"1{text}"
    if _KNOWN.issuperset(text.translate(_SPACES).split()):
        return text
    for pattern, word in _WORDS:
        text = re.sub(pattern, word, text)
    # joined by a hyphen or a point, a product holds together: rpm/oz-in
    text = re.sub(_GROUP, lambda found: f"({re.sub(_JOINT, '*', found[0])})", text)
    if text.startswith("(") and text.endswith(")") and text.count("(") == 1:
        text = text[1:-1]
    return text


_AMPERES = {"Arms": "rms", "Apk": "peak-phase", "Adc": "dc"}


def amperes_of(words: str) -> tuple[str, ...]:
    """The kinds of ampere a unit names: `"rms"`, `"peak-phase"`, `"dc"`."""
    if "A" not in words:
        return ()
    return tuple(sorted({_AMPERES[name] for name in re.findall(r"\b[a-zA-Z]?(Arms|Apk|Adc)\b", words)}))
