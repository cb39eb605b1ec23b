scenario {
  ranks = "two",
}
print(rnk)
