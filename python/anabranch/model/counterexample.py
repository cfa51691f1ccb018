"""A broadcast that lemma 2 of paper A says there cannot be."""

from __future__ import annotations

from typing import ClassVar

from anabranch import _core as core

Move = tuple[int, int, str]  # from, to, block


class AmongThemselves:
    """Off line, for arrivals at T/4, 2T/4, ..: everybody leaves at arrival + T without the root.

    The message is four blocks, and time comes in slots of T/4. Process j gets blocks in the order
    j + (0, 2, 1, 3), modulo 4. In each slot those of ages 0 to 3 pass one block each around the
    ring 0 -> 3 -> 1 -> 2 -> 0. The newest has nothing, and forwards what it is receiving. The root
    feeds one block a slot to the first four and leaves; at the end the last but one stays for one
    slot more, to hand the last block to the last.
    """

    # Slot: (src, dst, block). Afterwards 4 has d, 3 has c and a, 2 lacks c, as in all later slots.
    START: ClassVar[dict[int, list[Move]]] = {
        1: [(0, 1, "a")],
        2: [(0, 1, "b"), (1, 2, "a")],
        3: [(0, 3, "c"), (3, 1, "c"), (1, 2, "b")],
        4: [(0, 4, "d"), (4, 1, "d"), (1, 2, "d"), (2, 3, "a")],
    }

    def __init__(self, receivers: int) -> None:
        self.last = receivers
        self.leaves = {j: j + 4 for j in range(receivers)} | {0: 5}
        self.leaves |= {receivers: receivers + 4, receivers - 1: receivers + 4}
        self.slots = dict(self.START)
        # What the one of age 1, 2 has, in order; that of age 3 has all but the second of age 2.
        (has_1,), (early_2, late_2) = "d", "ac"
        for slot in range(5, receivers + 4):
            (rest,) = set("abcd") - {has_1, early_2, late_2}
            new, one, two, three = (slot - age for age in range(4))
            if new <= receivers:
                moves = [(two, new, late_2), (new, three, late_2)]
            else:
                moves = [(two, three, late_2)]
            if one <= receivers:
                moves += [(three, one, rest), (one, two, has_1)]
            elif two <= receivers:
                moves += [(three, two, has_1)]
            self.slots[slot] = moves if two <= receivers else [(receivers - 1, receivers, late_2)]
            # That of age 2 will have has_1 as its third block, and lack `rest`.
            has_1, (early_2, late_2) = late_2, (has_1, rest)

    @staticmethod
    def slot(state: core.FluidState) -> int:
        return round(state.now * 4)

    def may_leave(self, state: core.FluidState, rank: int) -> bool:
        return self.slot(state) >= self.leaves[rank]

    def transfers(self, state: core.FluidState) -> list[tuple[int, int, float, float]]:
        blocks = {block: i / 4 for i, block in enumerate("abcd")}
        moves = self.slots.get(self.slot(state), [])
        return [(src, dst, blocks[b], blocks[b] + 0.25) for src, dst, b in moves]
