// What may follow within balanced brackets of two kinds that need not nest: each kind is counted alone.
#alphabet ( ) [ ] EOS
round = # "(" - # ")"
square = # "[" - # "]"
alive = # (round < 0 || square < 0) == 0
output "(" = alive
output ")" = alive && round > 0
output "[" = alive
output "]" = alive && square > 0
output "EOS" = alive && round == 0 && square == 0
