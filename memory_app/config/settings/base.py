"""Settings shared by every way of running; overlays set the servers, secrets and hosts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import environ

from memory_app.config import logging
from memory_app.config.environment import mail_settings
from memory_app.config.schedule import SCHEDULE

BASE_DIR = Path(__file__).resolve().parents[3]
env = environ.Env()
SERVED_ELSEWHERE = env.bool("COMMONPLACE_JOINED", default=False)
DATA_DIR = Path(env.str("COMMONPLACE_DATA_DIR", default=str(BASE_DIR / "data")))

DEBUG = False
LOGGING = logging.configure(
    env.str("LOG_LEVEL", default="WARNING").upper(), json=env.bool("LOG_JSON", default=False)
)
SECRET_KEY = env.str("SECRET_KEY", default="")
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", default=[])
PUBLIC_URL = env.str("PUBLIC_URL", default="")

# `smtp+tls://name:password@host:587`; without one the overlays say where mail goes instead.
EMAIL_URL = env.str("EMAIL_URL", default="")
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
# The folder for mail that becomes files, where it does.
EMAIL_FILE_PATH: str | None = None
if EMAIL_URL:
    globals().update(mail_settings(EMAIL_URL))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("EMAIL_FROM", default="Commonplace <commonplace@localhost>")
SERVER_EMAIL = DEFAULT_FROM_EMAIL

ROOT_URLCONF = "memory_app.config.urls"
ASGI_APPLICATION = "memory_app.config.asgi.application"
WSGI_APPLICATION = None
AUTH_USER_MODEL = "accounts.User"
# Off behind a pooler that hands one session to many clients, since plans belong to a session.
DATABASE_PREPARED = env.bool("DATABASE_PREPARED", default=True)
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
ACCOUNT_SIGNUP_OPEN = env.bool("ACCOUNT_SIGNUP_OPEN", default=False)
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
# Where everybody may sign up, an address counts only once its owner has confirmed it.
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if ACCOUNT_SIGNUP_OPEN and EMAIL_URL else "optional"
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_SESSION_REMEMBER = True
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("TRUSTED_PROXIES", default=0)
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
DATA_UPLOAD_MAX_MEMORY_SIZE = env.int("REQUEST_BYTES_MOST", default=24 * 1024 * 1024)

# What the appendix files of one organization may take up, all versions counted.
FILES_QUOTA_BYTES = env.int("FILES_QUOTA_BYTES", default=5 * 1024**3)

CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE = SCHEDULE
CELERY_TASK_IGNORE_RESULT = True
CELERY_TIMEZONE = "UTC"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True

EMBEDDING: dict[str, Any] = {
    "BACKEND": env.str("EMBEDDING_BACKEND", default="onnx"),
    "MODEL": env.str("EMBEDDING_MODEL", default=""),
    "MODEL_DIR": env.str("EMBEDDING_MODEL_DIR", default=""),
    "CACHE_DIR": env.str("EMBEDDING_CACHE_DIR", default=str(BASE_DIR / "var" / "models")),
    "API_BASE": env.str("EMBEDDING_API_BASE", default=""),
    "API_KEY": env.str("EMBEDDING_API_KEY", default=""),
    "DIMENSIONS": env.int("EMBEDDING_DIMENSIONS", default=0),
    "THREADS": env.int("EMBEDDING_THREADS", default=1),
    "BATCH": env.int("EMBEDDING_BATCH", default=32),
}
JUDGE: dict[str, Any] = {
    "KIND": env.str("JUDGE", default="ensemble"),
    "API_BASE": env.str("JUDGE_API_BASE", default=""),
    "API_KEY": env.str("JUDGE_API_KEY", default=""),
    "MODEL": env.str("JUDGE_MODEL", default=""),
}
RERANKER = env.str("RERANKER", default="none")
# Recall's channel through the graph; off because it helps neither corpus (docs/recall.md).
GRAPH_CHANNEL = env.bool("GRAPH_CHANNEL", default=False)

DAILY_OPERATION_CAP = env.int("DAILY_OPERATION_CAP", default=10_000)
KEY_REQUESTS_PER_MINUTE = env.int("KEY_REQUESTS_PER_MINUTE", default=600)
# Web pages besides our own and local ones that may call MCP: hosted clients that run in a browser.
MCP_ALLOWED_ORIGINS: list[str] = env.list(
    "MCP_ALLOWED_ORIGINS",
    default=["https://claude.ai", "https://claude.com", "https://chatgpt.com"],
)
WRITE_EMBED_SECONDS = env.float("WRITE_EMBED_SECONDS", default=2.0)
