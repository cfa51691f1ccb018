"""The figures of the papers, measured or computed anew; `anabranch experiments` is the command."""
