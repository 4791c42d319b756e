# The scripts that set MPIs side by side, and a few rounds of endurance; the start of jobs in virtual time.
unit_scripts += tests/unit/benchmarks/scripts.py tests/unit/benchmarks/startup_scale.py
