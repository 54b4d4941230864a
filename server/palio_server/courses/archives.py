"""Archives that students upload: unpacked in memory, within limits that are checked before anything is unpacked."""

import io
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator

from palio_rules.errors import quoted
from palio_server.courses.submitted_names import MOST_ENTRIES, Files, Refused, archive_kind, environments, is_junk

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others may ask for gigabytes of memory
OVERHEAD = 64 * 1024  # bytes of a tar beside its files: headers, and two empty blocks
HEADER = 1536  # bytes of a tar for each file: header, padding
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError, OSError)


def unpack(name: str, data: bytes, most: int) -> Files:
    """Return the files in a zip, tar or tar.gz, junk left out; `most` bytes of all together. Raises Refused."""
    match archive_kind(data):
        case "zip":
            return list(_from_zip(name, data, most))
        case "gzip":
            return list(_from_tar(name, _gunzip(name, data, most), most))
        case "tar":
            return list(_from_tar(name, data, most))
        case None:
            raise Refused(f"{quoted(name)} is no archive; hand in a zip, or the files themselves")
        case kind:
            raise Refused(f"{quoted(name)} is a {kind} archive; hand in a zip, or the files themselves")


def zip_name(info: zipfile.ZipInfo) -> str:
    """Return an entry's name; without the flag for UTF-8, macOS writes UTF-8 nevertheless."""
    if not info.flag_bits & 0x800:
        try:
            return info.filename.encode("cp437").decode()
        except UnicodeError:
            pass
    return info.filename


def read_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> bytes:
    """Return an entry's content, of its declared size at most. Raises Refused."""
    mode = stat.S_IFMT(info.external_attr >> 16)
    if info.flag_bits & 0x1:
        raise Refused(f"{quoted(name)} is encrypted; hand it in without a password")
    if mode not in (0, stat.S_IFREG):
        raise Refused(f"{quoted(name)} is a {_sort(mode)}, no file; hand in the file itself")
    if info.compress_type not in METHODS:
        raise Refused(f"{quoted(name)} is packed by an unusual method; zip it with the system's own program")
    try:
        with archive.open(info) as file:
            return file.read(info.file_size + 1)  # a size that is a lie must not cost memory
    except _BROKEN:
        raise Refused(f"{quoted(name)} in the archive is damaged; zip it again") from None


def _from_zip(name: str, data: bytes, most: int) -> Iterator[tuple[str, bytes]]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _BROKEN:
        raise Refused(f"{quoted(name)} is no whole zip; zip the files again") from None
    with archive:
        entries = [(zip_name(info), info) for info in archive.infolist()]
        _check_count(name, len(entries))
        made = environments(each for each, _ in entries)
        wanted = [(each, info) for each, info in entries if not (is_junk(each) or each.startswith(made))]
        _check_size(name, sum(info.file_size for _, info in wanted), most)
        for each, info in wanted:
            if each.endswith("/"):
                _check_folder(each)
            else:
                yield each, read_entry(archive, info, each)


def _from_tar(name: str, data: bytes, most: int) -> Iterator[tuple[str, bytes]]:
    total = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            members = []
            for count, member in enumerate(archive, 1):
                _check_count(name, count)
                members.append(member)
            made = environments(member.name for member in members if member.isreg())
            for member in members:
                if is_junk(member.name) or f"{member.name}/".startswith(made):
                    continue
                if member.isdir():
                    _check_folder(member.name)
                    continue
                if not member.isreg() or member.issparse():
                    sort = "link" if member.issym() or member.islnk() else "device or another special file"
                    raise Refused(f"{quoted(member.name)} is a {sort}, no file; hand in the file itself")
                total += max(member.size, 0)
                _check_size(name, total, most)
                file = archive.extractfile(member)
                yield member.name, b"" if file is None else file.read()
    except (tarfile.TarError, RecursionError, OverflowError, MemoryError, *_BROKEN) as error:
        if isinstance(error, Refused):
            raise
        raise Refused(f"{quoted(name)} is no whole tar archive; pack the files again") from None


def _gunzip(name: str, data: bytes, most: int) -> bytes:
    limit = most + OVERHEAD + HEADER * MOST_ENTRIES
    reader = zlib.decompressobj(wbits=31)
    try:
        found = reader.decompress(data, limit)
    except zlib.error:
        raise Refused(f"{quoted(name)} is damaged; pack the files again") from None
    if reader.unconsumed_tail or len(found) >= limit:
        _check_size(name, limit, most)
    if not reader.eof:
        raise Refused(f"{quoted(name)} is cut off; pack the files again")
    return found


def _check_count(name: str, count: int) -> None:
    if count > MOST_ENTRIES:
        raise Refused(f"{quoted(name)} has more than {MOST_ENTRIES} files; hand in only those that are asked for")


def _check_size(name: str, size: int, most: int) -> None:
    if size > most:
        raise Refused(f"{quoted(name)} holds more than {most:,} bytes when it is unpacked, which is the limit")


def _check_folder(name: str) -> None:
    if ".." in name.replace("\\", "/").split("/") or name.startswith("/"):
        raise Refused(f"the folder {quoted(name)} leads out of the archive; hand in names below one folder")


def _sort(mode: int) -> str:
    return "link" if mode == stat.S_IFLNK else "folder" if mode == stat.S_IFDIR else "device"
