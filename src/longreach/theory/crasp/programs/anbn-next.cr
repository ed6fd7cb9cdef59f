// What may follow within aⁿbⁿ.
#alphabet a b EOS
C_a = # "a"
C_b = # "b"
alive = # ("a" && C_b > 0) + # (C_b > C_a) == 0
output "a" = alive && C_b == 0
output "b" = alive && C_b < C_a
output "EOS" = alive && C_a == C_b
