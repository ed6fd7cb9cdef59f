// SOS x SEP y EOS: y is even if x ends with the letter with which it begins.
#alphabet SOS SEP EOS a b even odd
first_a = exists ("a" && #[i-1..i] "SOS" >= 1)
last_a = #[i-1..i] "a" >= 1    // read at SEP
equal = first_a <=> last_a
output "even" = "SEP" && equal
output "odd" = "SEP" && !equal
output "EOS" = "even" || "odd"
