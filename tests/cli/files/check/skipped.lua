scenario { ranks = 2 }
barrier()
skip("no need")
