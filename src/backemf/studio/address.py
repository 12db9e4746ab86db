"""The state of a page as the query of its address."""

from ..web.address import MARK, from_query, pack, to_query, unpack

__all__ = ["MARK", "from_query", "pack", "to_query", "unpack"]
