"""Libraries that seem not to be installed for a while."""

import sys

import pytest

from backemf.web.left_out import left_out


def test_a_library_is_left_out_and_comes_back():
    """Within the block an import of it fails, as if it were not there; then it can be loaded."""
    sys.modules.pop("wave", None)
    with left_out("wave", "json"):
        with pytest.raises(ImportError):
            import wave
        # what is loaded already is used by someone
        import json
    import wave

    assert json and wave


def test_it_comes_back_after_an_error():
    """A failure within the block leaves nothing behind."""
    with pytest.raises(ZeroDivisionError), left_out("sunau_of_nobody"):
        raise ZeroDivisionError
    assert "sunau_of_nobody" not in sys.modules
