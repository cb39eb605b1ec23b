#!/usr/bin/env python3
"""Makes a wheel from a build: python3 python/wheel.py BUILD-DIRECTORY OUTPUT-DIRECTORY

The wheel holds the program, libncclscript, the drop-in libraries, scenarios and lessons, and the libraries that they
need and that a system may lack (Lua, libyaml, jansson, libedit), unless these are compiled in (preset portable). Its
platform tag is that of the oldest glibc that has all symbols which they use, and of the processor that the build is
for. Needs cmake, readelf and patchelf."""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SYSTEM = re.compile(r"^(libc|libm|libdl|libpthread|librt|libgcc_s|libresolv|ld-linux[-a-z0-9]*|libncclscript[-a-z]*|"
                    r"libnccl|libcudart)\.so")

METADATA = """Metadata-Version: 2.1
Name: ncclscript
Version: {version}
Summary: Run, verify and explain NCCL scenarios without a GPU
License: Apache-2.0
Requires-Python: >=3.8
Classifier: Operating System :: POSIX :: Linux
"""
WHEEL = """Wheel-Version: 1.0
Generator: ncclscript
Root-Is-Purelib: false
Tag: {tag}
"""
ENTRIES = """[console_scripts]
ncclscript = ncclscript.__main__:main

[pytest11]
ncclscript = ncclscript.pytest_plugin
"""


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def files_below(folder):
    return sorted(os.path.join(where, name) for where, _, names in os.walk(folder) for name in names)


def install(build, tree):
    """Puts the installed files into bin, lib and share of the tree, without links."""
    with tempfile.TemporaryDirectory() as stage:
        manifest = os.path.join(build, "install_manifest.txt")
        kept = open(manifest).read() if os.path.exists(manifest) else None
        output_of("cmake", "--install", build, "--prefix", stage, "--strip")
        if kept is None:
            os.remove(manifest)
        else:
            open(manifest, "w").write(kept)
        libraries = os.path.dirname(next(f for f in files_below(stage) if f.endswith("/libncclscript.so")))
        shutil.copytree(os.path.join(stage, "bin"), os.path.join(tree, "bin"))
        shutil.copytree(os.path.join(libraries, "ncclscript"), os.path.join(tree, "lib", "ncclscript"))
        shutil.copy(os.path.join(libraries, "libncclscript.so.0"), os.path.join(tree, "lib"))
        shutil.copytree(os.path.join(stage, "share", "ncclscript"), os.path.join(tree, "share", "ncclscript"))


def library_of(path, name):
    """Where this system's loader finds a library that a file needs."""
    found = dict(re.findall(r"(\S+) => (/\S+)", subprocess.run(["ldd", path], capture_output=True, text=True).stdout))
    if name not in found:
        sys.exit(f"wheel.py: {name} is not found here: build with the preset portable or portable-aarch64")
    return found[name]


def bundle(tree):
    """Adds the libraries of this system that a user's may lack, and lets all find each other."""
    wanted = [f for f in files_below(tree) if is_elf(f)]
    for path in wanted:
        for name in re.findall(r"NEEDED.*\[(\S+)\]", output_of("readelf", "-d", path)):
            target = os.path.join(tree, "lib", name)
            if not SYSTEM.match(name) and not os.path.exists(target):
                shutil.copy(library_of(path, name), target)
                os.chmod(target, 0o755)
                wanted.append(target)
    for path in wanted:
        to = os.path.relpath(os.path.join(tree, "lib"), os.path.dirname(path))
        here = "$ORIGIN" if to == "." else "$ORIGIN/" + to
        own = ":$ORIGIN" if "/lib/ncclscript/" in path else ""
        output_of("patchelf", "--set-rpath", here + own, path)
    return wanted


def platform_tag(paths):
    text = "".join(output_of("readelf", "-V", path) for path in paths)
    newest = max(tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([0-9.]+)", text))
    machine = re.search(r"Machine:\s+(.*)", output_of("readelf", "-h", paths[0])).group(1)
    processor = {"Advanced Micro Devices X86-64": "x86_64", "AArch64": "aarch64"}[machine]
    return f"py3-none-manylinux_{newest[0]}_{newest[1]}_{processor}"


def write_wheel(folder, version, tag, out):
    info = os.path.join(folder, f"ncclscript-{version}.dist-info")
    os.mkdir(info)
    for name, text in (("METADATA", METADATA.format(version=version)), ("WHEEL", WHEEL.format(tag=tag)),
                       ("entry_points.txt", ENTRIES)):
        open(os.path.join(info, name), "w").write(text)
    shutil.copy(os.path.join(TOP, "LICENSE"), info)
    path = os.path.join(out, f"ncclscript-{version}-{tag}.whl")
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file in files_below(folder):
            name = os.path.relpath(file, folder)
            data = open(file, "rb").read()
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # equal builds give equal wheels
            entry.external_attr = (0o100755 if os.access(file, os.X_OK) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
        name = os.path.relpath(info, folder) + "/RECORD"
        wheel.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), "\n".join(record + [name + ",,"]) + "\n")
    return path


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, out = sys.argv[1:]
    for tool in ("cmake", "readelf", "patchelf"):
        if not shutil.which(tool):
            sys.exit(f"wheel.py: {tool} is missing")
    os.makedirs(out, exist_ok=True)
    version = re.search(r"project\(ncclscript VERSION ([0-9.]+)", open(os.path.join(TOP, "CMakeLists.txt")).read()).group(1)
    with tempfile.TemporaryDirectory() as folder:
        package = os.path.join(folder, "ncclscript")
        shutil.copytree(os.path.join(TOP, "python", "ncclscript"), package, ignore=shutil.ignore_patterns("__pycache__"))
        tree = os.path.join(package, "_tree")
        install(build, tree)
        print(write_wheel(folder, version, platform_tag(bundle(tree)), out))


if __name__ == "__main__":
    main()
