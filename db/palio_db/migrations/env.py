"""How alembic runs the migrations: on the connection, and within the transaction, that `palio_db.schema` gives it."""

from alembic import context

from palio_db.models import Base
from palio_db.schema import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"], target_metadata=Base.metadata, version_table=VERSION_TABLE
)
context.run_migrations()
