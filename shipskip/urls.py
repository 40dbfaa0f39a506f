"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

from shipskip.home import errors, robots, security_txt, sitemaps, views
from shipskip.operations.observability import health, metrics
from shipskip.web.desk_path import DESK_PATH

urlpatterns = [
    path("", views.home, name="home"),
    path("methodology/", views.methodology, name="methodology"),
    path("robots.txt", robots.robots, name="robots"),
    path("favicon.ico", robots.favicon, name="favicon"),
    path("apple-touch-icon.png", robots.touch_icon, name="touch-icon"),
    path("site.webmanifest", robots.manifest, name="manifest"),
    path("sitemap.xml", sitemaps.sitemap_index, name="sitemap"),
    path("sitemap-<section>.xml", sitemaps.sitemap_section, name="sitemap-section"),
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
    path(".well-known/security.txt", security_txt.security_txt, name="security"),
    path("", include("comparisons.urls")),
    path("", include("tools.urls")),
    path("", include("shipskip.search.urls")),
    path("", include("reviews.urls")),
    path("", include("shipskip.reports.urls")),
    path("", include("shipskip.newsletter.urls")),
    path("", include("shipskip.programs.urls")),
    path(DESK_PATH.removeprefix("/"), admin.site.urls),
]

handler400 = errors.bad_request
handler403 = errors.forbidden
handler404 = errors.not_found
handler500 = errors.server_error
