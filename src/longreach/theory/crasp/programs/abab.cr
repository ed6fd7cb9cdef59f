// (abab)*: an a at every odd and a b at every even position, and a length that 4 divides.
#alphabet a b
right = "a" <=> i % 2 == 1
D = # !right == 0 && i % 4 == 0
