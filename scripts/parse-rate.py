#!/usr/bin/env python3
"""How much of real C the front end reads.

    scripts/parse-rate.py [--keep DIR] [--table FILE] CRATES [PROJECT...]

CRATES is a folder with the sources of crates that carry C (cargo's `registry/src/…`, or what
`cargo vendor` makes). Each `.c` file of the projects below is preprocessed and checked with
`cc -fsyntax-only`; a file that the system's compiler rejects (it is for another system, or a part of
another file) is not counted, but said. The others are parsed, and their skeletons made and lowered.

The flags are guessed: every folder of the project that has a header, after the system's; and what
the table below says. Needs `cc`, `cargo` and, for openssl and jemalloc, `perl`, `make` and `sh`.
"""

import argparse
import glob
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent

GNU = ["-D_GNU_SOURCE"]
POSIX = """
#define HAVE_STDINT_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_STDBOOL_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRING_H 1
#define HAVE_STRINGS_H 1
#define HAVE_MEMORY_H 1
#define HAVE_LIMITS_H 1
#define HAVE_UNISTD_H 1
#define HAVE_FCNTL_H 1
#define HAVE_ERRNO_H 1
#define HAVE_ALLOCA_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_TIMES_H 1
#define HAVE_SYS_SOCKET_H 1
#define HAVE_SYS_SELECT_H 1
#define HAVE_SYS_UIO_H 1
#define HAVE_SYS_UN_H 1
#define HAVE_SYS_IOCTL_H 1
#define HAVE_SYS_PARAM_H 1
#define HAVE_NETINET_IN_H 1
#define HAVE_NETINET_TCP_H 1
#define HAVE_ARPA_INET_H 1
#define HAVE_NETDB_H 1
#define HAVE_NET_IF_H 1
#define HAVE_IFADDRS_H 1
#define HAVE_POLL_H 1
#define HAVE_PWD_H 1
#define HAVE_TERMIOS_H 1
#define HAVE_LOCALE_H 1
#define HAVE_LIBGEN_H 1
#define HAVE_UTIME_H 1
#define HAVE_SIGNAL_H 1
#define HAVE_SIGNAL 1
#define HAVE_STDATOMIC_H 1
#define HAVE_ATOMIC 1
#define HAVE_PTHREAD_H 1
#define HAVE_GETTIMEOFDAY 1
#define HAVE_SELECT 1
#define HAVE_SOCKET 1
#define HAVE_POLL 1
#define HAVE_RECV 1
#define HAVE_SEND 1
#define HAVE_FCNTL 1
#define HAVE_FCNTL_O_NONBLOCK 1
#define HAVE_O_NONBLOCK 1
#define HAVE_LONGLONG 1
#define HAVE_BOOL_T 1
#define HAVE_STRUCT_TIMEVAL 1
#define HAVE_STRUCT_SOCKADDR_STORAGE 1
#define HAVE_SA_FAMILY_T 1
#define HAVE_SUSECONDS_T 1
#define HAVE_GETADDRINFO 1
#define HAVE_GETADDRINFO_THREADSAFE 1
#define HAVE_FREEADDRINFO 1
#define HAVE_GETHOSTNAME 1
#define HAVE_GETPEERNAME 1
#define HAVE_GETSOCKNAME 1
#define HAVE_GETIFADDRS 1
#define HAVE_INET_NTOP 1
#define HAVE_INET_PTON 1
#define HAVE_STRCASECMP 1
#define HAVE_STRDUP 1
#define HAVE_STRTOLL 1
#define HAVE_STRERROR_R 1
#define HAVE_GLIBC_STRERROR_R 1
#define HAVE_STRTOK_R 1
#define HAVE_GMTIME_R 1
#define HAVE_LOCALTIME_R 1
#define HAVE_CLOCK_GETTIME_MONOTONIC 1
#define HAVE_PIPE 1
#define HAVE_SOCKETPAIR 1
#define HAVE_FTRUNCATE 1
#define HAVE_GETPWUID_R 1
#define HAVE_GETEUID 1
#define HAVE_GETPPID 1
#define HAVE_SNPRINTF 1
#define HAVE_BASENAME 1
#define HAVE_UTIMES 1
#define HAVE_SIGACTION 1
#define HAVE_SIGSETJMP 1
#define HAVE_SIGINTERRUPT 1
#define HAVE_DECL_GETPWUID_R 1
#define HAVE_VISIBILITY 1
#define HAVE_EXPLICIT_BZERO 1
#define HAVE_EXPLICIT_MEMSET 0
#define TIME_WITH_SYS_TIME 1
#define STDC_HEADERS 1
#define HAVE_STDARG_H 1
#define HAVE_STDARG_PROTOTYPES 1
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 8
#define SIZEOF_LONG_LONG 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_OFF_T 8
#define SIZEOF_CURL_OFF_T 8
#define SIZEOF_CURL_SOCKET_T 4
#define SIZEOF_VOIDP 8
"""
XZ = POSIX + "".join(
    f"#define HAVE_{side}_{name} 1\n"
    for side in ("ENCODER", "DECODER")
    for name in "X86 POWERPC IA64 ARM ARMTHUMB SPARC DELTA LZMA1 LZMA2".split()
) + """
#define HAVE_ENCODERS 1
#define HAVE_DECODERS 1
#define HAVE_CHECK_CRC32 1
#define HAVE_CHECK_CRC64 1
#define HAVE_CHECK_SHA256 1
#define HAVE_MF_HC3 1
#define HAVE_MF_HC4 1
#define HAVE_MF_BT2 1
#define HAVE_MF_BT3 1
#define HAVE_MF_BT4 1
#define HAVE__BOOL 1
#define HAVE_FUTIMENS 1
#define HAVE_DECL_PROGRAM_INVOCATION_NAME 1
#define MYTHREAD_POSIX 1
#define TUKLIB_SYMBOL_PREFIX lzma_
#define ASSUME_RAM 128
#define PACKAGE "xz"
#define PACKAGE_NAME "XZ Utils"
#define PACKAGE_BUGREPORT ""
#define PACKAGE_URL ""
#define PACKAGE_VERSION "5"
#define NDEBUG 1
"""
CURL = POSIX + """
#define OS "linux"
#define CURL_OS "linux"
#define STDC_HEADERS 1
#define USE_THREADS_POSIX 1
#define HAVE_THREADS_POSIX 1
#define USE_RESOLV_THREADED 1
#define USE_UNIX_SOCKETS 1
#define HAVE_LIBZ 1
#define USE_OPENSSL 1
#define USE_IPV6 1
#define HAVE_SOCKADDR_IN6_SIN6_SCOPE_ID 1
#define HAVE_FSEEKO 1
#define HAVE_STDINT_H 1
#define GETHOSTNAME_TYPE_ARG2 size_t
#define CURL_CA_PATH "/etc/ssl/certs"
#define PACKAGE "curl"
"""
GIT = """
#define GIT_THREADS 1
#define GIT_TRACE 1
#define GIT_HTTPPARSER_BUILTIN 1
#define GIT_USE_NSEC 1
#define GIT_IO_POLL 1
#define GIT_IO_SELECT 1
#define GIT_USE_STAT_MTIM 1
#define GIT_ARCH_64 1
#define GIT_SSH 1
#define GIT_SSH_LIBSSH2 1
#define GIT_SSH_LIBSSH2_MEMORY_CREDENTIALS 1
#define GIT_HTTPS 1
#define GIT_OPENSSL 1
#define GIT_SHA1_COLLISIONDETECT 1
#define GIT_SHA256_BUILTIN 1
#define GIT_RAND_GETENTROPY 1
#define GIT_FUTIMENS 1
#define GIT_QSORT_GNU 1
"""
PCRE2 = [
    f"-D{define}"
    for define in (
        "GIT_REGEX_BUILTIN=1 PCRE2_STATIC PCRE2_EXPORT= PCRE2_EXP_DECL= PCRE2_EXP_DEFN= PCRE2_CODE_UNIT_WIDTH=8 "
        "SUPPORT_PCRE2_8=1 SUPPORT_UNICODE=1 LINK_SIZE=2 HEAP_LIMIT=20000000 MATCH_LIMIT=10000000 "
        "MATCH_LIMIT_DEPTH=MATCH_LIMIT MAX_VARLOOKBEHIND=255 NEWLINE_DEFAULT=2 PARENS_NEST_LIMIT=250 "
        "MAX_NAME_SIZE=128 MAX_NAME_COUNT=10000"
    ).split()
]

