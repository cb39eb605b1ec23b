scenario "two ranks"
