// Σ*bbΣ* over {a, b}.
#alphabet a b
bb = #[i-1..i] "b" == 2
L = exists bb
