# Set-up, tests, checks and benchmarks. `make demo` and `make test` need Rust, Python 3 and make, and install the rest themselves.

TARGET := $(or $(CARGO_TARGET_DIR),target)
VENV ?= .venv
BENCH_VENV ?= .venv-bench
PYTHON ?= python3
W ?=
SCALE ?= 1.0

.PHONY: demo test test-rust test-python native wheel check bench venv clean

demo:
	cargo build --release --locked -p voxmill-cli
	$(TARGET)/release/voxmill demo --dir demo-out

test: test-rust test-python

test-rust:
	cargo test --workspace --locked

# The binaries that the Python tests talk to come from the same build as the Rust tests.
test-python: venv native
	VOXMILL_BIN=$(abspath $(TARGET))/debug/voxmill \
	VOXMILL_PEER=$(abspath $(TARGET))/debug/examples/oracle_peer \
	STORE_TOOL=$(abspath $(TARGET))/debug/examples/store_tool \
	$(VENV)/bin/python -m pytest -q -p no:cacheprovider tests/oracle tests/formats tests/cli
	PYTHONPATH=python $(VENV)/bin/python -m pytest -q -p no:cacheprovider -n 2 --doctest-modules --ignore-glob='*/cases_*.py' python

# The Python package, ready to be imported from the folder python/. All crates together: chosen one by one, they would be built anew with
# other features of what they share.
native:
	cargo build --locked --workspace --lib --bins --examples
	cp $$(ls $(TARGET)/debug/lib_native.so $(TARGET)/debug/lib_native.dylib 2>/dev/null | head -1) python/voxmill/_native.abi3.so

# An installable wheel and a source archive, in dist/.
wheel: venv
	$(VENV)/bin/maturin build --release --locked --strip --sdist --out dist
	@ls -l dist | awk 'NR > 1 { printf "%s: %.1f MB\n", $$9, $$5 / 1e6 }'

venv: $(VENV)/.stamp

$(VENV)/.stamp: tests/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install -q --disable-pip-version-check -r tests/requirements.txt
	touch $@

check:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings

bench: $(BENCH_VENV)/.stamp
	cargo build --release --locked --workspace --lib --bins --examples
	cp $$(ls $(TARGET)/release/lib_native.so $(TARGET)/release/lib_native.dylib 2>/dev/null | head -1) python/voxmill/_native.abi3.so
	$(BENCH_VENV)/bin/python bench/run.py $(W) --scale $(SCALE)

$(BENCH_VENV)/.stamp: bench/requirements.txt
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install -q --disable-pip-version-check -r bench/requirements.txt
	touch $@

clean:
	cargo clean
	rm -rf $(VENV) $(BENCH_VENV) demo-out dist python/voxmill/_native.abi3.so
