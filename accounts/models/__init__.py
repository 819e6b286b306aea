"""People, organizations, agents and their credentials: small global tables, no bank below them."""

from accounts.models.agents import TOOLSETS, Agent, ApiKey, Connection
from accounts.models.events import AccessEvent
from accounts.models.organizations import Invitation, Membership, Organization
from accounts.models.users import User

__all__ = [
    "TOOLSETS",
    "AccessEvent",
    "Agent",
    "ApiKey",
    "Connection",
    "Invitation",
    "Membership",
    "Organization",
    "User",
]
