"""All settings of the site, each read from the environment with a default that works locally.

`.env.example` documents every one. `DEBUG` is off unless asked for, so a newcomer, a test and
production see the same pages; the secret key is made on first use and kept out of the repository.
"""

import secrets
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import environ

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = BASE_DIR / "var"

env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")


def _secret_key() -> str:
    """The key kept in var/secret_key, made on first use and readable by its owner alone."""
    path = VAR_DIR / "secret_key"
    if not path.exists():
        VAR_DIR.mkdir(exist_ok=True)
        draft = VAR_DIR / f"secret_key.{secrets.token_hex(4)}"
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(50))
        try:
            path.hardlink_to(draft)  # the first process to get here wins, the others read its key
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()


# --- The site -------------------------------------------------------------------------------

DEBUG: bool = env.bool("DEBUG", default=False)
SECRET_KEY: str = env.str("SECRET_KEY", default="") or _secret_key()
SECRET_KEY_FALLBACKS: list[str] = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
SITE_URL: str = env.str("SITE_URL", default="http://127.0.0.1:8000").rstrip("/")
ADMIN_PATH: str = env.str("ADMIN_PATH", default="admin").strip("/") + "/"

ROOT_URLCONF = "shipskip.urls"
WSGI_APPLICATION = "shipskip.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

INSTALLED_APPS = [
    "django.contrib.admin",
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
    "shipskip",
    "shipskip.web",
    "tools",
    "reviews",
    "comparisons",
]

MIDDLEWARE = [
    "shipskip.web.network.believe_own_proxies",
    "shipskip.errors.own_look",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "shipskip.web.caching.private_by_default",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
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


def _database(url: dict[str, Any]) -> dict[str, Any]:
    """Add what each database needs to be safe under concurrent writers."""
    options = url.setdefault("OPTIONS", {})
    if url["ENGINE"] == "django.db.backends.sqlite3":
        # Writers queue at BEGIN instead of failing halfway; FULL keeps an answered vote when
        # the power fails, for half the write speed of NORMAL.
        options.update(
            transaction_mode="IMMEDIATE",
            timeout=20,
            init_command="PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        )
    else:
        options["pool"] = {
            "min_size": 1,
            "max_size": env.int("DATABASE_POOL", default=8),
            "timeout": 10,
        }
    return url


DATABASES = {
    "default": _database(env.db_url("DATABASE_URL", default=f"sqlite:///{BASE_DIR / 'db.sqlite3'}"))
}

# --- Static files ---------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "shipskip.web.bundles.BundleFinder",
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
]
HASHED_ASSETS: bool = env.bool("HASHED_ASSETS", default=False)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if HASHED_ASSETS
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = not HASHED_ASSETS

# --- Doors ----------------------------------------------------------------------------------

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
CSRF_FAILURE_VIEW = "shipskip.errors.csrf_failure"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_SITE: bool = SITE_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SITE

CSRF_TRUSTED_ORIGINS = [SITE_URL] if SECURE_SITE else []
CSRF_COOKIE_AGE = None  # until the browser closes: it comes with the forms, to readers too
# Our own proxies, whose X-Forwarded-For and X-Forwarded-Proto are believed; nobody else's are.
TRUSTED_PROXIES: list[str] = env.list("TRUSTED_PROXIES", default=[])
for _proxy in TRUSTED_PROXIES:
    ip_network(_proxy, strict=False)  # a mistyped one stops the start, not the votes
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

VOTES_PER_NETWORK_PER_DAY: int = env.int("VOTES_PER_NETWORK_PER_DAY", default=20)
VOTES_PER_VISITOR_PER_MINUTE: int = env.int("VOTES_PER_VISITOR_PER_MINUTE", default=30)

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
# Five wrong passwords for one name from one address close the desk for a quarter of an hour.
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_CALLABLE = "shipskip.errors.locked_out"
AXES_CLIENT_IP_CALLABLE = "shipskip.web.network.client_address_text"
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

# A session at the desk ends with the browser, and after a working day at the latest.
SESSION_COOKIE_AGE = 12 * 3600
SESSION_EXPIRE_AT_BROWSER_CLOSE = True

LOGIN_URL = "admin:login"
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

# --- What is said while it runs -------------------------------------------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stderr": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django.request": {"level": "ERROR"},
    },
}
