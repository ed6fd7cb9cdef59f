// aⁿbⁿcⁿ: every a before every b and c, every b before every c, equal counts (Huang et al., C.1.3).
#alphabet a b c
C_a = # "a"
C_b = # "b"
C_c = # "c"
late_a = # ("a" && C_b + C_c > 0)
late_b = # ("b" && C_c > 0)
G = late_a == 0 && late_b == 0 && C_a == C_b && C_b == C_c
