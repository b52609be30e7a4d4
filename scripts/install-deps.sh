#!/usr/bin/env bash
# Installs the Debian packages that building and testing need and that are not there yet.
# With --dev, also those for formatting, linting and coverage; with --python, those for the Python package;
# with --clusters, these and the Java that Spark runs on; with --test, these and the browser that looks at reports;
# with --fuzz, those for fuzzing; with --aarch64, those to compile and run for 64-bit ARM. Does nothing when all are installed.
set -euo pipefail

packages=(g++ cmake ninja-build make pkg-config libeigen3-dev libgtest-dev nlohmann-json3-dev libcli11-dev
  zlib1g-dev libhdf5-dev)
case "${1-}" in
  '') ;;
  --dev) packages+=(clang-format clang-tidy gcovr) ;;
  --python) packages+=(python3-dev python3-venv) ;;
  --clusters) packages+=(python3-dev python3-venv openjdk-17-jre-headless) ;;
  --test) packages+=(python3-dev python3-venv openjdk-17-jre-headless chromium) ;;
  --fuzz) packages+=(clang libclang-rt-14-dev) ;;
  --aarch64) packages+=(g++-aarch64-linux-gnu qemu-user) ;;
  *)
    echo "usage: $0 [--dev | --python | --clusters | --test | --fuzz | --aarch64]" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "Not a Debian system, so nothing is installed. Needed are: a C++20 compiler, CMake >= 3.22, Ninja, make," >&2
  echo "pkg-config, Eigen >= 3.4, GoogleTest, nlohmann-json >= 3.10, CLI11 >= 2.1, zlib and, if wanted, HDF5" >&2
  echo "(in Debian: ${packages[*]})." >&2
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
    echo "Neither root nor sudo here. As root, run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

apt() {
  # The timeout waits for another apt (unattended upgrades) instead of failing at once.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@"
}

echo "Installing: ${missing[*]}"
updated=no
if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
  apt update
  updated=yes
fi
if ! apt install --no-install-recommends "${missing[@]}"; then
  # Old package lists name versions that are gone.
  [[ $updated == no ]] || exit 1
  apt update
  apt install --no-install-recommends "${missing[@]}"
fi
