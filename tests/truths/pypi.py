#!/usr/bin/env python3
"""Brings one file of a PyPI package onto this machine and unpacks it; runs nothing of it.

`pip download` of a source package runs its build backend to learn its metadata, so it is no way
to get code that must not run. This asks pip's own finder (its index, proxy and certificate
settings apply) for the link, downloads the one file, and compares its hash with the pinned one.

usage: pypi.py NAME VERSION wheel|sdist FOLDER      prints the folder that holds the code
"""
import hashlib
import os
import shutil
import sys
import tarfile
import tempfile
import zipfile


def find_link(name, version, kind):
    """The link of the package's wheel or sdist, and pip's session that can fetch it."""
    from pip._internal.commands.index import IndexCommand

    class Finder(IndexCommand):
        def links(self):
            options, _ = self.parse_args(["--ignore-requires-python"])
            session = self._build_session(options)
            finder = self._build_package_finder(
                options=options, session=session, ignore_requires_python=True)
            if kind == "sdist":
                finder.format_control.disallow_binaries()
            found = []
            for candidate in finder.find_all_candidates(name):
                if str(candidate.version) == version:
                    if candidate.link.is_wheel == (kind == "wheel"):
                        found.append(candidate.link)
            return session, found

    session, links = Finder("index", "finds one file").links()
    links.sort(key=lambda link: (not link.filename.endswith("none-any.whl"), link.filename))
    if not links:
        raise SystemExit(f"pypi.py: no {kind} of {name} {version} in the package index; "
                         "see `pip index versions " + name + "`")
    return session, links[0]


def download(name, version, kind, folder):
    """The path of the downloaded file inside `folder`."""
    session, link = find_link(name, version, kind)
    path = os.path.join(folder, link.filename)
    if os.path.exists(path):
        return path
    if link.scheme == "file":
        shutil.copyfile(link.file_path, path)
        return path
    response = session.get(link.url_without_fragment, headers={"Accept-Encoding": "identity"})
    response.raise_for_status()
    with open(path + ".part", "wb") as out:
        out.write(response.content)
    os.replace(path + ".part", path)
    return path


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def unpack(path, target):
    """Unpacks regular files that stay inside `target`; links and devices are left out."""
    base = os.path.realpath(target)

    def place(member):
        full = os.path.realpath(os.path.join(base, member))
        if not full.startswith(base + os.sep):
            raise SystemExit(f"pypi.py: {path}: {member} leads out of the archive")
        os.makedirs(os.path.dirname(full), exist_ok=True)
        return full

    if path.endswith((".whl", ".zip")):
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if not member.is_dir():
                    with open(place(member.filename), "wb") as out:
                        out.write(archive.read(member))
        return
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isreg():
                with open(place(member.name), "wb") as out:
                    shutil.copyfileobj(archive.extractfile(member), out)


def bring(name, version, kind, cache, pinned=None):
    """The folder with the unpacked package, kept in `cache` between runs."""
    target = os.path.join(cache, f"{name}-{version}-{kind}")
    if os.path.isdir(target):
        return target
    os.makedirs(cache, exist_ok=True)
    path = download(name, version, kind, cache)
    if pinned and sha256(path) != pinned:
        raise SystemExit(f"pypi.py: {path} has sha256 {sha256(path)}, the table says {pinned}; "
                         "delete the file and try again")
    scratch = tempfile.mkdtemp(dir=cache)
    unpack(path, scratch)
    # The one top folder of an sdist says nothing that the table needs.
    entries = os.listdir(scratch)
    inner = os.path.join(scratch, entries[0])
    if kind == "sdist" and len(entries) == 1 and os.path.isdir(inner):
        os.replace(inner, target)
        os.rmdir(scratch)
    else:
        os.replace(scratch, target)
    return target


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[3] not in ("wheel", "sdist"):
        raise SystemExit(__doc__)
    print(bring(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4]))
