#!/usr/bin/env python3
"""Prints tests/vectors/oracles/sparse.txt: matrices as SciPy stores them.

    pip install scipy==1.17.1 numpy==2.4.6
    python3 tests/oracles/sparse.py > tests/vectors/oracles/sparse.txt

A matrix is a line of rows, columns and the dense numbers row by row, then what SciPy makes of it: data,
indices and pointers by rows, the same by columns, and data, rows and columns of a coordinate list.
"""

import numpy
import scipy.sparse

print("# printed by tests/oracles/sparse.py")


def line(name, numbers):
    print(name, *(int(number) for number in numbers))


random = numpy.random.default_rng(4)
for rows, columns, density in [
    (1, 1, 1.0), (4, 3, 0.0), (3, 5, 0.4), (6, 6, 0.3), (7, 2, 0.5),
    (2, 9, 0.6), (8, 8, 1.0), (12, 10, 0.1), (1, 30, 0.4), (25, 1, 0.3),
]:
    chosen = random.random((rows, columns)) < density
    dense = numpy.where(chosen, random.integers(1, 256, (rows, columns)), 0).astype(numpy.uint8)
    line("matrix", [rows, columns, *dense.flat])
    for kind in (scipy.sparse.csr_array, scipy.sparse.csc_array):
        stored = kind(dense)
        stored.sort_indices()
        line("data", stored.data)
        line("indices", stored.indices)
        line("pointers", stored.indptr)
    stored = scipy.sparse.coo_array(dense)
    line("data", stored.data)
    line("rows", stored.coords[0])
    line("columns", stored.coords[1])
