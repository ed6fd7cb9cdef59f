// SOS x SEP y EOS: y has as many a as x.
#alphabet SOS SEP EOS a b
answering = exists "SEP"
read = # ("a" && !answering)
written = # ("a" && answering)
output "a" = answering && !"EOS" && written < read
output "EOS" = answering && !"EOS" && written >= read
