"""What can be wrong with a tuning file, or with what is to be tuned."""


class TuneError(ValueError):
    """One line that says what is wrong and what is valid.

    is_input: whether what was given is wrong, not what was measured.
    """

    def __init__(self, message: str, *, is_input: bool = True) -> None:
        super().__init__(message)
        self.is_input = is_input
