"""The address of a bucket of any S3, as BACKUP_S3 has it."""

from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote

from shipskip.operations.url_parts import url_parts


@dataclass(frozen=True)
class Bucket:
    """A bucket of an S3, and the folder in it."""

    endpoint: str
    name: str
    folder: str
    access_key: str
    secret: str
    region: str


def bucket(text: str) -> Bucket:
    """The bucket at https://KEY:SECRET@host/bucket/folder; raises ValueError with what would do."""
    parts = url_parts(text)
    name, _, folder = parts.path.strip("/").partition("/")
    if parts.scheme not in ("http", "https") or not (parts.hostname and parts.password and name):
        raise ValueError("give https://ACCESS_KEY:SECRET@host/bucket, the secret in %-encoding")
    region = dict(parse_qsl(parts.query)).get("region", "us-east-1")
    endpoint = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    access_key, secret = unquote(parts.username or ""), unquote(parts.password)
    return Bucket(endpoint, name, folder, access_key, secret, region)
