"""Finding the student whom another system names: by ID, email, login, name. Nothing is guessed."""

import re
import unicodedata
from collections.abc import Iterable

from palio_db.course_values import StudentRow
from palio_rules.errors import quoted
from palio_server.courses.bulk_layouts import Person


class NoMatch(ValueError):
    """No student of the roster, or more than one, is meant; the message says which."""


class RosterIndex:
    """The students of a roster by what other systems call them."""

    def __init__(self, students: Iterable[StudentRow]) -> None:
        self._by: dict[str, dict[str, set[str]]] = {"id": {}, "email": {}, "login": {}, "name": {}}
        for row in students:
            if row.forgotten_at is not None:
                continue
            self._add("id", row.id, row.id)
            self._add("email", row.email, row.id)
            self._add("login", row.email.partition("@")[0], row.id)
            for form in _forms(row.name):
                self._add("name", form, row.id)

    def find(self, person: Person) -> str:
        """Return the ID of the student. Raises NoMatch for a stranger, or if several could be meant."""
        asked = (
            ("id", [_key(person.id)]),
            ("email", [_key(person.email)]),
            ("login", [_key(person.login), _key(person.id)]),
            ("name", sorted(_forms(person.name))),
        )
        matches: set[str] = set()
        for kind, keys in asked:
            found = set().union(*(self._by[kind].get(key, set()) for key in keys if key))
            if found and matches and not found & matches:  # an ID that is another student's name
                matches |= found
                break
            matches = (found & matches or found) or matches
        if len(matches) == 1:
            return next(iter(matches))
        if matches:
            names = ", ".join(sorted(matches))
            raise NoMatch(f"{quoted(str(person))} could be any of {names}; hand it in for the right one by --as")
        raise NoMatch(f"nobody on the roster is {quoted(str(person))}; add the student, or hand it in by --as")

    def _add(self, kind: str, text: str, id_: str) -> None:
        if key := text if kind == "name" else _key(text):
            self._by[kind].setdefault(key, set()).add(id_)


def _key(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip().casefold()


def _forms(name: str) -> set[str]:
    """Return a name as systems write it: words in any order, and Canvas' form without anything between them."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    words = [word for word in re.split(r"[\W_]+", plain) if word]
    if not words:
        return set()
    squeezed = {"".join(words), "".join([*words[-1:], *words[:-1]])}
    return {" ".join(sorted(words)), *(f"={each}" for each in squeezed)}
