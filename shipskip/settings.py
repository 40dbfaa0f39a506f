"""Django's settings. What an operator may set comes from env.py.

serving.py adds what only a served site has. `DEBUG` is off by default, so a new developer, the
tests and production see the same pages; the secret key is generated on first use, outside the
repository.
"""

import secrets
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from shipskip.env import read_env
from shipskip.folders import BASE_DIR, DATA_DIR
from shipskip.operations.settings_doctor import rules
from shipskip.web.connections import connection_settings

VAR_DIR = DATA_DIR / "var"

env, RETIRED_SETTINGS = read_env(DATA_DIR / ".env")


def _secret_key() -> str:
    """The key in var/secret_key, generated on first use; only its owner can read the file."""
    path = VAR_DIR / "secret_key"
    if not path.exists():
        VAR_DIR.mkdir(parents=True, exist_ok=True)
        draft = VAR_DIR / f"secret_key.{secrets.token_hex(4)}"
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(50))
        try:
            path.hardlink_to(draft)  # the first process wins, the others read its key
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()


# --- The site -------------------------------------------------------------------------------

DEBUG = env.DEBUG
SECRET_KEY = env.SECRET_KEY.get_secret_value() or _secret_key()
SECRET_KEY_FALLBACKS = env.SECRET_KEY_FALLBACKS.get_secret_value()
ALLOWED_HOSTS = env.ALLOWED_HOSTS
SITE_URL = str(env.SITE_URL or f"http://127.0.0.1:{env.PORT}").rstrip("/")

ROOT_URLCONF = "shipskip.urls"
WSGI_APPLICATION = "shipskip.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
FORMAT_MODULE_PATH = "shipskip.web.formats"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

INSTALLED_APPS = [
    "shipskip.desk.apps.DeskConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "django_htmx",
    "simple_history",
    "shipskip",
    "shipskip.jobs",
    "shipskip.limits",
    "shipskip.page_cache",
    "shipskip.editing",
    "shipskip.search.apps.SearchConfig",
    "shipskip.catalogue",
    "shipskip.operations",
    "tools",
    "reviews",
    "comparisons",
    "shipskip.content",
    "shipskip.reports",
    "anymail",
    "shipskip.newsletter",
    "shipskip.programs",
]

MIDDLEWARE = [
    "shipskip.page_cache.middleware.page_cache",
    "shipskip.web.network.trust_own_proxies",
    "shipskip.operations.observability.request_log.log_requests",
    # Middleware that adds headers comes before all middleware that may refuse a request.
    "shipskip.web.security_headers.security_headers",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "shipskip.web.static_files.static_files",
    "shipskip.web.cache_control.private_by_default",
    "shipskip.home.errors.method_not_allowed_page",
    "shipskip.home.errors.limit_body_size",
    "shipskip.page_cache.render_turns.render_in_turn",
    "shipskip.web.postgresql.waits.limit_requests",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
    "shipskip.desk.time_zone.desk_in_own_zone",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [
                        "shipskip.web.template_loader.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["shipskip.web.templatetags.web"],
        },
    }
]

# --- The database ---------------------------------------------------------------------------


DATABASE_URL = env.DATABASE_URL
DATABASES = {"default": connection_settings(rules.database(DATABASE_URL.get_secret_value()))}

# --- The page cache -------------------------------------------------------------------------

# Megabytes of rendered public pages that a process caches. 0 renders every time, so that
# developers see their changes.
PAGE_MEMORY_MB = 0 if DEBUG else 64
# Models with a moment of publication; when such a moment passes, the content version changes.
SCHEDULED_MODELS = [
    *("tools.Category", "tools.Tool", "reviews.Reviewer", "reviews.Take"),
    "comparisons.Comparison",
]

# --- Files for programs ---------------------------------------------------------------------

DATA_LICENCE = str(env.DATA_LICENCE)

# --- Static files ---------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
# Releases share the files, whose names contain hashes; each has its own list of the names, so that
# one that is started again beside a newer one finds its own.
MANIFEST_DIR = VAR_DIR / "manifests" / BASE_DIR.name
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "shipskip.web.assets.BundleFinder",
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
]
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = True

# --- Security -------------------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "font-src": ["'self'"],
        "img-src": ["'self'"],
        "connect-src": ["'self'"],
        "manifest-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
CSRF_FAILURE_VIEW = "shipskip.home.errors.csrf_failure"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_SITE: bool = SITE_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SITE
# Seconds for which browsers use HTTPS only (HSTS); sent when SITE_URL is https://.
SECURE_HSTS_SECONDS = env.HSTS_SECONDS if SECURE_SITE else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = env.HSTS_SUBDOMAINS
# The operator decides about subdomains: they may not all support HTTPS.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
# nginx redirects readers to HTTPS.
SILENCED_SYSTEM_CHECKS += ["security.W008"]
if not SECURE_SITE:  # our own check reports it: shipskip.I001 or W001
    SILENCED_SYSTEM_CHECKS += ["security.W004", "security.W012", "security.W016"]
