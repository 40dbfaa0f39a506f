#!/bin/sh
# In nginx's container, before nginx starts: choose where it listens, and whom it believes.
#   SITE_URL       https:// with a certificate of this name in /etc/letsencrypt: HTTPS, and port 80
#                  redirects; without one, port 80 serves the site (certbot's challenge too)
#   OUTER_PROXIES  addresses or networks, comma-separated, of proxies in front of this nginx, whose
#                  X-Forwarded-For names the reader
set -eu
files=/usr/share/shipskip/nginx here=/etc/nginx/shipskip conf=/etc/nginx/conf.d
rm -f "$here"/*.server.conf "$conf"/*.conf
cp "$files/site.conf" "$conf/shipskip.conf"
name=${SITE_URL#*://}; name=${name%%[:/]*}
if [ -e "/etc/letsencrypt/live/$name/fullchain.pem" ]; then
  sed "s/site\.example/$name/" "$files/https.server.conf" > "$here/https.server.conf"
  cp "$files/redirect.conf" "$conf/shipskip-redirect.conf"
else
  cp "$files/http.server.conf" "$files/challenge.conf" "$here/"
  mv "$here/challenge.conf" "$here/challenge.server.conf"
fi
[ -n "${OUTER_PROXIES:-}" ] || exit 0
{
  echo "$OUTER_PROXIES" | tr ',' '\n' | sed 's/.*/set_real_ip_from &;/'
  echo 'real_ip_header X-Forwarded-For;'
  echo 'real_ip_recursive on;'
} > "$here/outer.server.conf"
# The outer proxy has the certificate.
case "$SITE_URL" in https://*)
  sed -i 's/X-Forwarded-Proto $scheme/X-Forwarded-Proto https/' "$conf/shipskip.conf" ;;
esac
