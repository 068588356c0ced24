"""One Voxmill process for all tests of a session."""

import pytest
from peer import Peer


@pytest.fixture(scope="session")
def peer():
    process = Peer()
    yield process
    process.close()