# Of each project: the crate's name; the folder of the C sources in it; flags; headers to be written;
# headers to be copied, from a name in the folder; folders that are other systems'; other crates
# whose folders are searched for headers; a command that makes headers in a copy of the folder.
PROJECTS = {
    "sqlite": dict(crate="libsqlite3-sys", folder="sqlite3", flags=["-DSQLITE_ENABLE_FTS5", "-DSQLITE_ENABLE_RTREE", "-DSQLITE_ENABLE_SESSION", "-DSQLITE_ENABLE_PREUPDATE_HOOK"]),
    "lua": dict(crate="lua-src", each="lua-*", flags=["-DLUA_USE_LINUX", "-DLUA_COMPAT_5_3"]),
    "zlib": dict(crate="libz-sys", folder="src/zlib"),
    "zlib-ng": dict(crate="libz-sys", folder="src/zlib-ng", flags=["-DX86_FEATURES", "-msse4.2", "-mavx2", "-mpclmul", "-DWITH_GZFILEOP"], copy={"zconf-ng.h": "zconf-ng.h.in", "zlib-ng.h": "zlib-ng.h.in", "gzread.c": "gzread.c.in", "zlib_name_mangling-ng.h": "zlib_name_mangling.h.empty"}),
    "curl": dict(crate="curl-sys", folder="curl", flags=["-DHAVE_CONFIG_H", "-DBUILDING_LIBCURL", "-DCURL_STATICLIB", *GNU], first=["include", "lib", "src"], write={"curl_config.h": CURL}, others=["zlib", "libssh2", "openssl"]),
    "libgit2": dict(crate="libgit2-sys", folder="libgit2", flags=[*GNU, *PCRE2, "-DSHA1DC_NO_STANDARD_INCLUDES=1", '-DSHA1DC_CUSTOM_INCLUDE_SHA1_C="common.h"', '-DSHA1DC_CUSTOM_INCLUDE_UBC_CHECK_C="common.h"'], write={"git2_features.h": GIT}, first=["include", "src/libgit2", "src/util", "src/cli", "deps/llhttp", "deps/xdiff", "deps/pcre2"], others=["zlib", "libssh2", "openssl"]),
    "zstd": dict(crate="zstd-sys", folder="zstd", flags=["-DZSTD_LEGACY_SUPPORT=1", "-DZSTD_MULTITHREAD"]),
    "xz": dict(crate="lzma-sys", folder="xz-5.2", flags=["-DHAVE_CONFIG_H", "-std=gnu99", *GNU, "-DLOCALEDIR=\"\""], write={"config.h": XZ}, first=["src/liblzma/api"]),
    "bzip2": dict(crate="bzip2-sys", folder="bzip2-1.0.8"),
    "oniguruma": dict(crate="onig_sys", folder="oniguruma", flags=["-DHAVE_CONFIG_H"], write={"config.h": POSIX}),
    "libssh2": dict(crate="libssh2-sys", folder="libssh2", flags=["-DHAVE_CONFIG_H", "-DLIBSSH2_OPENSSL", "-DHAVE_LIBSSL"], write={"libssh2_config.h": POSIX}, others=["zlib", "openssl"]),
    "jq": dict(crate="jq-src", folder="modules/jq", flags=["-DHAVE_CONFIG_H", "-DIEEE_8087=1", "-D_GNU_SOURCE"], write={"config.h": POSIX, "src/version.h": "#define JQ_VERSION \"1\"\n", "src/config_opts.inc": "#define JQ_CONFIG \"\"\n"}),
    "lmdb": dict(crate="lmdb-rkv-sys", folder="lmdb"),
    "mimalloc": dict(crate="libmimalloc-sys", each="c_src/mimalloc/v*"),
    "jemalloc": dict(crate="tikv-jemalloc-sys", folder="jemalloc", flags=[*GNU, "-D_REENTRANT", "-DJEMALLOC_UNIT_TEST"], first=["include", "test/include"], write={"jemalloc/internal/private_namespace.h": "", "jemalloc/internal/private_namespace_jet.h": ""}, make="cp ../configure/configure . && bash ./configure --disable-cxx --with-version=5.3.1-0-g0 > /dev/null"),
    "quickjs": dict(crate="rquickjs-sys", folder="quickjs", flags=[*GNU, "-DCONFIG_VERSION=\"1\"", "-DQUICKJS_NG_BUILD"]),
    "openssl": dict(crate="openssl-src", folder="openssl", first=[".", "include", "providers/common/include", "providers/implementations/include", "apps/include"], flags=["-DOPENSSL_PIC", "-DOPENSSL_BUILDING_OPENSSL", "-DOPENSSLDIR=\"\"", "-DENGINESDIR=\"\"", "-DMODULESDIR=\"\""], make="perl Configure linux-x86_64 no-asm no-tests >/dev/null && make -s build_generated >/dev/null"),
    "libpng": dict(crate="libpng-sys", folder="vendor", copy={"pnglibconf.h": "scripts/pnglibconf.h.prebuilt"}, others=["zlib"]),
}


