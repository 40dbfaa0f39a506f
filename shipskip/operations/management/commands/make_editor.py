"""`make_editor`: an account for the editors' desk, as a writer or a publisher."""

from getpass import getpass

from django.contrib.auth.models import Group, User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from shipskip.roles import PUBLISHERS, WRITERS

ROLES = {
    "writer": (WRITERS, "write drafts"),
    "publisher": (PUBLISHERS, "write and publish"),
}
"""Each role's group, and what it may do."""


class Command(BaseCommand):
    """Prompt for a name, a role and a password, and create the account."""

    help = "Asks for a name, a role (writer or publisher) and a password, and makes an account."

    def handle(self, **options: object) -> None:
        """Prompt until all answers are valid; after Ctrl-C or the end of input, create nothing."""
        try:
            name = self._name()
            group, rights = ROLES[self._role()]
            password = self._password(User(username=name))
        except (EOFError, KeyboardInterrupt):
            raise CommandError("No account was made.") from None
        editor = User.objects.create_user(name, password=password, is_staff=True)
        editor.groups.add(Group.objects.get(name=group))
        self.stdout.write(f"{name} may now {rights}.")

    def _name(self) -> str:
        while True:
            name = input("Name: ").strip()
            try:
                User(username=name, password="unset").clean_fields(exclude=["password"])  # noqa: S106
            except ValidationError as error:
                self.stderr.write(" ".join(error.message_dict.get("username", error.messages)))
                continue
            if User.objects.filter(username__iexact=name).exists():
                self.stderr.write(f"An account called {name} already exists.")
                continue
            return name

    def _role(self) -> str:
        """A key of ROLES; the first letter is enough, and Enter means writer, who can do less."""
        while True:
            given = input("Role, writer (drafts only) or publisher [writer]: ").strip().lower()
            for role in ROLES:
                if role.startswith(given or "writer"):
                    return role
            self.stderr.write("Answer writer or publisher.")

    def _password(self, user: User) -> str:
        while True:
            password = getpass("Password: ")
            try:
                validate_password(password, user)
            except ValidationError as error:
                self.stderr.write(" ".join(error.messages))
                continue
            if getpass("Again: ") == password:
                return password
            self.stderr.write("The two passwords differ. Try again.")
