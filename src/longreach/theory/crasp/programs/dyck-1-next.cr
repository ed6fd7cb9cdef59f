// What may follow within balanced brackets: one may close where one is open, and end where none is.
#alphabet ( ) EOS
C_open = # "("
C_close = # ")"
alive = # (C_open < C_close) == 0
output "(" = alive
output ")" = alive && C_open > C_close
output "EOS" = alive && C_open == C_close
