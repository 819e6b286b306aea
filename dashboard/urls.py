"""Every address of the dashboard, mounted at the root. A bank's screens name organization and bank."""

from django.urls import URLPattern, path

from dashboard.views import (
    activity,
    agents,
    bank,
    changes,
    connect,
    exports,
    home,
    imports,
    keys,
    memories,
    memory,
    organizations,
    palette,
    pending,
    people,
    preferences,
    review,
)

app_name = "dashboard"

BANK = "o/<str:organization>/<str:bank>/"
MEMORY = BANK + "memories/<str:memory>/"
AGENT = BANK + "agents/<str:agent>/"

ORGANIZATION = "o/<str:organization>/"

urlpatterns: list[URLPattern] = [
    path("", home.index, name="home"),
    path("preferences/theme", preferences.theme, name="theme"),
    path("o/<str:organization>/", home.organization, name="organization"),
    path(BANK + "memories/", memories.index, name="memories"),
    path(BANK + "memories/new", changes.new, name="memory-new"),
    path(BANK + "memories/sample", changes.sample, name="memory-sample"),
    path(MEMORY, memory.index, name="memory"),
    path(MEMORY + "edit", changes.edit, name="memory-edit"),
    path(MEMORY + "pin", changes.pin, name="memory-pin"),
    path(MEMORY + "delete", changes.delete, name="memory-delete"),
    path(MEMORY + "restore", changes.restore, name="memory-restore"),
    path(MEMORY + "revive", changes.revive, name="memory-revive"),
    path(BANK + "review/", review.index, name="review"),
    path(BANK + "review/<str:proposal>", review.decide, name="proposal"),
    path(BANK + "review/<str:proposal>/undo", review.undo, name="proposal-undo"),
    path(BANK + "activity/", activity.index, name="activity"),
    path(BANK + "activity/newer", activity.newer, name="activity-newer"),
    path(BANK + "import/", imports.index, name="import"),
    path(BANK + "import/documents", pending.add, name="import-documents"),
    path(BANK + "import/documents/close", pending.close, name="import-document-close"),
    path(BANK + "import/<str:job>/", imports.job, name="import-job"),
    path(BANK + "import/<str:job>/undo", imports.undo, name="import-undo"),
    path(BANK + "import/<str:job>/errors.csv", imports.errors, name="import-errors"),
    path(BANK + "import/<str:job>/<str:action>", imports.act, name="import-act"),
    path(BANK + "export/", exports.index, name="export"),
    path(BANK + "export/<str:kind>", exports.file, name="export-file"),
    path(BANK + "connect/", connect.index, name="connect"),
    path(BANK + "connect/seen", connect.seen, name="connect-seen"),
    path(BANK + "agents/", agents.index, name="agents"),
    path(AGENT, agents.one, name="agent"),
    path(AGENT + "pause", agents.pause, name="agent-pause"),
    path(AGENT + "connections", agents.connect_bank, name="agent-connect"),
    path(BANK + "connections/<str:connection>", agents.connection, name="connection"),
    path(AGENT + "keys", keys.issue, name="agent-key"),
    path(BANK + "keys/<str:key>", keys.change, name="key"),
    path(BANK + "palette", palette.index, name="palette"),
    path(BANK + "settings/", bank.settings, name="bank-settings"),
    path(BANK + "settings/delete", bank.delete, name="bank-delete"),
    path("organizations/new", organizations.new, name="organization-new"),
    path(ORGANIZATION + "people/", people.index, name="people"),
    path(ORGANIZATION + "people/invitations", people.invite, name="invite"),
    path(ORGANIZATION + "people/invitations/<str:invitation>", people.invitation, name="invited"),
    path(ORGANIZATION + "people/members/<str:person>", people.member, name="member"),
    path(ORGANIZATION + "access-log/", organizations.access_log, name="access-log"),
    path(ORGANIZATION + "settings/", organizations.settings, name="organization-settings"),
    path(ORGANIZATION + "banks/", organizations.banks, name="banks"),
]
