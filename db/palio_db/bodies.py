"""The packed form of records, setups and analyses: JSON in zlib's format, with a dictionary that all of them share.

A record is small and repeats the names of its fields, which the dictionary holds: it takes an eighth of its JSON. JSON
begins with a bracket, a packed body with zlib's first byte, so both can be in one column; tables before 0013 have JSON
only. The header of a packed body names its dictionary by its checksum (RFC 1950).
"""

import zlib

LEVEL = 6
LONGEST = 256 * 2**20  # bytes that a body is unpacked to, at most; a record's limit is 64 MiB
MARK = b"\x78"  # zlib's first byte for windows of 32 KiB

# The last bytes are the cheapest to refer to. Never change it: bodies could no longer be read. Add another one instead.
DICTIONARY = (
    b'"analysis","verdicts":["win","loss"],"values":[null,null],"distance":null,"best":"","mark":null},{"ply":,"seat":0,'
    b'"move":"","complete":true,"format":"palio-analysis-1"}"confined":["",""],"time_factor":,"absent":[],"void":'
    b'"finishes":[{"cost":,"termination":"rule","reason":"solved"},{"cost":null,"termination":"illegal","time","crashed",'
    b'"stalled","disconnected","resigned","adjudicated","revoked","ply-cap","reason":"no-moves","detail":"'
    b'{"ply":0,"seat":0,"move":"","code":"illegal-move","reason":""}],"tokens_in":,"tokens_out":,"cost":,"latency_ms":'
    b'"text":"","digest":"","counters":[{"bot":"","games":1,"wins":1,"draws":0,"losses":0,"points":1.0,"illegal_moves":0,'
    b'"time_losses":0,"think_ms":0,"plies":0,"asked_plies":0,"tokens_in":0,"tokens_out":0,"cost_nano":0,"latency_ms":0,'
    b'"form":"W"}],"record":'
    b'{"match":"0","setup":{"game":"breakthrough","end_of_the_track","dominoes","chexers","rush_hour","tsp","chess",'
    b'"bots":["random","greedy","alpha_beta","mcts","champion"],"options":{"rows":8,"cols":8},"seed":0,"opening":[[],[]],'
    b'"time":{"base_ms":10000,"increment_ms":100,"move_ms":null,"margin_ms":200},"strikes":3,"max_plies":1000,'
    b'"grace_ms":30000,"ready_ms":30000,"stall_ms":60000,"by_time":false,"position":"","rated":true,'
    b'"adjudication":{"draw":null,"resign":null}},"plies":[],"result":{"termination":"rule","reason":"far-row",'
    b'"scores":[1.0,0.0],"seat":null,"detail":"","finishes":[]},"started_at":"2026-11-20T21:00:00.000000Z",'
    b'"finished_at":"2026-11-20T21:00:05.000000Z","refusals":[],"event":"","confined":[],"format":"palio-record-1"}'
    b'{"seat":0,"move":[[6,3],[5,3]],"ms":0,"info":{"depth":1,"nodes":1,"score":0.0,"pv":[""]},"out":null},'
    b'{"seat":1,"move":[[1,4],[2,4]],"ms":12,"info":{"depth":5,"nodes":1234,"score":-0.5,"pv":["a3b4","b6a5"]},"out":null},'
    b'{"seat":0,"move":[[6,4],[5,5]],"ms":10,"info":null,"out":null},{"seat":1,"move":[[1,2],[2,3]],"ms":20,"info":null,'
    b'"out":null},{"seat":0,"move":'
)


class BadBody(ValueError):
    """Bytes that are no packed body."""


def pack_body(data: bytes) -> bytes:
    """Return JSON in packed form."""
    packer = zlib.compressobj(LEVEL, zdict=DICTIONARY)
    return packer.compress(data) + packer.flush()


def unpack_body(data: bytes) -> bytes:
    """Return the JSON of a body, packed or not. Raises BadBody."""
    if data[:1] != MARK:
        return data
    unpacker = zlib.decompressobj(zdict=DICTIONARY)
    try:
        text = unpacker.decompress(data, LONGEST)
    except zlib.error as error:
        raise BadBody(f"it is damaged ({error})") from None
    if not unpacker.eof or unpacker.unused_data:
        raise BadBody("it is cut off, or too long")
    return text


def is_same(one: bytes | None, other: bytes | None) -> bool:
    """Return whether two bodies have the same JSON. Raises BadBody."""
    if one is None or other is None or one == other:
        return one == other
    return unpack_body(one) == unpack_body(other)
