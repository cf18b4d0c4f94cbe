"""What the fork server of `full_home` loads before its first fork. Nothing else imports this module."""

from groundwork.language import parse
from tests.faults.late import import_late

import_late()
parse("Aspirin reduces fever.")
