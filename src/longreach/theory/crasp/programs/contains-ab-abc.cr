// Σ*abΣ* over {a, b, c}: with a third letter the a must be looked up one position back (Huang et al., 4.2).
#alphabet a b c
#import pred
P = #[pred] "a" >= 1
L = exists ("b" && P)
