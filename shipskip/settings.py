"""All settings of the site, each read from the environment with a default that works locally.

`.env.example` documents every one. `DEBUG` is off by default, so a new developer, the tests and
production see the same pages; the secret key is generated on first use, outside the repository.
"""

import os
import secrets
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from shipskip.operations.settings_doctor import rules
from shipskip.operations.settings_doctor.environment import Environment
from shipskip.operations.settings_doctor.rules import number, positive, whole_number, yes_or_no

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = BASE_DIR / "var"

env = Environment(BASE_DIR / ".env", os.environ)


def _secret_key() -> str:
    """The key in var/secret_key, generated on first use; only its owner can read the file."""
    path = VAR_DIR / "secret_key"
    if not path.exists():
        VAR_DIR.mkdir(exist_ok=True)
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

# Read by the Makefile and deploy/serve as well.
_port = env.read("PORT", whole_number(1, 65535), default=8000)
for _name in ("HOST", "SOCKET"):
    env.check_environment_only(_name, str)
for _name in ("WORKERS", "THREADS", "SERVERS", "READY_SECONDS"):
    env.check_environment_only(_name, whole_number(1))

DEBUG = env.read("DEBUG", yes_or_no, default=False)
SECRET_KEY = env.read("SECRET_KEY", rules.secret_key, default="", is_secret=True) or _secret_key()
SECRET_KEY_FALLBACKS = env.read(
    "SECRET_KEY_FALLBACKS", rules.comma_separated, default=list[str](), is_secret=True
)
ALLOWED_HOSTS = env.read("ALLOWED_HOSTS", rules.hosts, default=["localhost", "127.0.0.1", "[::1]"])
SITE_URL = env.read("SITE_URL", rules.site_url, default=f"http://127.0.0.1:{_port}")
ADMIN_PATH = env.read("ADMIN_PATH", rules.admin_path, default="admin/")

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
    "django.contrib.sitemaps",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "django_htmx",
    "simple_history",
    "shipskip",
    "shipskip.page_cache",
    "shipskip.editing",
    "shipskip.search.apps.SearchConfig",
    "shipskip.catalogue",
    "shipskip.operations",
    "tools",
    "reviews",
    "comparisons",
    "shipskip.content",
    "anymail",
    "shipskip.newsletter",
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

DATABASE_POOL = env.read("DATABASE_POOL", whole_number(1), default=8)
DATABASE_WAIT = env.read("DATABASE_WAIT", positive, default=10.0)


def _database(url: dict[str, Any]) -> dict[str, Any]:
    """Add the options that make each database safe under concurrent writers."""
    options = url.setdefault("OPTIONS", {})
    if url["ENGINE"] == "django.db.backends.sqlite3":
        # Persistent connections: opening one costs more than a page's queries.
        url["CONN_MAX_AGE"] = None
        # IMMEDIATE: writers wait at BEGIN instead of failing later. FULL: a committed vote survives
        # a power failure, but writes are half as fast as with NORMAL.
        options.update(
            transaction_mode="IMMEDIATE",
            timeout=20,
            init_command="PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        )
    else:
        from shipskip.web.postgresql.waits import LimitedConnection

        url["ENGINE"] = "shipskip.web.postgresql"
        # Prepared statements are planned once per connection; without them a page takes a third
        # longer.
        # A connection to a server that stops at that moment can hang: try another one after two
        # seconds, psycopg's minimum.
        options.update(server_side_binding=True, prepare_threshold=2, connect_timeout=2)
        options["pool"] = {
            "min_size": 1,
            "max_size": DATABASE_POOL,
            "connection_class": LimitedConnection,
            # With fewer threads than connections a request waits only while the database is down.
            "timeout": DATABASE_WAIT,
            # Seconds of reconnecting, then the next request tries again. The pool's exponential
            # backoff grows to minutes: the site would stay down long after the database is back.
            "reconnect_timeout": 0.5,
        }
    return url


_own_file = rules.database(f"sqlite:///{BASE_DIR / 'db.sqlite3'}")
DATABASES = {
    "default": _database(
        env.read("DATABASE_URL", rules.database, default=_own_file, is_secret=True)
    )
}

# --- The page cache -------------------------------------------------------------------------

# Megabytes of rendered public pages that a process caches. 0 renders every time, the default
# with DEBUG, so that developers see their changes.
PAGE_MEMORY_MB = env.read("PAGE_MEMORY_MB", number, default=0.0 if DEBUG else 64.0)
# redis://host:6379/0: processes share rendered pages; empty: each process renders its own.
CACHE_URL = env.read("CACHE_URL", rules.redis, default="", is_secret=True)
CACHES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
}
if CACHE_URL:
    CACHES["shared_pages"] = {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": CACHE_URL,
        "KEY_PREFIX": "shipskip",
        "OPTIONS": {
            "serializer": "shipskip.page_cache.storage.PageSerializer",
            # Seconds to wait for Redis; after that the page is rendered.
            "socket_timeout": 0.05,
            "socket_connect_timeout": 0.05,
            "retry": None,
        },
    }
# Models with a moment of publication; when such a moment passes, the content version changes.
SCHEDULED_MODELS = [
    *("tools.Category", "tools.Tool", "reviews.Reviewer", "reviews.Take"),
    "comparisons.Comparison",
]

