// More a than b, and no b comes first.
#alphabet a b
more = # "a" > # "b"
first = # ("b" && # "a" == 0) == 0
L = more && first
