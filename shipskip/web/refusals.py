"""A refused form: the error message for its sender, on a page or as text for a page's script."""

from django.http import HttpResponse


class RefusedError(Exception):
    """The form was refused and nothing was changed.

    The text is for the sender; `status` is the status of the response, and `retry_after` the
    seconds until another try may succeed, 0 where waiting does not help.
    """

    def __init__(self, message: str, status: int, retry_after: int = 0) -> None:
        super().__init__(message)
        self.status, self.retry_after = status, retry_after

    def text(self) -> HttpResponse:
        """The sentence as plain text, which the script of a page shows beside the form."""
        kind = "text/plain; charset=utf-8"
        return self.headed(HttpResponse(str(self), content_type=kind, status=self.status))

    def headed(self, response: HttpResponse) -> HttpResponse:
        """Add Retry-After to the response if another try may succeed later."""
        if self.retry_after:
            response["Retry-After"] = str(self.retry_after)
        return response
