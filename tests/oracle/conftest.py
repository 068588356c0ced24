"""One Voxmill process for all tests of a session."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))

from peer import Peer  # noqa: E402


@pytest.fixture(scope="session")
def peer():
    peer = Peer()
    yield peer
    peer.close()
