scenario {
    params = { gpus = 8 },
    matrix = { gpus = { 8, 16, 99 } },
    needs = { gpus = 64 },
}
