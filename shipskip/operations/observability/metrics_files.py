"""One folder for the numbers of all workers of a server."""

import os
import shutil
from pathlib import Path


def share(folder: Path) -> Path:
    """Let the workers of this server write their numbers to one folder; its path.

    The folder is named for the process that started the worker, so that all of one server share
    it and a new server begins anew. Those of servers long gone are removed. To be called before
    prometheus_client is imported, which looks at the environment then and never again.
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
        pass  # somebody else's, and alive
    return True
