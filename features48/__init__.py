"""The 48 feature planes of Extended Data Table 2 (Silver et al. 2016), and a 49th for the value network.

| group           | planes | up to | meaning                                                               |
|-----------------|--------|-------|-----------------------------------------------------------------------|
| stone_color     | 3      | 3     | own stone, opponent's stone, empty point                              |
| ones            | 1      | 4     | one everywhere                                                        |
| turns_since     | 8      | 12    | how many turns ago the stone was played                               |
| liberties       | 8      | 20    | liberties of the chain                                                |
| capture_size    | 8      | 28    | how many stones a move here would capture                             |
| self_atari_size | 8      | 36    | own stones that a move here would leave in atari                      |
| liberties_after | 8      | 44    | liberties of the chain after a move here                              |
| ladder_capture  | 1      | 45    | a move here captures in a ladder                                      |
| ladder_escape   | 1      | 46    | a move here escapes from a ladder                                     |
| sensibleness    | 1      | 47    | a move here is legal and fills no own eye                             |
| zeros           | 1      | 48    | zero everywhere                                                       |
| color           | 1      | 49    | one everywhere if black is to move: for the value network only        |

Example:

>>> from features48 import SUBSETS, encode, plane_names
>>> from go import Position
>>> planes = encode(Position(9).play("E5"))
>>> names = plane_names(SUBSETS[48])
>>> [f"{name}: {plane.sum()}" for name, plane in zip(names, planes, strict=True) if plane.any()][:4]
["opponent's stones: 1", 'empty points: 80', 'ones: 81', 'turns since 1: 1']

Where to start reading:

- what there is: `groups` (the registry, and the subsets of Extended Data Table 3);
- how it is computed: `planes` (a kernel for each group), `effects` (what each move would do), `go.ladders`;
- how it is used: `encoder` (batches of a game store, and boards with their histories);
- to look at it: `sheet` draws all planes of a position, `heat_maps` are for players; `show` and `census` are commands.

To add a group, write its kernel in `planes` and add one line to `groups`. `docs/features.md` lists every choice that
the paper leaves open.
"""

from features48.encoder import Encoder, encode, encode_batch
from features48.groups import GROUPS, SUBSETS, plane_names

__all__ = ["GROUPS", "SUBSETS", "Encoder", "encode", "encode_batch", "plane_names"]
