"""The tests. What they start loads the site's compiled files, even where Python is told not to
write any (PYTHONDONTWRITEBYTECODE): compiling them again takes a third of every start.
"""

import os
import sys

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
