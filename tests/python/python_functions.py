"""Functions of lists, numbers and rows, in Python's own words."""
import functools
import math

LISTS, NUMBERS, ROWS = [], [], []


def of_lists(f):
    LISTS.append(f)
    return f


def of_numbers(f):
    NUMBERS.append(f)
    return f


def of_rows(f):
    ROWS.append(f)
    return f


@of_lists
def doubled(v):
    r = []
    for x in v:
        r.append(x * 2)
    return r


@of_lists
def positive_ones(v):
    r = []
    for x in v:
        if x > 0:
            r.append(x)
    return r


@of_lists
def bubble_sort(v):
    a = [x for x in v]
    for i in range(len(a)):
        for j in range(len(a) - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = (a[j + 1], a[j])
    return a


@of_lists
def running_sums(v):
    r, t = ([], 0)
    for x in v:
        t += x
        r.append(t)
    return r


@of_lists
def merge_sort(v):
    if len(v) < 2:
        return v
    h = len(v) // 2
    a, b = (merge_sort(v[:h]), merge_sort(v[h:]))
    r = []
    i = 0
    j = 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            r.append(a[i])
            i += 1
        else:
            r.append(b[j])
            j += 1
    return r + a[i:] + b[j:]


@of_lists
def popped_from_the_end(v):
    a = list(v)
    t = 0
    while len(a) > 0:
        t = t * 3 + a.pop()
    return t


@of_lists
def popped_from_the_front(v):
    a = list(v)
    t = 0
    while a:
        t = t * 3 + a.pop(0)
    return t


@of_lists
def inserted_in_front(v):
    a = []
    for x in v:
        a.insert(0, x)
    return a


@of_lists
def inserted_before_the_last(v):
    a = [7]
    for x in v:
        a.insert(-1, x)
    return a


@of_lists
def extended(v):
    a = [1]
    a.extend(v)
    a.extend([5, 6])
    a += [9]
    return a


@of_lists
def counted(v):
    return (list(v).count(2), len(v))


@of_lists
def index_of_three(v):
    a = [x for x in v] + [3]
    return a.index(3)


@of_lists
def sorted_in_place(v):
    a = [x for x in v]
    a.sort(reverse=True)
    return a


@of_lists
def sorted_by_keys(v):
    return (sorted(v, key=lambda x: abs(x - 2)), sorted(v, reverse=True), sorted(v, key=lambda x: -x, reverse=True))


@of_lists
def extremes_by_key(v):
    return (min(v, key=lambda x: x * x % 7, default=5), max(v, key=lambda x: x * x % 7, default=5), max(v, default=0))


@of_lists
def membership(v):
    return (2 in v, 3 not in v)


@of_lists
def map_of_filter(v):
    return list(map(lambda x: x + 1, filter(lambda x: x > 0, v)))


@of_lists
def map_of_two(v):
    return list(map(lambda x, y: x * y, v, v[1:]))


@of_lists
def closures(v):
    k = len(v)

    def g(x):
        return x + k
    return ([g(x) for x in v], sorted(v, key=lambda x: (x - k) ** 2))


@of_lists
def slices(v):
    return (v[1:3], v[::-1], v[-2:], v[:-1], v[::2], v[5:1:-2], v[:len(v) // 2], v[len(v) // 2:])


@of_lists
def enumerated(v):
    return ([i * x for i, x in enumerate(v, 1)], [i for i, x in enumerate(v, len(v))])


@of_lists
def zipped(v):
    return [(a, b) for a, b in zip(v, [1, 2, 3])]


@of_lists
def folded(v):
    return functools.reduce(lambda a, b: a * 3 + b, v, 1)


@of_lists
def displays(v):
    return [*v, 0, *v[1:]]


@of_lists
def repeated(v):
    return (v[:2] * 3, [0] * len(v))


@of_lists
def products(v):
    n = len(v)
    m = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            m[i][j] = v[i] * v[j]
    return m


@of_lists
def sieve(v):
    n = len(v) + 3
    s = [True] * n
    for i in range(2, n):
        if s[i]:
            for j in range(i * i, n, i):
                s[j] = False
    return [i for i in range(2, n) if s[i]]


@of_lists
def common_subsequence(v):
    w = v[::-1]
    prev = [0] * (len(w) + 1)
    for x in v:
        cur = [0]
        for j in range(len(w)):
            if x == w[j]:
                cur.append(prev[j] + 1)
            else:
                cur.append(max(prev[j + 1], cur[j]))
        prev = cur
    return prev[len(w)]


@of_lists
def rising_stack(v):
    st = []
    for x in v:
        while len(st) > 0 and st[-1] < x:
            st.pop()
        st.append(x)
    return st


@of_lists
def smaller_ones(v):
    return [[y for y in v if y < x] for x in v]


@of_lists
def flattened(v):
    return sum([[x] * 2 for x in v], [])


@of_lists
def named_on_the_way(v):
    return [y for x in v if (y := (x * 2)) > 1]


@of_lists
def product_and_sum(v):
    return (math.prod(v), sum(v, 10))


@of_lists
def early_return(v):
    for i, x in enumerate(v):
        if x > 3:
            return i
    return -1


@of_lists
def break_and_continue(v):
    t = 0
    for x in v:
        if x < 0:
            continue
        if x > 5:
            break
        t += x
    return t


@of_lists
def branches(v):
    if len(v) == 0:
        return 0
    elif len(v) < 3:
        return v[0]
    else:
        return v[-1]


@of_lists
def distinct(v):
    r = []
    for x in v:
        if x not in r:
            r.append(x)
    return r


@of_lists
def pair(v):
    return (max([x * 2 for x in v], default=0), divmod(len(v), 2))


@of_lists
def list_or_list(v):
    return v if len(v) > 2 else [0]


@of_lists
def search(v):
    i = 0
    while i < len(v) and v[i] != 2:
        i += 1
    return i


@of_lists
def augmented(v):
    a = [x for x in v]
    for i in range(len(a)):
        a[i] *= 2
        a[i] -= i
    return a


@of_lists
def all_and_any(v):
    return (all([a <= b for a, b in zip(v, v[1:])]), any((x == 2 for x in v)))


@of_numbers
def powers(n):
    return (n ** 2, n ** 3, abs(n) ** 0.5, 2 ** abs(n))


@of_numbers
def digits(n):
    n = abs(n)
    r = []
    while n > 0:
        r.append(n % 10)
        n //= 10
    return r


@of_numbers
def common_divisor(n):
    a, b = (abs(n), 12)
    while b:
        a, b = (b, a % b)
    return a


@of_numbers
def divisors(n):
    return [d for d in range(1, abs(n) + 1) if n % d == 0]


@of_numbers
def fibonacci(n):
    a = [0, 1]
    for _ in range(abs(n)):
        a.append(a[-1] + a[-2])
    return a[-1]


@of_numbers
def logic(n):
    return (n > 0 and n % 2 == 0, n < 0 or n > 3, not n)


@of_numbers
def branches_in_branches(n):
    r = 0
    if n > 0:
        if n > 2:
            r = 1
        else:
            r = 2
        r *= 10
    elif n < -2:
        r = -5
    return r + n


@of_numbers
def ranges(n):
    return ([x for x in range(n)], [x for x in range(n, 0, -1)], [x for x in range(0, n, 2)])


@of_numbers
def functions_of_math(n):
    return (math.sqrt(abs(n)), math.log(abs(n) + 1, 2), math.floor(n / 2), math.degrees(n * 1.0), math.hypot(n, 3))


@of_rows
def scaled(r):
    return r * 2 + 1


@of_rows
def centred(r):
    return r - sum(r) / len(r)


@of_rows
def total(r):
    return sum(r) * 2


@of_rows
def signs_and_neighbours(r):
    return (-r, r > 1, r[1:] + r[:-1])


@of_rows
def with_its_first(r):
    return (r[0] + r, r[::-1] * r)


@of_rows
def as_a_list(r):
    return [x * 2 for x in r]


@of_rows
def element_of_squares(r):
    return (r * r)[1]


@of_rows
def built_in_functions(r):
    return (max(r), min(r), sum(r), len(r), sorted(r))


@of_rows
def even_ones(r):
    return r % 2 == 0
