"""The files of a session, for pages."""

from ..sims.named_files import require_alone
from ..web.uploads import LARGEST, Upload, Uploads

__all__ = ["LARGEST", "Upload", "Uploads", "require_alone"]
