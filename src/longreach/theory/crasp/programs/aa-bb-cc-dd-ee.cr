// aa*bb*cc*dd*ee*: all five letters occur, and none after a later one.
#alphabet a b c d e
A = exists "a"
B = exists "b"
C = exists "c"
D = exists "d"
E = exists "e"
late = "a" && (B || C || D || E) || "b" && (C || D || E) || "c" && (D || E) || "d" && E
L = # late == 0 && A && B && C && D && E
