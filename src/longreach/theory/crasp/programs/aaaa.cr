// (aaaa)* over {a}.
#alphabet a
D = i % 4 == 0
