// {a,b}*d{b,c}*: one d, no a after it, no c before it.
#alphabet a b c d
C_d = # "d"
misplaced = "a" && C_d > 0 || "c" && C_d == 0
L = C_d == 1 && # misplaced == 0
