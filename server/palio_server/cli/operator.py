"""Who sits at this command line, for the audit."""

import getpass
import socket

from palio_db.audit_values import Actor


def command_line() -> Actor:
    """The user of the operating system, and the machine."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container may run under a number that has no name
        user = "unknown user"
    return Actor(f"command line ({user})", None, socket.gethostname())
