-- status: 2
-- prints: /etc/passwd:1: x
-- never: root:
-- An error that says where it is, under `check`, which underlines places.
-- command: check
scenario { ranks = 1 }
error("/etc/passwd:1: x", 0)
