"""A form that was refused: the sentence for its sender, on a page or for the script of one."""

from django.http import HttpResponse


class RefusedError(Exception):
    """What a form asked for was not done.

    The text is for the sender; `status` is that of the response, and `retry_after` the seconds
    until another try may succeed, 0 where waiting does not help.
    """

    def __init__(self, message: str, status: int, retry_after: int = 0) -> None:
        super().__init__(message)
        self.status, self.retry_after = status, retry_after

    def text(self) -> HttpResponse:
        """The sentence as plain text, which the script of a page shows beside the form."""
        kind = "text/plain; charset=utf-8"
        return self.headed(HttpResponse(str(self), content_type=kind, status=self.status))

    def headed(self, response: HttpResponse) -> HttpResponse:
        """The response, with Retry-After if another try may succeed later."""
        if self.retry_after:
            response["Retry-After"] = str(self.retry_after)
        return response
