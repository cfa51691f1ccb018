"""What is right and wrong with a set-up: MPI, launcher, library on every rank, network, and more.

    from anabranch import doctor
    for finding in doctor.examine(doctor.Situation(ranks=4)):
        print(finding.state, finding.what, finding.remedy)

`anabranch doctor` is the command for it. Each check is a file of `checks/`.
"""

from anabranch.doctor.checks import CHECKS, examine
from anabranch.doctor.findings import Finding, State
from anabranch.doctor.inspection import Inspected, Inspection
from anabranch.doctor.situation import Situation

__all__ = ["CHECKS", "Finding", "Inspected", "Inspection", "Situation", "State", "examine"]
