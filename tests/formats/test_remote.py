"""The same arrays on S3 and behind a web server, both on this machine."""

import functools
import http.server
import json
import threading

import boto3
import pytest
import zarr
from conftest import Store, sample, same
from moto.server import ThreadedMotoServer

SHAPE, CHUNKS = (13, 9, 11), (5, 4, 6)
KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_REGION": "us-east-1"}


@pytest.fixture(scope="module")
def endpoint():
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3(tool, tmp_path, endpoint):
    client = boto3.client("s3", endpoint_url=endpoint, aws_access_key_id="testing", aws_secret_access_key="testing", region_name="us-east-1")
    client.create_bucket(Bucket="voxmill")
    store = Store(tool, tmp_path, {**KEYS, "AWS_ENDPOINT_URL": endpoint})
    store.client = client
    yield store
    for object in client.list_objects_v2(Bucket="voxmill").get("Contents", []):
        client.delete_object(Bucket="voxmill", Key=object["Key"])
    client.delete_bucket(Bucket="voxmill")


def upload(client, folder, prefix):
    for path in folder.rglob("*"):
        if path.is_file():
            client.put_object(Bucket="voxmill", Key=f"{prefix}/{path.relative_to(folder)}", Body=path.read_bytes())


@pytest.mark.parametrize("settings", [{}, {"format": 2}, {"shards": "10,8,12"}])
def test_s3_round_trip(s3, settings):
    data = sample(SHAPE, "u2")
    s3.write(data, "s3://voxmill/some/a.zarr", chunks="5,4,6", **settings)
    same(s3.read("s3://voxmill/some/a.zarr"), data)
    info = json.loads(s3.ok("info", "s3://voxmill/some/a.zarr"))
    assert info["shape"] == list(SHAPE) and info["stored_objects"] > 0
    again = s3.run("npy2zarr", s3.folder / "write.npy", "s3://voxmill/some/a.zarr")
    assert again.returncode == 5 and "overwrite" in again.stderr
    s3.write(data[:4], "s3://voxmill/some/b.zarr")
    s3.ok("npy2zarr", s3.folder / "write.npy", "s3://voxmill/some/a.zarr", "--overwrite")
    same(s3.read("s3://voxmill/some/a.zarr"), data[:4])


def test_s3_reads_zarr_python(s3, tmp_path):
    data = sample(SHAPE, "f4")
    root = zarr.create_group(tmp_path / "g.zarr")
    root.create_array("x/y", data=data, chunks=CHUNKS, shards=(10, 8, 12))
    upload(s3.client, tmp_path / "g.zarr", "g.zarr")
    same(s3.read("s3://voxmill/g.zarr/x/y"), data)
    tree = json.loads(s3.ok("info", "s3://voxmill/g.zarr"))
    assert tree["children"][0]["children"][0]["path"] == "x/y"


def test_s3_errors(s3):
    missing = s3.run("info", "s3://voxmill/nothing.zarr")
    assert missing.returncode == 4 and "s3://voxmill/nothing.zarr" in missing.stderr
    no_bucket = s3.run("info", "s3://no-such-bucket/a.zarr")
    assert no_bucket.returncode in (4, 7)


@pytest.fixture
def web(tmp_path):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    (tmp_path / "www").mkdir()
    handler = functools.partial(Quiet, directory=tmp_path / "www")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("version,shards", [(2, None), (3, None), (3, (10, 8, 12))])
def test_http(store, tmp_path, web, version, shards):
    """Python's web server knows no byte ranges, so shards are read as a whole there."""
    data = sample(SHAPE, "u2")
    root = zarr.create_group(tmp_path / "www" / "my data.zarr", zarr_format=version)
    root.create_array("a/0", data=data, chunks=CHUNKS, shards=shards, fill_value=0)
    zarr.consolidate_metadata(tmp_path / "www" / "my data.zarr", zarr_format=version)
    same(store.read(f"{web}/my%20data.zarr/a/0"), data)
    tree = json.loads(store.ok("info", f"{web}/my%20data.zarr"))
    assert tree["children"][0]["children"][0]["shape"] == list(SHAPE)
    group = store.run("zarr2npy", f"{web}/my%20data.zarr", tmp_path / "x.npy")
    assert group.returncode == 2 and "a/0" in group.stderr
    assert store.run("info", f"{web}/other.zarr").returncode == 4


def test_http_that_is_gone(store, tmp_path):
    done = store.run("info", "http://127.0.0.1:9/a.zarr")
    assert done.returncode == 7 and "http://127.0.0.1:9" in done.stderr
