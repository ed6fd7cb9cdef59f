// No 000.
#alphabet 0 1
zeros = #[i-2..i] "0" == 3
D = # zeros == 0