def folders(crates, name):
    """The source folders of a project."""
    project = PROJECTS[name]
    found = sorted(glob.glob(f"{crates}/{project['crate']}-[0-9]*")) or sorted(glob.glob(f"{crates}/{project['crate']}"))
    if not found:
        return []
    pattern = project.get("each") or project["folder"]
    return sorted(Path(p) for p in glob.glob(f"{found[-1]}/{pattern}"))


def prepared(crates, name, scratch):
    """The source folders, with what a build would have made."""
    project = PROJECTS[name]
    out = []
    for folder in folders(crates, name):
        if project.get("make"):
            copy = Path(scratch) / f"made-{name}" / folder.name
            if not copy.exists():
                shutil.copytree(folder.parent, copy.parent)
                subprocess.run(["sh", "-c", project["make"]], cwd=copy, check=False, stderr=subprocess.DEVNULL)
            folder = copy
        out.append(folder)
    return out


def header_folders(folder):
    """Folders below that have headers, those of few levels first."""
    found = {up for p in [*folder.rglob("*.h"), *folder.rglob("*.inc")] for up in p.relative_to(folder).parents}
    found = {folder / up for up in found}
    return sorted(found, key=lambda p: (len(p.parts), str(p)))


def flags_of(crates, name, folder, scratch):
    project = PROJECTS[name]
    written = Path(scratch) / f"written-{name}"
    for header, text in project.get("write", {}).items():
        path = written / header
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for header, source in project.get("copy", {}).items():
        path = written / header
        path.parent.mkdir(parents=True, exist_ok=True)
        if (folder / source).exists():
            # What a configure script would fill in is left empty.
            path.write_text(re.sub(r"@\w+@", "", (folder / source).read_text()))
        elif not path.exists():
            path.write_text("")
    out = list(project.get("flags", []))
    if written.exists():
        for sub in [written, *sorted(p for p in written.rglob("*") if p.is_dir())]:
            out += ["-I", str(sub)]
    for sub in project.get("first", []):
        out += ["-I", str(folder / sub)]
    # A folder that is listed twice is searched last only.
    named = {folder / sub for sub in project.get("first", [])}
    for sub in header_folders(folder):
        if sub not in named:
            out += ["-idirafter", str(sub)]
    for other in project.get("others", []):
        for root in prepared(crates, other, scratch):
            out += ["-idirafter", str(root), "-idirafter", str(root / "include")]
    return out


