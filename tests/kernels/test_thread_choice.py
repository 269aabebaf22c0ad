"""The number of threads follows what is fastest, on machines that are made up here."""

from collections.abc import Callable

from engine.kernels.cpu.thread_choice import ThreadChoice, counts_up_to


def run(choice: ThreadChoice, steps: int, duration: Callable[[int], float]) -> list[int]:
    """The counts of so many steps on a machine where a step takes ``duration(count)``."""
    counts = []
    for _ in range(steps):
        counts.append(choice.count)
        choice.took(duration(choice.count))
    return counts


def quiet(count: int) -> float:
    return 1 / count


def busy(count: int) -> float:
    """Each barrier waits for a thread that was put aside."""
    return 1.0 if count == 1 else 2.0 + count


def test_counts_are_powers_of_two_and_all() -> None:
    assert counts_up_to(1) == (1,)
    assert counts_up_to(2) == (1, 2)
    assert counts_up_to(6) == (1, 2, 4, 6)
    assert counts_up_to(8) == (1, 2, 4, 8)


def test_a_quiet_machine_keeps_all_threads_and_tries_ever_more_rarely() -> None:
    counts = run(ThreadChoice(4), 2000, quiet)
    assert counts[0] == 4
    assert counts.count(4) > 1960  # at most 20 trials of two steps
    assert set(counts[:100]) == {2, 4}


def test_load_is_answered_within_a_few_steps_and_its_end_within_some() -> None:
    choice = ThreadChoice(2)
    run(choice, 300, quiet)
    under_load = run(choice, 40, busy)
    assert set(under_load[8:]) - {1} == {2}
    assert under_load[8:].count(1) >= 30  # all but a trial
    after = run(choice, 300, quiet)
    assert after[-1] == 2


def test_one_thread_is_never_a_question() -> None:
    assert set(run(ThreadChoice(1), 100, quiet)) == {1}
