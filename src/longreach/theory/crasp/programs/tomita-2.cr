// (10)*: after each 1 the ones are one ahead, after each 0 they are level.
#alphabet 0 1
ahead = # "1" - # "0"
right = ahead == (1 if "1" else 0)
D = # (!right) == 0 && ahead == 0