def judge(job):
    """Preprocesses one file; what the compiler says if it rejects it."""
    source, target, flags = job
    verdict = target.with_suffix(".why")
    if verdict.exists():
        return verdict.read_text() or None
    why = rejected(source, target, flags)
    verdict.write_text(why or "")
    return why


def rejected(source, target, flags):
    """The compiler's first complaint, if it has any."""
    syntax = [f for f in flags if f.startswith(("-std", "-m", "-f"))]
    for command in (
        ["cc", "-E", "-w", *flags, str(source), "-o", str(target)],
        ["cc", "-w", "-fsyntax-only", *syntax, str(target)],
    ):
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if "error:" in line]
            return lines[0] if lines else "rejected"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crates")
    parser.add_argument("projects", nargs="*")
    parser.add_argument("--keep", help="leave what is made in this folder, and use what is there")
    parser.add_argument("--table", help="write the table to this file")
    parser.add_argument("--verbose", action="store_true", help="name every file that is not counted")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="look at every Nth file only")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tool", help="the built example `parse_rate`")
    options = parser.parse_args()
    tool = options.tool
    if not tool:
        subprocess.run(["cargo", "build", "--release", "-q", "-p", "front-c", "--example", "parse_rate"], cwd=HERE, check=True)
        target = os.environ.get("CARGO_TARGET_DIR", str(HERE / "target"))
        tool = f"{target}/release/examples/parse_rate"
    scratch = options.keep or tempfile.mkdtemp(prefix="parse-rate-")
    os.makedirs(scratch, exist_ok=True)
    names = options.projects or list(PROJECTS)
    rows = []
    for name in names:
        jobs, origin = [], {}
        for folder in prepared(options.crates, name, scratch):
            flags = flags_of(options.crates, name, folder, scratch)
            for source in sorted(folder.rglob("*.c"))[:: options.every]:
                target = Path(scratch) / f"i-{name}" / f"{len(jobs)}.i"
                target.parent.mkdir(exist_ok=True)
                jobs.append((source, target, flags))
                origin[str(target)] = str(source.relative_to(folder))
        if not jobs:
            print(f"{name}: not there", file=sys.stderr)
            continue
        with ThreadPoolExecutor(options.jobs) as pool:
            verdicts = list(pool.map(judge, jobs))
        not_counted = [(j[0], v) for j, v in zip(jobs, verdicts) if v]
        if options.verbose:
            for source, why in not_counted:
                print(f"{name}: not counted: {source}: {why}", file=sys.stderr)
        listed = "".join(f"{j[1]}\n" for j, v in zip(jobs, verdicts) if not v)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        run = subprocess.run([tool], input=listed, capture_output=True, text=True, errors="replace")
        cpu = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        sys.stderr.write(run.stderr)
        row = dict(name=name, rejected=len(not_counted), units=0, clean=0, functions=0, lost=0, lines=0, cpu=cpu, slowest=0, crashes=0)
        for line in run.stdout.splitlines():
            path, _, lines, functions, lost, parse, skeleton, lower, remark = line.split("\t")
            row["units"] += 1
            row["clean"] += lost == "0"
            row["functions"] += int(functions)
            row["lost"] += int(lost)
            row["lines"] += int(lines)
            row["slowest"] = max(row["slowest"], *(int(ms or 0) for ms in (parse, skeleton, lower)))
            row["crashes"] += "crash" in remark
            if remark:
                print(f"{name}: {origin[path]}: {lost} lost: {remark}", file=sys.stderr)
        counted = sum(1 for v in verdicts if not v)
        if row["units"] < counted:
            print(f"{name}: the tool stopped after {row['units']} of {counted} units", file=sys.stderr)
            row["crashes"] += 1
            row["units"] = counted
        rows.append(row)
        print(f"{name}: {row['clean']} of {row['units']} units", file=sys.stderr, flush=True)
        if not options.keep:
            shutil.rmtree(Path(scratch) / f"i-{name}", ignore_errors=True)
    total = dict(name="all", slowest=max((r["slowest"] for r in rows), default=0))
    for key in ("rejected", "cpu", "units", "clean", "functions", "lost", "lines", "crashes"):
        total[key] = sum(r[key] for r in rows)
    table = (
        "| project | units | read whole | functions | unknown | lines, preprocessed | CPU, s | slowest unit, s | crashes | not counted |\n"
        "|---|---|---|---|---|---|---|---|---|---|\n"
    )
    for r in [*rows, total]:
        rate = 100 * r["clean"] / r["units"] if r["units"] else 0
        table += (
            f"| {r['name']} | {r['units']} | {r['clean']} ({rate:.1f} %) | {r['functions']} | {r['lost']} | {r['lines']:,} "
            f"| {r['cpu']:.1f} | {r['slowest'] / 1000:.1f} | {r['crashes']} | {r['rejected']} |\n"
        )
    print(table, end="")
    if options.table:
        Path(options.table).write_text(table)
    if not options.keep:
        shutil.rmtree(scratch, ignore_errors=True)
    sys.exit(0 if total["units"] and total["clean"] >= 0.99 * total["units"] and not total["crashes"] else 1)


if __name__ == "__main__":
    main()
