"""Faults during a load by the real command: the command is killed, its servers are killed, its disk is full, its
connections break, its files change, or another load runs. Each load ends in the same state as an undisturbed run.

commands    runs the program in separate processes, and kills it where a test wants
tunnel      a TCP proxy that cuts, stalls and refuses
mortal      servers that are killed and started again on the same data
truths      releases with known content, and the comparison of a store with that content

Quick samples run with all tests, and more in `make test-all` (`slow`). Long repetitions run by `pytest tests/faults
-m soak`.
"""
