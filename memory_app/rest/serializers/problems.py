from __future__ import annotations

from typing import Any

from rest_framework import serializers


class ProblemOut(serializers.Serializer[Any]):
    """RFC 9457, with a stable code, what to do, and the request's id; details by code may follow."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    code = serializers.CharField()
    hint = serializers.CharField(allow_blank=True)
    field = serializers.CharField(required=False)
    request_id = serializers.CharField()
