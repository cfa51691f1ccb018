"""How often a size is measured, on made-up times: the rule of the measuring program itself."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from anabranch.bench.statistics import median, median_interval

SOURCES = Path(__file__).resolve().parents[2] / "src"
# Arguments: the extent, the seconds that a repetition takes. Input: times of two algorithms.
PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include "bench/enough.hpp"
int main(int, char** argv) {
  using namespace anabranch::bench;
  const Extent extent{.minimum_repetitions = std::atoi(argv[1]),
                      .maximum_repetitions = std::atoi(argv[2]),
                      .extended_repetitions = std::atoi(argv[3]),
                      .precision = std::atof(argv[4]),
                      .tolerated_precision = std::atof(argv[5]),
                      .maximum_s = std::atof(argv[6])};
  const double each_s = std::atof(argv[7]);
  std::vector<std::vector<double>> times(2);
  std::string reason;
  int done = 0;
  double first = 0, second = 0;
  while (reason.empty() && std::scanf("%lf %lf", &first, &second) == 2) {
    times[0].push_back(first);
    times[1].push_back(second);
    ++done;
    reason = why_enough(extent, done, times, done * each_s);
  }
  std::printf("%d %s\\n", done, reason.c_str());
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory, run_command) -> Path:
    folder = tmp_path_factory.mktemp("enough")
    (folder / "enough.cpp").write_text(PROGRAM)
    command = ["g++", "-std=c++20", f"-I{SOURCES}", folder / "enough.cpp", "-o", folder / "enough"]
    done = run_command(command, timeout_s=120)
    assert done.returncode == 0, done.stderr
    return folder / "enough"


@pytest.fixture
def ended(program, tmp_path, run_command):
    """Returns the repetitions made, why it ended, and the widest interval at that point."""

    def run(times, *, repetitions=(6, 20, 300), precisions=(0.01, 0.1), seconds=1e9, each_s=1.0):
        (tmp_path / "times").write_text("\n".join(f"{a!r} {b!r}" for a, b in times))
        numbers = [*repetitions, *precisions, seconds, each_s]
        shell = ["sh", "-c", '"$@" <"$0"', tmp_path / "times", program]
        printed = run_command([*shell, *map(str, numbers)]).stdout.split()
        count = int(printed[0])
        widest = max(half_width([pair[which] for pair in times[:count]]) for which in (0, 1))
        return count, printed[1], widest

    return run


def half_width(values) -> float:
    interval = median_interval(values)
    return (interval.high - interval.low) / 2 / median(values)


def drawn(spread: float, count: int = 400) -> list[tuple[float, float]]:
    """The first algorithm always takes 1 s, the second between 1 s and 1 + spread."""
    chance = random.Random(7)
    return [(1.0, 1.0 + spread * chance.random()) for _ in range(count)]


def test_steady_times_end_by_precision(ended):
    assert ended(drawn(0.0)) == (6, "precision", 0.0)


def test_times_that_vary_a_little_end_at_the_usual_maximum(ended):
    count, reason, widest = ended(drawn(0.2))
    assert (count, reason) == (20, "repetitions")
    assert 0.01 < widest <= 0.1


@pytest.mark.parametrize("spread", [2.0, 5.0])
def test_times_that_vary_much_are_repeated_until_the_interval_is_narrow(ended, spread):
    count, reason, widest = ended(drawn(spread))
    assert 20 < count < 300
    assert reason == "repetitions"
    assert widest <= 0.1
    earlier = [second for _, second in drawn(spread)[: count - 1]]
    assert half_width(earlier) > 0.1  # not one repetition more than needed


def test_it_does_not_go_on_for_ever(ended):
    count, reason, widest = ended([(1.0, 1.0 if i % 2 else 9.0) for i in range(400)])
    assert (count, reason) == (300, "repetitions")
    assert widest > 0.1
    assert ended(drawn(5.0), repetitions=(6, 20, 0))[:2] == (20, "repetitions")


def test_the_time_for_a_size_ends_it(ended):
    assert ended(drawn(5.0), seconds=30, each_s=1.0)[:2] == (30, "seconds")
    assert ended(drawn(5.0), seconds=3, each_s=1.0)[:2] == (6, "seconds")  # the minimum is made
