"""The base of all tables: names of constraints, and the types of columns."""

from datetime import datetime
from typing import Any, ClassVar

import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase

from palio_db.columns import UtcDateTime


class Base(DeclarativeBase):
    """The base of all models. Constraints have names, so that a later migration can find them on both databases."""

    metadata = sa.MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[type, Any]] = {
        datetime: UtcDateTime,
        bytes: sa.LargeBinary,
        str: sa.Text,
        float: sa.Double,
    }
