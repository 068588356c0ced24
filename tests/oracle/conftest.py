"""One Voxmill process for all comparisons of a run."""

import pytest

from peer import Peer


@pytest.fixture(scope="session")
def peer():
    process = Peer()
    yield process
    process.close()
