"""Copies of backups in a bucket of any S3 (BACKUP_S3)."""

from datetime import datetime
from pathlib import Path

import obstore
from django.conf import settings
from obstore.exceptions import BaseError
from obstore.store import S3Store

from shipskip.operations.backups import archive
from shipskip.operations.bucket_address import bucket as bucket_at

TIMEOUT = "60s"


class BucketError(Exception):
    """The bucket refused a request or did not answer; with its reason."""


def store(backup: Path, *, delete_before: datetime | None) -> list[str]:
    """Copy a backup into the bucket, then delete those taken before a moment; their names."""
    found = bucket_at(settings.BACKUP_S3)
    try:
        bucket = S3Store(
            found.name,
            prefix=found.folder or None,
            endpoint=found.endpoint,
            region=found.region,
            access_key_id=found.access_key,
            secret_access_key=found.secret,
            client_options={"allow_http": found.endpoint.startswith("http://"), "timeout": TIMEOUT},
            retry_config={"max_retries": 3},
        )
        obstore.put(bucket, backup.name, backup)
        if obstore.head(bucket, backup.name)["size"] != backup.stat().st_size:
            raise BucketError("the copy has another size")
        if delete_before is None:
            return []
        names = [entry["path"] for part in obstore.list(bucket) for entry in part]
        old = [name for name in names if archive.taken_before(name, delete_before)]
        if old:
            obstore.delete(bucket, old)
    except BaseError as error:
        raise BucketError(str(error).strip().splitlines()[0][:300]) from None
    return old