# --- Static files ---------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "shipskip.web.assets.BundleFinder",
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
]
HASHED_ASSETS = env.read("HASHED_ASSETS", yes_or_no, default=False)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if HASHED_ASSETS
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = not HASHED_ASSETS

# --- Security -------------------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "connect-src": ["'self'"],
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
HSTS_SECONDS = env.read("HSTS_SECONDS", whole_number(0), default=365 * 24 * 3600)
SECURE_HSTS_SECONDS = HSTS_SECONDS if SECURE_SITE else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = env.read(
    "HSTS_SUBDOMAINS", yes_or_no, default=False
)
# The operator decides about subdomains: they may not all support HTTPS.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
# nginx redirects readers to HTTPS.
SILENCED_SYSTEM_CHECKS += ["security.W008"]
if not SECURE_SITE:  # our own check reports it: shipskip.I001 or W001
    SILENCED_SYSTEM_CHECKS += ["security.W004", "security.W012", "security.W016"]
SECURITY_CONTACT = env.read(
    "SECURITY_CONTACT", rules.contact, default=f"mailto:security@{urlsplit(SITE_URL).hostname}"
)

CSRF_TRUSTED_ORIGINS = [SITE_URL] if SECURE_SITE else []
CSRF_COOKIE_AGE = None  # a session cookie
# Our own proxies: X-Forwarded-For and X-Forwarded-Proto are trusted from these addresses only.
TRUSTED_PROXIES = env.read("TRUSTED_PROXIES", rules.networks, default=list[str]())
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

VOTES_PER_NETWORK_PER_DAY = env.read("VOTES_PER_NETWORK_PER_DAY", whole_number(1), default=20)
VOTES_PER_VISITOR_PER_MINUTE = env.read("VOTES_PER_VISITOR_PER_MINUTE", whole_number(1), default=30)
NEW_VISITORS_PER_NETWORK_PER_HOUR = env.read(
    "NEW_VISITORS_PER_NETWORK_PER_HOUR", whole_number(1), default=60
)
# Days after which a public take that no editor changed or confirmed counts as old.
STALE_AFTER_DAYS = env.read("STALE_AFTER_DAYS", whole_number(1), default=180)

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
# Five wrong passwords for one name from one address block that login for 15 minutes; fifty for
# any names block the address.
AXES_FAILURE_LIMIT = 5
LOGIN_FAILURES_PER_ADDRESS = 50
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = "shipskip.desk.login.lockout_parameters"
AXES_LOCKOUT_CALLABLE = "shipskip.home.errors.locked_out"
AXES_CLIENT_IP_CALLABLE = "shipskip.web.network.client_address_text"
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

MAIL_FROM = env.read("MAIL_FROM", rules.sender, default="Ship or Skip <verdicts@localhost>")
DEFAULT_FROM_EMAIL = SERVER_EMAIL = MAIL_FROM
# One of three: a provider that django-anymail knows, an SMTP server, or files in var/mail.
MAIL_PROVIDER = env.read("MAIL_PROVIDER", rules.mail_provider, default="")
ANYMAIL = env.read("ANYMAIL", rules.json_object, default=dict[str, Any](), is_secret=True)
_mail_server = env.read("EMAIL_URL", rules.mail_server, default=dict[str, Any](), is_secret=True)
EMAIL_TIMEOUT = 20  # seconds to wait for each reply of a mail server
if MAIL_PROVIDER and _mail_server:
    env.faults.append("EMAIL_URL is not used together with MAIL_PROVIDER: remove one of them.")
if MAIL_PROVIDER:
    EMAIL_BACKEND = f"anymail.backends.{MAIL_PROVIDER}.EmailBackend"
elif _mail_server:
    vars().update(_mail_server)
else:
    EMAIL_BACKEND = "shipskip.newsletter.delivery.mail_files.EmailBackend"
    EMAIL_FILE_PATH = VAR_DIR / "mail"
# Rate limit for mails of an issue, per second; 0: as fast as the mail server accepts them.
MAILS_PER_SECOND = env.read("MAILS_PER_SECOND", number, default=10.0)
# Threads of a process that send confirmation mails; 0: send while the reader waits.
MAIL_THREADS = env.read("MAIL_THREADS", whole_number(0), default=2)
JOINS_PER_NETWORK_PER_DAY = env.read("JOINS_PER_NETWORK_PER_DAY", whole_number(1), default=20)

# --- Logging and metrics --------------------------------------------------------------------

# `text` for people, `json` for machines: one object per line.
LOG_FORMAT = env.read("LOG_FORMAT", rules.one_of("text", "json"), default="text")
# The bearer token for /metrics; without one, /metrics is a 404.
METRICS_TOKEN = env.read("METRICS_TOKEN", rules.token, default="", is_secret=True)
# The folder where the workers of a server write their metrics, so that each can return all.
METRICS_DIR = env.read("METRICS_DIR", rules.writable_folder, default=VAR_DIR / "metrics")
SENTRY_DSN = env.read("SENTRY_DSN", rules.sentry_dsn, default="", is_secret=True)
if SENTRY_DSN:
    from shipskip.operations.observability import sentry

    sentry.start(SENTRY_DSN)

LOGGING = {
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
            "formatter": LOG_FORMAT,
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
        # One line for each request, in JSON logs only.
        "shipskip.requests": {"level": "INFO" if LOG_FORMAT == "json" else "WARNING"},
    },
}

env.stop_if_wrong()
