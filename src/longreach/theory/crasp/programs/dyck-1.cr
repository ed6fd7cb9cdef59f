// Balanced brackets of one kind (Huang et al., C.1.2).
#alphabet ( )
C_open = # "("
C_close = # ")"
V = C_open < C_close     // a violation: more closed than opened
M = # V == 0             // never violated
B = C_open == C_close    // balanced
D = M && B
