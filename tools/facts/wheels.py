"""Wheels from PyPI, by exact version, through pip; none of them is installed or imported."""

import pathlib
import subprocess
import sys
import zipfile


def fetch(package, version, folder, platforms, python="311"):
    """Path of the wheel for the first platform tag that has it; RuntimeError when none has."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    stem = package.replace("-", "_")
    have = sorted(folder.glob(f"{stem}-{version}-*.whl"))
    if have:
        return have[0]
    for platform in platforms:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps",
                   "--only-binary=:all:", "--implementation", "cp", "--python-version", python,
                   "--platform", platform, "-d", str(folder), f"{package}=={version}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        have = sorted(folder.glob(f"{stem}-{version}-*.whl"))
        if done.returncode == 0 and have:
            return have[0]
    raise RuntimeError(f"{package} {version}: no wheel for {', '.join(platforms)}")


def build_date(archive):
    """Newest time stamp among the wheel's members, as YYYY-MM-DD."""
    year, month, day = max(info.date_time for info in archive.infolist())[:3]
    return f"{year:04d}-{month:02d}-{day:02d}"


def open_wheel(path):
    return zipfile.ZipFile(path)
