"""What can be wrong with a tuning file, or with what is to be tuned."""


class TuneError(ValueError):
    """One line that says what is wrong and what is valid."""
