"""What people paste or upload, read into items; pure Python, no database, no settings.

`read_import` is the door for pasted text, `documents_of` for files: they find out the format and
number what they find.
"""

from memory_app.formats.detecting import FORMATS
from memory_app.formats.documents import Document, documents_of
from memory_app.formats.items import Item, Reading
from memory_app.formats.reading import parse_import, read_document, read_import, read_items

__all__ = [
    "FORMATS",
    "Document",
    "Item",
    "Reading",
    "documents_of",
    "parse_import",
    "read_document",
    "read_import",
    "read_items",
]
