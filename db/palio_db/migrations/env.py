"""Alembic's environment: migrations run on the connection and in the transaction of `palio_db.schema`."""

from alembic import context

from palio_db.models import Base
from palio_db.schema import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"], target_metadata=Base.metadata, version_table=VERSION_TABLE
)
context.run_migrations()
