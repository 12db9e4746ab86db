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

_WORDS = [
    # r.p.m., and the points of "oz.-in."
    (re.compile(r"\br\.\s?p\.\s?m\b\.?", re.I), "rpm"),
    (re.compile(r"(?<=[A-Za-z])\.(?![A-Za-z\d])"), ""),
    (re.compile(r"\bdeg[.\s]*([CF])\b"), r"deg\1"),
    # a revolution in French, German and short English, only where a speed is spelt
    (re.compile(r"\b(?:r|U|tr|Umdr)(?=\s*/\s*(?:min|s|sec)\b)"), "rev"),
    # which ampere, which volt
    (re.compile(r"\b([mk]?A)[\s_*-]*[({]?(?:rms|eff|RMS|Rms)[)}]?(?![A-Za-z])"), r"\1rms"),
    (re.compile(r"\b([mk]?A)[\s_*-]*[({]?(?:pk|peak|PK|Pk|Peak)[)}]?(?![A-Za-z])"), r"\1pk"),
    (re.compile(r"\b([mk]?A)[\s_*-]*[({]?(?:dc|DC)[)}]?(?![A-Za-z])"), r"\1dc"),
    (re.compile(r"\b([mk]?V)[\s_*-]*[({]?(?:dc|DC|pk|peak)[)}]?(?![A-Za-z])"), r"\1"),
    (re.compile(r"\b[mk]?V[\s_*-]*[({]?(?:rms|eff|RMS|Rms|ac|AC)[)}]?(?![A-Za-z])"), "Vrms"),
    # a power without its sign: cm2, min-1
    (re.compile(r"(?<=[A-Za-z])(-?\d)(?!\d)"), r"^\1"),
]
_GROUP = re.compile(r"[A-Za-z]+(?:\^-?\d)?(?:\s?[.-]\s?[A-Za-z]+(?:\^-?\d)?)+")
_JOINT = re.compile(r"\s?[.-]\s?(?=[A-Za-z])")


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
    for pattern, word in _WORDS:
        text = pattern.sub(word, text)
    # joined by a hyphen or a point, a product holds together: rpm/oz-in
    text = _GROUP.sub(lambda found: f"({_JOINT.sub('*', found[0])})", text)
    if text.startswith("(") and text.endswith(")") and text.count("(") == 1:
        text = text[1:-1]
    return f"1{text}" if text.startswith("/") else text


_AMPERES = {"Arms": "rms", "Apk": "peak-phase", "Adc": "dc"}
_AMPERE = re.compile(r"\b[a-zA-Z]?(Arms|Apk|Adc)\b")


def amperes_of(words: str) -> tuple[str, ...]:
    """The kinds of ampere a unit names: `"rms"`, `"peak-phase"`, `"dc"`."""
    return tuple(sorted({_AMPERES[name] for name in _AMPERE.findall(words)}))
