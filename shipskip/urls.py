"""Every address of the site."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from shipskip import errors, pages

urlpatterns = [
    path("", pages.home, name="home"),
    path("methodology/", pages.methodology, name="methodology"),
    path("robots.txt", pages.robots, name="robots"),
    path("favicon.ico", pages.favicon, name="favicon"),
    path("sitemap.xml", pages.sitemap_index, name="sitemap"),
    path("sitemap-<section>.xml", pages.sitemap_section, name="sitemap-section"),
    path("health/", pages.health, name="health"),
    path("", include("comparisons.urls")),
    path("", include("tools.urls")),
    path("", include("reviews.urls")),
    path("", include("shipskip.newsletter.urls")),
    path(settings.ADMIN_PATH, admin.site.urls),
]

handler400 = errors.bad_request
handler403 = errors.forbidden
handler404 = errors.not_found
handler500 = errors.server_error

admin.site.site_header = admin.site.site_title = "Ship or Skip: the editors’ desk"
admin.site.index_title = "What would you like to write?"
