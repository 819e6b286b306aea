"""What runs by the clock. Each task is safe to run twice, so two clocks do no harm."""

from typing import Any

SCHEDULE: dict[str, dict[str, Any]] = {}
