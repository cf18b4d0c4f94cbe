"""Faults of the world around a load, through the real command: it is killed, its servers die, its disk is full, its
connections break, its files change, another load is at work. Each load ends in the state of one undisturbed run.

commands    the program in processes of its own, killed where a test wants it
tunnel      a TCP proxy that cuts, stalls and refuses
mortal      servers that are killed and started again on the same data
truths      releases with their truth known, and how a store is held against it

A sample of each runs with all tests, and more in `make test-all` (`slow`). Long repetitions run by `pytest tests/faults
-m soak`.
"""
