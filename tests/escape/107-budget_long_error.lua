-- Of a message that has no end the beginning is shown.
-- status: 4
-- prints: EEE... 209649664 bytes more
scenario { ranks = 1 }
error(("E"):rep(200 << 20), 0)
