scenario { ranks = 1, params = { n = 0 }, matrix = { n = { 1, 2, 3 } } }

os.execute("sleep 0.2")
