"""Functions with loops and recursions that are compiled as a whole, and what they are called with."""
import math

CASES = []
FACTOR = 3


def case(*calls):
    def add(f):
        CASES.append((f, calls))
        return f

    return add


@case((7, 2), (-7, 2), (7, -2), (-7, -2), (0, 5))
def quotients(a, b):
    found = []
    for k in range(-3, 4):
        if k != 0:
            found.append((a * k) // b)
            found.append((a * k) % b)
    return found


@case((10,), (0,), (1,))
def ranges(n):
    total = 0
    for i in range(n, -n, -3):
        for j in range(i, n, 2):
            total = total * 3 + i * j
    return total


@case(([5, 1, 4, 2, 3],), ([],), ([1],))
def bubble_sort(v):
    a = [x for x in v]
    n = len(a)
    while n > 1:
        swapped = False
        for i in range(n - 1):
            if a[i] > a[i + 1]:
                a[i], a[i + 1] = a[i + 1], a[i]
                swapped = True
        if not swapped:
            break
        n -= 1
    return a


@case((97,), (91,), (2,), (1,))
def first_factor(n):
    for d in range(2, n):
        if d * d > n:
            break
        if n % d:
            continue
        return d
    else:
        return -1
    return n


@case((3, 4), (12, 18), (0, 5))
def common_divisor(a, b):
    while b:
        a, b = b, a % b
    return a


@case((0,), (1,), (12,))
def int_then_float(n):
    x = 1
    for k in range(n):
        x = x / 2 if k % 3 == 0 else x * 3
    return x


@case((30,), (2,))
def sieve(n):
    flags = [True] * (n + 1)
    for i in range(2, n + 1):
        if flags[i]:
            for j in range(i * i, n + 1, i):
                flags[j] = False
    return [i for i in range(2, n + 1) if flags[i]]


@case((4,), (1,), (0,))
def table(n):
    m = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            m[i][-j - 1] = i * FACTOR - j
    return m


@case((2, 3), (0, 0), (1, 4))
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@case(([3, 1, 2, 3, 9, 4],), ([],), ([1],))
def merge_sort(v):
    if len(v) < 2:
        return [x for x in v]
    h = len(v) // 2
    a, b = [merge_sort(part) for part in [v[:h], v[h:]]]
    i, j, out = 0, 0, []
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    return out + a[i:] + b[j:]


@case(([[1, 2], [], [3, 4, 5]],), ([],), ([[]],))
def nested_lists(m):
    out = []
    for row in m:
        total = 0
        for k, x in enumerate(row):
            if x == 4:
                break
            total += k * x
        else:
            total += 100
        out.append((len(row), total))
    return out


@case((0.3, 0.5), (2.0, 2.0), (-1.0, 0.0))
def escape(cx, cy):
    x, y, n = 0.0, 0.0, 0
    while x * x + y * y <= 4.0 and n < 100:
        x, y, n = x * x - y * y + cx, 2.0 * x * y + cy, n + 1
    return n


@case((2.0,), (1e-3,), (1e6,))
def square_root(a):
    def better(g):
        return (g + a / g) / 2

    g, before = a, 0.0
    while abs(g - before) > 1e-12 * g:
        before, g = g, better(g)
    return g, math.sqrt(a), math.floor(g), int(-g)


@case((5, [1, 2, 3]), (3, [3]), (9, []))
def search(x, v):
    place = -1
    for i, y in enumerate(v):
        if y == x:
            place = i
            break
    there = x in v or x == 9
    return place, there and place != 0, min(place, 3), max(2, x, place)


@case((62,), (63,), (64,), (70,))
def wraps(n):
    x = 1
    for _ in range(n):
        x = x * 2
    return x - 1


@case((3, 2), (0, 2), (5, 0))
def loops_in_loops(n, m):
    found = 0
    for i in range(n):
        j = 0
        while True:
            if j >= m:
                break
            j += 1
            if (i + j) % 2:
                continue
            if i * j > 5:
                return -found
            found += 10 * i + j
        found += 1000
    return found


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


@case((10,), (7,), (300,))
def parity(n):
    return is_even(n), is_odd(n)


@case(([4, -2, 7],), ([1],))
def shadows(v):
    x, total = 100, 0
    for x in v:
        total += sum([x * y for y in v if y != x])
    squares = [x * x for x in v]
    return x, total, squares


@case((10**12, 3), (10, -4), (5, 1))
def first_places(n, step):
    total = 0
    for i in range(0, n if step > 0 else -n, step):
        total += i
        if i * i > 50:
            break
    return total
