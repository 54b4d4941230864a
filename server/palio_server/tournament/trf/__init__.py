"""TRF files: FIDE's format of tournament reports, which pairing programs read and write."""

from palio_server.tournament.trf.cells import TrfError, TrfFile, TrfPlayer
from palio_server.tournament.trf.events import Imported, ImportedBoard, imported, trf_of, write_trf
from palio_server.tournament.trf.reading import read_trf

__all__ = [
    "Imported",
    "ImportedBoard",
    "TrfError",
    "TrfFile",
    "TrfPlayer",
    "imported",
    "read_trf",
    "trf_of",
    "write_trf",
]
