// 1*
#alphabet 0 1
D = # "0" == 0
