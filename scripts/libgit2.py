#!/usr/bin/env python3
"""A compilation database for libgit2 as the crate libgit2-sys carries it, without building it.

    scripts/libgit2.py LIBGIT2 ZLIB OUT
    bop check --compile-commands OUT/compile_commands.json --rule file --rule memory

LIBGIT2 is the folder `libgit2` of that crate, ZLIB the folder with zlib.h of libz-sys. OUT gets the
header that cmake would write, and compile_commands.json.
"""

import json
import pathlib
import sys

FEATURES = """\
#ifndef INCLUDE_features_h
#define INCLUDE_features_h
#define GIT_THREADS 1
#define GIT_TRACE 1
#define GIT_HTTPPARSER_BUILTIN 1
#define GIT_USE_NSEC 1
#define GIT_IO_POLL 1
#define GIT_IO_SELECT 1
#define GIT_USE_STAT_MTIM 1
#define GIT_ARCH_64 1
#define GIT_SHA1_COLLISIONDETECT 1
#define GIT_SHA256_BUILTIN 1
#endif
"""

# pcre2 is left out: it calls itself through tables, and has no files.
FOLDERS = [
    "src/libgit2", "src/libgit2/transports", "src/libgit2/streams", "src/util", "src/util/unix",
    "deps/llhttp", "deps/xdiff",
]
FILES = [
    "src/util/allocators/failalloc.c", "src/util/allocators/stdalloc.c",
    "src/util/hash/collisiondetect.c", "src/util/hash/sha1dc/sha1.c",
    "src/util/hash/sha1dc/ubc_check.c", "src/util/hash/builtin.c",
    "src/util/hash/rfc6234/sha224-256.c",
]
DEFINES = [
    "GIT_REGEX_BUILTIN=1", "PCRE2_STATIC", "PCRE2_CODE_UNIT_WIDTH=8", "_POSIX_C_SOURCE=200112L",
    "SHA1DC_NO_STANDARD_INCLUDES=1", 'SHA1DC_CUSTOM_INCLUDE_SHA1_C="common.h"',
    'SHA1DC_CUSTOM_INCLUDE_UBC_CHECK_C="common.h"', "_GNU_SOURCE",
]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    source, zlib, out = (pathlib.Path(a).resolve() for a in sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    (out / "git2_features.h").write_text(FEATURES)
    files = [f for folder in FOLDERS for f in sorted((source / folder).glob("*.c"))]
    files += [source / f for f in FILES]
    includes = [out, source / "include", source / "src/libgit2", source / "src/util",
                source / "deps/llhttp", source / "deps/xdiff", source / "deps/pcre2", zlib]
    flags = [f"-I{i}" for i in includes] + [f"-D{d}" for d in DEFINES]
    calls = [{"directory": str(source), "file": str(f.relative_to(source)),
              "arguments": ["cc", *flags, "-c", str(f.relative_to(source))]} for f in files]
    (out / "compile_commands.json").write_text(json.dumps(calls, indent=1))
    lines = sum(f.read_text(errors="replace").count("\n") for f in files)
    print(f"{len(files)} files, {lines} lines")


if __name__ == "__main__":
    main()
