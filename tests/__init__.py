"""The tests. They and the processes that they start load Python's compiled files, even if the
environment forbids them (PYTHONDONTWRITEBYTECODE): compiling again takes a third of every start.
"""

import os
import sys

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
