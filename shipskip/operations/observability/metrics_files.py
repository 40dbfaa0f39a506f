"""One folder for the metrics of all workers of a server."""

import os
import shutil
from pathlib import Path


def share(folder: Path) -> Path:
    """Create the folder that the workers of this server share for metrics, and return its path.

    The folder is named for the process that started the worker, so that all of one server share
    it and a new server starts from zero. Folders of servers that have ended are removed. Call it
    before prometheus_client is imported, which reads the environment only then.
    """
    for path in folder.glob("[0-9]*"):
        if not _alive(int(path.name)):
            shutil.rmtree(path, ignore_errors=True)
    mine = folder / str(os.getppid())
    mine.mkdir(parents=True, exist_ok=True)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(mine)
    return mine


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # another user's process, and running
    return True
