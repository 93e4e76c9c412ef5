"""Prints the figures of the estimates' page. Takes two minutes, nearly all of them for the corpus' ideals."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from engine.estimating import MiniLM
from engine.estimating.extent import extent_of
from tests.estimating.corpus import Closest, asked, auc, ideals_apart, measured
from tests.estimating.pairs import Pair, pairs

_BANDS = ((0.0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 1.01))


def main() -> None:
    """The corpus, then the pairs, then both by closeness."""
    encoder = MiniLM()
    prompts = asked()
    found = measured(prompts, encoder)
    written = pairs(encoder)
    print(f"{len(found)} criteria of {len(prompts)} prompts in {len({each.file for each in prompts})} files")
    _corpus("all", found)
    _corpus("held out", [each for each in found if each.held_out])
    for where, apart in ideals_apart(prompts, encoder).items():
        print(f"ideals of two prompts, {where}: median {median(apart):.2f} of {len(apart)}")
    _pairs(written)
    _bands(found, written)
    encoder.close()


def _corpus(which: str, found: Sequence[Closest]) -> None:
    own, far = [each.own for each in found], [each.elsewhere for each in found]
    near = [each.same_file for each in found if each.same_file is not None]
    print(f"{which}: own ideal against one of another file {auc(own, far):.2f}, of the same file {auc(own, near):.2f}")
    repeated = [each.repeated for each in found]
    print(f"{which}: own ideal against the question repeated {auc(own, repeated):.2f}, median {median(repeated):.2f}")
    print(f"{which}: median own {median(own):.2f}, same file {median(near):.2f}, another file {median(far):.2f}")
    print(f"{which}: the mapping is off by {_error(found):.3f} on the mean")


def _error(found: Sequence[Closest]) -> float:
    """By how much the mapping misses the share of criteria beside their own ideal, in ten bands, by their weight."""
    right = [each.own for each in found]
    wrong = [each.elsewhere for each in found] + [each.same_file for each in found if each.same_file is not None]
    total = missed = 0.0
    for band in range(10):
        met, unmet = ([each for each in some if min(int(each * 10), 9) == band] for some in (right, wrong))
        weight = len(met) + len(unmet) / 2
        told = sum(extent_of(each, inverted=False) for each in met)
        told += sum(extent_of(each, inverted=False) for each in unmet) / 2
        total, missed = total + weight, missed + abs(len(met) - told)
    return missed / total


def _pairs(written: Sequence[Pair]) -> None:
    met, contradicted = [each.met for each in written], [each.contradicted for each in written]
    told = sum(each.told for each in written)
    print(
        f"{len(written)} pairs: met against contradicted {auc(met, contradicted):.2f}; the right one nearer in {told}"
    )
    print(f"median met {median(met):.2f}, contradicted {median(contradicted):.2f}")
    for kind in dict.fromkeys(each.kind for each in written):
        some = [each for each in written if each.kind == kind]
        print(f"  {kind}: the right one nearer in {sum(each.told for each in some)} of {len(some)}")


def _bands(found: Sequence[Closest], written: Sequence[Pair]) -> None:
    print("closeness  own  same  else  repeated  met  contradicted")
    for low, high in _BANDS:
        columns = (
            [each.own for each in found],
            [each.same_file for each in found if each.same_file is not None],
            [each.elsewhere for each in found],
            [each.repeated for each in found],
            [each.met for each in written],
            [each.contradicted for each in written],
        )
        shares = [sum(low <= each < high for each in column) / len(column) * 100 for column in columns]
        print(f"{low:.1f}–{min(high, 1):.1f}    " + "  ".join(f"{share:4.0f}" for share in shares))


main()
