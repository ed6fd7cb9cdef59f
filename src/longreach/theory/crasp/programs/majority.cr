// At least as many 1s as 0s; ties accept (Huang et al., C.1.1).
#alphabet 0 1
C_1 = # "1"
C_0 = # "0"
M = C_1 >= C_0
