scenario { ranks = 2 }
error({ code = 3, reason = "no link" })
