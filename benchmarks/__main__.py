"""`python -m benchmarks`: measures in a checkout; a line a measurement."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence

from benchmarks import NoRedis, bench, live, search
from tutor.book.load import load
from tutor.paths import CONTENT


def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    library = load(CONTENT)
    if library.problems:
        raise SystemExit("\n".join(map(str, library.problems)))
    results: Mapping[str, float | str]
    if args.what == "search":
        results = search(library, args.games)
    elif args.what == "live":
        try:
            results = live(library, args.followers, args.tables, args.store, args.beats)
        except NoRedis as missing:
            raise SystemExit(str(missing)) from None
    else:
        results = bench(library, args.seconds)
    if args.json:
        print(json.dumps(results, indent=2))
    else:
        for name, value in results.items():
            print(f"{name:<48} {value:>12}" if isinstance(value, str) else f"{name:<48} {value:>12,.2f}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure engines and pages, as ratios within one run."
    )
    parser.add_argument("what", nargs="?", choices=("all", "search", "live"), default="all")
    parser.add_argument("--seconds", type=float, default=3.0, help="per measurement")
    parser.add_argument("--games", type=int, default=1000, help="so many made-up games for `search`")
    parser.add_argument("--followers", type=int, default=1000, help="of all live tables, for `live`")
    parser.add_argument("--tables", type=int, default=1, help="live tables, for `live`")
    parser.add_argument("--beats", type=int, default=0, help="at each table, for `live`; default: up to 20")
    parser.add_argument("--store", choices=("sqlite", "redis"), default="sqlite", help="of `live`")
    parser.add_argument("--json", action="store_true")
    return parser


if __name__ == "__main__":
    sys.exit(main())
