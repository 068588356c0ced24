"""Functions that bring arrays from elsewhere: NumPy has none of them."""

CASES = []

ELSEWHERE = {
    "from_array": "test_interop.py",
    "from_dask": "test_interop.py",
    "to_dask": "test_interop.py",
    "from_zarr": "test_interop.py",
    "from_xarray": "test_interop.py",
    "to_xarray": "test_interop.py",
    "imread": "test_image.py",
}
