"""The folder of the code, and the folder of the data.

A release of deploy/upgrade lies in `releases/` of the site's folder, which has the data: `.env`,
the database and `var/`. Elsewhere code and data lie in one folder, the checkout.
"""

import os
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
_SITE_DIR = BASE_DIR.parent.parent if BASE_DIR.parent.name == "releases" else BASE_DIR
DATA_DIR = Path(os.environ.get("DATA_DIR") or _SITE_DIR).resolve()
"""Set in the environment only, because `.env` lies in it."""
