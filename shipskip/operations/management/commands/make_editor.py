"""`make_editor`: an account for the editors' desk, in the group Publishers."""

from getpass import getpass

from django.contrib.auth.models import Group, User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from shipskip.roles import PUBLISHERS


class Command(BaseCommand):
    """Ask for a name and a password, and create a publisher."""

    help = "Asks for a name and a password and makes an account that may write and publish."

    def handle(self, **options: object) -> None:
        """Ask until name and password are valid; Ctrl-C or the end of input creates no account."""
        try:
            name = self._name()
            password = self._password(User(username=name))
        except (EOFError, KeyboardInterrupt):
            raise CommandError("No account was made.") from None
        editor = User.objects.create_user(name, password=password, is_staff=True)
        editor.groups.add(Group.objects.get(name=PUBLISHERS))
        self.stdout.write(f"{name} may now write and publish.")

    def _name(self) -> str:
        while True:
            name = input("Name: ").strip()
            try:
                User(username=name, password="unset").clean_fields(exclude=["password"])  # noqa: S106
            except ValidationError as fault:
                self.stderr.write(" ".join(fault.message_dict.get("username", fault.messages)))
                continue
            if User.objects.filter(username__iexact=name).exists():
                self.stderr.write(f"An account called {name} already exists.")
                continue
            return name

    def _password(self, user: User) -> str:
        while True:
            password = getpass("Password: ")
            try:
                validate_password(password, user)
            except ValidationError as fault:
                self.stderr.write(" ".join(fault.messages))
                continue
            if getpass("Again: ") == password:
                return password
            self.stderr.write("The two passwords differ. Try again.")
