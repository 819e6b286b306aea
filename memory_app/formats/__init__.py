"""What people paste or upload, read into items; pure Python, no database, no settings.

`read_import` is the door: it tells a JSON list from plain lines and numbers what it finds.
"""

from memory_app.formats.items import Item, Reading
from memory_app.formats.reading import parse_import, read_import, read_items

__all__ = ["Item", "Reading", "parse_import", "read_import", "read_items"]
