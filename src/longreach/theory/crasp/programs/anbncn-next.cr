// What may follow within aⁿbⁿcⁿ.
#alphabet a b c EOS
C_a = # "a"
C_b = # "b"
C_c = # "c"
late = # ("a" && C_b + C_c > 0) + # ("b" && C_c > 0)
early = # (C_b > C_a) + # (C_c > 0 && C_b < C_a) + # (C_c > C_b)
alive = late == 0 && early == 0
output "a" = alive && C_b == 0
output "b" = alive && C_b < C_a
output "c" = alive && C_a > 0 && C_b == C_a && C_c < C_b
output "EOS" = alive && C_a == C_b && C_b == C_c
