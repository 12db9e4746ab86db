"""A page that was closed leaves nothing behind in the server."""

from types import SimpleNamespace

from backemf.studio.file_page import FilePage
from backemf.studio.widgets import refreshable_method


class Page(FilePage):
    """A page without anything on it."""

    @refreshable_method
    def results(self) -> None: ...


def test_a_closed_page_is_let_go():
    """What NiceGUI keeps of it goes, and what it keeps of the same page in another tab stays."""
    closed, other = object.__new__(Page), object.__new__(Page)
    kept = vars(Page)["results"]
    kept.targets = [SimpleNamespace(instance=each) for each in (closed, other)]
    closed.close()
    assert [target.instance for target in kept.targets] == [other]
