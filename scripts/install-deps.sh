#!/usr/bin/env bash
# Installs the missing Debian packages for building and testing. Does nothing if all are installed.
#
#   --dev        also formatting, linting and coverage
#   --python     also the Python package
#   --clusters   as --python, and Java for Spark
#   --test       as --clusters, and a browser to test reports
#   --docs       as --test, and Doxygen
#   --fuzz       also fuzzing
#   --bench      also the benchmarks of small matrices
#   --aarch64    also cross-compiling for 64-bit ARM and running under an emulator
set -euo pipefail

packages=(g++ cmake ninja-build make pkg-config libeigen3-dev libgtest-dev nlohmann-json3-dev libcli11-dev
  zlib1g-dev libisal-dev libzstd-dev liblzma-dev libhdf5-dev)
case "${1-}" in
  '') ;;
  --dev) packages+=(clang-format clang-tidy gcovr) ;;
  --python) packages+=(python3-dev python3-venv) ;;
  --clusters) packages+=(python3-dev python3-venv openjdk-17-jre-headless) ;;
  --test) packages+=(python3-dev python3-venv openjdk-17-jre-headless chromium) ;;
  --docs) packages+=(python3-dev python3-venv openjdk-17-jre-headless chromium doxygen) ;;
  --fuzz) packages+=(clang libclang-rt-14-dev) ;;
  --bench) packages+=(libbenchmark-dev) ;;
  --aarch64) packages+=(g++-aarch64-linux-gnu qemu-user) ;;
  *)
    echo "usage: $0 [--dev | --python | --clusters | --test | --docs | --fuzz | --bench | --aarch64]" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "Not a Debian system: install the dependencies by hand. Required: a C++20 compiler, CMake >= 3.22, Ninja, make," >&2
  echo "pkg-config, Eigen >= 3.4, GoogleTest, nlohmann-json >= 3.10, CLI11 >= 2.1 and zlib. Optional: ISA-L, zstd, liblzma and HDF5." >&2
  echo "Debian packages: ${packages[*]}" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  # shellcheck disable=SC2016  # the braces are dpkg-query's
  status=$(dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null || true)
  grep -qx installed <<<"$status" || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "Missing packages: ${missing[*]}" >&2
    echo "This needs root or sudo. As root, run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

apt() {
  # The timeout waits for another apt, such as unattended upgrades, instead of failing immediately.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@"
}

echo "Installing: ${missing[*]}"
updated=no
if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
  apt update
  updated=yes
fi
if ! apt install --no-install-recommends "${missing[@]}"; then
  # Old package lists may refer to versions that no longer exist.
  [[ $updated == no ]] || exit 1
  apt update
  apt install --no-install-recommends "${missing[@]}"
fi
