// 0*1*0*1*: no 1 … 0 … 1 … 0 in this order.
#alphabet 0 1
S_1 = exists "1"
S_10 = exists ("0" && S_1)
S_101 = exists ("1" && S_10)
D = # ("0" && S_101) == 0
