"""What every test gets: no N+1 query goes unnoticed."""

import pytest
from zeal import zeal_context


@pytest.fixture(autouse=True)
def _no_n_plus_one():
    with zeal_context():
        yield