SECURITY_CONTACT = env.SECURITY_CONTACT or f"mailto:security@{urlsplit(SITE_URL).hostname}"

CSRF_TRUSTED_ORIGINS = [SITE_URL] if SECURE_SITE else []
CSRF_COOKIE_AGE = None  # a session cookie
# Our own proxies: X-Forwarded-For and X-Forwarded-Proto are trusted from these addresses only.
TRUSTED_PROXIES = [str(network) for network in env.TRUSTED_PROXIES]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# Private networks that `check_sources` may ask.
PRIVATE_SOURCES = env.PRIVATE_SOURCES

VOTES_PER_NETWORK_PER_DAY = env.VOTES_PER_NETWORK_PER_DAY
VOTES_PER_VISITOR_PER_MINUTE = env.VOTES_PER_VISITOR_PER_MINUTE
NEW_VISITORS_PER_NETWORK_PER_HOUR = env.NEW_VISITORS_PER_NETWORK_PER_HOUR
REPORTS_PER_NETWORK_PER_DAY = env.REPORTS_PER_NETWORK_PER_DAY

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
# Five wrong passwords for one name from one network block that login for 15 minutes; fifty for any
# names block the network. A browser that has logged in before is counted apart from its network.
AXES_FAILURE_LIMIT = 5
LOGIN_FAILURES_PER_NETWORK = 50
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = "shipskip.desk.login.lockout_parameters"
AXES_LOCKOUT_CALLABLE = "shipskip.home.errors.locked_out"
AXES_CLIENT_IP_CALLABLE = "shipskip.desk.login.login_source"
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

# A session at the desk ends when the browser is closed, and at the latest after a working day.
SESSION_COOKIE_AGE = 12 * 3600
SESSION_EXPIRE_AT_BROWSER_CLOSE = True

LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"  # used instead of an unsafe `next`
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
AUTH_PASSWORD_VALIDATORS += [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    }
]

# --- Mail -----------------------------------------------------------------------------------

DEFAULT_FROM_EMAIL = SERVER_EMAIL = MAIL_FROM = env.MAIL_FROM
# One of three: a provider that django-anymail knows, an SMTP server, or files in var/mail.
MAIL_PROVIDER = env.MAIL_PROVIDER
ANYMAIL: dict[str, Any] = env.ANYMAIL.get_secret_value()
EMAIL_TIMEOUT = 20  # seconds to wait for each reply of a mail server
if MAIL_PROVIDER:
    EMAIL_BACKEND = f"anymail.backends.{MAIL_PROVIDER}.EmailBackend"
elif mail_server := env.EMAIL_URL.get_secret_value():
    vars().update(mail_server)
else:
    EMAIL_BACKEND = "shipskip.newsletter.delivery.mail_files.EmailBackend"
    EMAIL_FILE_PATH = VAR_DIR / "mail"
# Rate limit for mails of an issue, per second; 0: as fast as the mail server accepts them.
MAILS_PER_SECOND = env.MAILS_PER_SECOND
JOINS_PER_NETWORK_PER_DAY = env.JOINS_PER_NETWORK_PER_DAY

# --- Backups --------------------------------------------------------------------------------

BACKUP_DIR = VAR_DIR / "backups"
BACKUP_COPY = env.BACKUP_COPY

# --- Logging and metrics --------------------------------------------------------------------

# The bearer token for /metrics; without one, /metrics is a 404.
METRICS_TOKEN = env.METRICS_TOKEN.get_secret_value()
if SENTRY_DSN := env.SENTRY_DSN.get_secret_value():
    from shipskip.operations.observability import sentry

    sentry.start(SENTRY_DSN)

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"()": "shipskip.operations.observability.logs.TextLines"},
        "json": {"()": "shipskip.operations.observability.logs.JsonLines"},
    },
    "filters": {
        "without_traceback": {"()": "shipskip.operations.observability.logs.WithoutTraceback"}
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": "text",
            "filters": ["without_traceback"],
        }
    },
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django.request": {"level": "ERROR"},
        # No handlers of their own, so that the lines of runserver and granian are scrubbed too.
        "django.server": {"handlers": [], "propagate": True},
        "_granian": {"handlers": [], "propagate": True},
        # INFO: one line for each request (serving.py).
        "shipskip.requests": {"level": "WARNING"},
    },
}
