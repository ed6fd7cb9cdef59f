// (aa)* over {a}: the length is even (Huang et al., C.2.3).
#alphabet a
D = i % 2 == 0
