"""The elementwise operations the laws are written in. These are NumPy's; `engines.bind` swaps in another engine's."""

import numpy as np

absolute = np.abs
exp = np.exp
expm1 = np.expm1
log2 = np.log2
maximum = np.maximum
minimum = np.minimum
power = np.power
sign = np.sign
sin = np.sin
cos = np.cos
sqrt = np.sqrt
where = np.where


def total(x):
    """Sum over the last axis, which is kept: what motors on one supply share."""
    return np.sum(x, axis=-1, keepdims=True) if np.ndim(x) else x
