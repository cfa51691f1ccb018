"""The program `anabranch`: an interrupt while it is being loaded ends it without a traceback."""

from __future__ import annotations

import signal


def main() -> None:
    is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_ours:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from anabranch.cli import main as command_line

    if is_ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command_line.main()


if __name__ == "__main__":
    main()
