// Σ*abΣ* over {a, b}: some b has an a before it. With two letters this needs no local relation.
#alphabet a b
L = exists ("b" && exists "a")
