"""What `anabranch experiments` does for each study: its figures are measured, drawn and printed."""
