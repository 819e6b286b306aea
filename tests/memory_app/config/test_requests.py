from __future__ import annotations

from io import BytesIO

import pytest

from memory_app.config.requests import TolerantRequest


@pytest.mark.parametrize("charset", ["hex", "zlib", "idna", "undefined", "utf-16", "nonsense"])
def test_a_form_is_read_whatever_charset_its_header_names(charset: str) -> None:
    """A charset that can't be read must not make even the error page fail."""
    kind = f"application/x-www-form-urlencoded; charset={charset}"
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/accounts/login/",
        "query_string": b"next=%C3%A9",
        "headers": [(b"content-type", kind.encode())],
    }

    request = TolerantRequest(scope, BytesIO(b"login=%C3%A9"))

    assert request.GET["next"] == "é"
    assert request.POST["login"] == "é"
