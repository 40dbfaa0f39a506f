"""A refused form: the error message for its sender, and the status of the response."""

from django.http import HttpResponse


class RefusedError(Exception):
    """The form was refused and nothing was changed.

    The text is for the sender; `status` is the status of the response, and `retry_after` the
    seconds until another try may succeed, 0 where waiting does not help.
    """

    def __init__(self, message: str, status: int, retry_after: int = 0) -> None:
        super().__init__(message)
        self.status, self.retry_after = status, retry_after

    def headed(self, response: HttpResponse) -> HttpResponse:
        """Set the status, and Retry-After if another try may succeed later."""
        response.status_code = self.status
        if self.retry_after:
            response["Retry-After"] = str(self.retry_after)
        return response
