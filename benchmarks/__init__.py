"""Speed and memory, measured on this machine: `python -m benchmarks [name ...]`.

Figures that compare two things measure both in one run, in turns, and print the ratio of medians:
absolute times depend on the machine, ratios mostly don't.
"""
