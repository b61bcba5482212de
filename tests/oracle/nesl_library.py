"""The operations that random NESL programs are made of: NESL text, types, and what they mean in Python.

OPERATIONS has one row for each: (form, operand types, result type, code[, class of the variable a]).

- `form` is NESL with $0, $1 for the operands, each once, outside of the form's own variables. Forms guard what may fail, so that programs succeed.
- Types are written in NESL; `a` and `b` are type variables. Classes: any, number, ordinal (int and float only: the
  identities of char are no characters), logical, printable (no float within).
- `code` is a Python expression in which {0}, {1} are the operands, {line} the line, and the names those of
  nesl_meaning.py; or one for each type of `a`: {"int": code, "float": code}.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Operation:
  form: str
  operands: tuple
  result: object
  code: object
  klass: str = "any"

  @property
  def form_parts(self):
    """The texts between operands, and which operand stands behind each."""
    return re.split(r"\$\d", self.form), [int(d) for d in re.findall(r"\$(\d)", self.form)]

  def code_for(self, instance):
    return self.code if isinstance(self.code, str) else self.code[instance["a"]]


def parse_type(text):
  """The type that NESL text like "[(int, [a])]" denotes."""
  tokens = re.findall(r"\w+|[\[\](),]", text)

  def tight():
    t = tokens.pop(0)
    if t == "[":
      inner = loose()
      assert tokens.pop(0) == "]"
      return ("seq", inner)
    if t == "(":
      inner = loose()
      assert tokens.pop(0) == ")"
      return inner
    return ("var", t, "any") if t in ("a", "b") else t

  def loose():
    first = tight()
    if tokens and tokens[0] == ",":
      tokens.pop(0)
      return ("pair", first, loose())
    return first

  return loose()


def row(form, operands, result, code, klass="any"):
  types = [parse_type(t) for t in operands.split()] if operands else []
  return Operation(form, tuple(types), parse_type(result.replace("_", " ")), code, klass)


def infix(name, operands, result, code, klass="any"):
  return row(f"($0 {name} $1)", operands, result, code, klass)


def call(name, operands, result, code, klass="any"):
  n = len(operands.split())
  return row(name + "(" + ", ".join(f"${i}" for i in range(n)) + ")", operands, result, code, klass)


def both(i, f):
  return {"int": i, "float": f}


def logic(i, b):
  return {"int": i, "bool": b}


def fold(kind, name):
  """{kind of fold}_{operation} of each type."""
  return {t: f"{kind}_{t}_{name}({{0}})" for t in ("int", "float", "bool")}


SCALARS = [
    infix("+", "a a", "a", both("wrap({0} + {1})", "({0} + {1})"), "number"),
    infix("-", "a a", "a", both("wrap({0} - {1})", "({0} - {1})"), "number"),
    infix("*", "a a", "a", both("wrap({0} * {1})", "({0} * {1})"), "number"),
    row("($0 / max(1, abs($1)))", "int int", "int", "quotient({0}, max(1, int_abs({1})))"),
    row("rem($0, max(1, abs($1)))", "int int", "int", "remainder({0}, max(1, int_abs({1})))"),
    row("mod($0, max(1, abs($1)))", "int int", "int", "modulo({0}, max(1, int_abs({1})))"),
    row("mod($0, (-7))", "int", "int", "modulo({0}, -7)"),
    row("rem($0, 10)", "int", "int", "remainder({0}, 10)"),
    row("(let o_d = $1 in $0 / select(o_d == 0.0, 1.5, o_d))", "float float", "float", "fdiv({0}, {1})"),
    call("div_internal", "float float", "float", "divide({0}, {1})"),
    row("(-$0)", "a", "a", both("wrap(-{0})", "(0.0 - {0})"), "number"),
    infix("==", "a a", "bool", "({0} == {1})", "ordinal"),
    infix("/=", "a a", "bool", "({0} != {1})", "ordinal"),
    infix("<", "a a", "bool", "({0} < {1})", "ordinal"),
    infix(">", "a a", "bool", "({0} > {1})", "ordinal"),
    infix("<=", "a a", "bool", "({0} <= {1})", "ordinal"),
    infix(">=", "a a", "bool", "({0} >= {1})", "ordinal"),
    infix("<", "char char", "bool", "({0} < {1})"),
    infix("==", "char char", "bool", "({0} == {1})"),
    call("plusp", "a", "bool", "({0} > 0)", "number"),
    call("minusp", "a", "bool", "({0} < 0)", "number"),
    call("zerop", "a", "bool", "({0} == 0)", "number"),
    call("oddp", "int", "bool", "(({0} & 1) == 1)"),
    call("evenp", "int", "bool", "(({0} & 1) == 0)"),
    call("not", "a", "a", logic("(~{0})", "(not {0})"), "logical"),
    infix("and", "a a", "a", "({0} & {1})", "logical"),
    infix("or", "a a", "a", "({0} | {1})", "logical"),
    infix("xor", "a a", "a", "({0} ^ {1})", "logical"),
    infix("nand", "a a", "a", logic("(~({0} & {1}))", "(not ({0} & {1}))"), "logical"),
    infix("nor", "a a", "a", logic("(~({0} | {1}))", "(not ({0} | {1}))"), "logical"),
    call("lshift", "int int", "int", "shift_left({0}, {1})"),
    call("rshift", "int int", "int", "shift_right({0}, {1})"),
    call("btoi", "bool", "int", "int({0})"),
    call("char_code", "char", "int", "{0}"),
    row("code_char(mod($0, 256))", "int", "char", "({0} % 256)"),
    call("float", "int", "float", "to_float({0})"),
    call("ceil", "float", "int", "of_float(ceil({0}))"),
    call("floor", "float", "int", "of_float(floor({0}))"),
    call("trunc", "float", "int", "of_float({0})"),
    row("(let o_x = $0 in select(abs(o_x) < 1.0e6, round(o_x), 7))", "float", "int", "round_small({0})"),
    row("sqrt(abs($0))", "float", "float", "square_root(float_abs({0}))"),
    row("isqrt(abs(rem($0, 1000000)))", "int", "int", "isqrt(abs(remainder({0}, 1000000)))"),
    call("abs", "a", "a", both("int_abs({0})", "float_abs({0})"), "number"),
    call("diff", "a a", "a", both("int_abs(wrap({0} - {1}))", "float_abs({0} - {1})"), "number"),
    call("max", "a a", "a", "larger({0}, {1})", "ordinal"),
    call("min", "a a", "a", "smaller({0}, {1})", "ordinal"),
    row("($0 ^ mod($1, 12))", "int int", "int", "wrap({0} ** ({1} % 12))"),
    row("gcd(mod($0, 1000), mod($1, 1000))", "int int", "int", "gcd({0} % 1000, {1} % 1000)"),
    call("zero", "a", "a", both("zero({0}, 0)", "zero({0}, 0.0)"), "number"),
    call("one", "a", "a", both("zero({0}, 1)", "zero({0}, 1.0)"), "number"),
    call("float_num", "a", "float", both("to_float({0})", "{0}"), "number"),
    call("digitp", "char", "bool", "(48 <= {0} <= 57)"),
    call("lowercase", "char", "char", "lowercase({0})"),
    call("uppercase", "char", "char", "uppercase({0})"),
    row("max_int", "", "int", "greatest"),
    row("min_int", "", "int", "least"),
    call("select", "bool a a", "a", "select({0}, {1}, {2})"),
    call("eql", "a a", "bool", "eql({0}, {1})"),
    call("identity", "a", "a", "identity({0})"),
    call("first", "(a,b)", "a", "{0}[0]"),
    call("rest", "(a,b)", "b", "{0}[1]"),
]

LET_V = "(let o_v = $0 in "
PAIRED = "(let (o_v, o_w) = ($0, $1); o_n = min(#o_v, #o_w); o_v = take(o_v, o_n); o_w = take(o_w, o_n) in "

SEQUENCES = [
    row("#$0", "[a]", "int", "len({0})"),
    call("length", "[a]", "int", "len({0})"),
    row("dist($0, mod($1, 7))", "a int", "[a]", "([{0}] * ({1} % 7))"),
    row("(let (o_v, o_i, o_e) = ($0, $1, $2) in if #o_v == 0 then o_e else o_v[mod(o_i, #o_v)])", "[a] int a", "a",
        "at({0}, {1}, {2})"),
    row("(let (o_v, o_i, o_e) = ($0, $1, $2) in if #o_v == 0 then o_v else rep(o_v, o_e, mod(o_i, #o_v)))", "[a] int a",
        "[a]", "rep({0}, {1}, {2})"),
    row("(let (o_v, o_i) = ($0, $1) in if #o_v == 0 then o_v else o_v -> {mod(o_x, #o_v) : o_x in o_i})", "[a] [int]", "[a]",
        "gather({0}, {1})"),
    row("(let (o_v, o_w) = ($0, $1) in if #o_v == 0 then o_v else o_v <- {(mod(o_i, #o_v), o_x) : (o_i, o_x) in o_w})",
        "[a] [(int,a)]", "[a]", "write({0}, {1})"),
    row(LET_V + "permute(o_v, rotate(index(#o_v), $1)))", "[a] int", "[a]", "rotate({0}, -{1})"),
    row(LET_V + "permute(o_v, reverse(index(#o_v))))", "[a]", "[a]", "{0}[::-1]"),
    row(PAIRED + "split(o_v, o_w))", "[a] [bool]", "[[a]]", "split({0}, {1})"),
    call("pack", "[(a,bool)]", "[a]", "[x for x, f in {0} if f]"),
    infix("++", "[a] [a]", "[a]", "({0} + {1})"),
    call("append", "[a] [a]", "[a]", "({0} + {1})"),
    call("flatten", "[[a]]", "[a]", "flatten({0})"),
    row("(let o_c = {mod(o_x, 4) : o_x in $1} in partition(dist($0, sum(o_c)), o_c))", "a [int]", "[[a]]",
        "[[{0}] * (x % 4) for x in {1}]"),
    row("(let o_v = $0; o_k = mod($1, 5); o_k = min(o_k, #o_v) in partition(o_v, [o_k, 0, #o_v - o_k]))", "[a] int",
        "[[a]]", "partition3({0}, {1} % 5)"),
    row(LET_V + "partition(o_v, dist(1, #o_v)))", "[a]", "[[a]]", "[[x] for x in {0}]"),
    row(PAIRED + "zip(o_v, o_w))", "[a] [b]", "[(a,b)]", "list(zip({0}, {1}))"),
    call("unzip", "[(a,b)]", "([a],[b])", "unzip({0})"),
    call("plus_scan", "[a]", "[a]", fold("scan", "plus"), "number"),
    call("mult_scan", "[a]", "[a]", fold("scan", "times"), "number"),
    call("max_scan", "[a]", "[a]", fold("scan", "max"), "ordinal"),
    call("min_scan", "[a]", "[a]", fold("scan", "min"), "ordinal"),
    call("and_scan", "[a]", "[a]", fold("scan", "and"), "logical"),
    call("or_scan", "[a]", "[a]", fold("scan", "or"), "logical"),
    call("xor_scan", "[a]", "[a]", fold("scan", "xor"), "logical"),
    call("sum", "[a]", "a", fold("reduce", "plus"), "number"),
    call("product", "[a]", "a", fold("reduce", "times"), "number"),
    call("max_val", "[a]", "a", fold("reduce", "max"), "ordinal"),
    call("min_val", "[a]", "a", fold("reduce", "min"), "ordinal"),
    call("all", "[a]", "a", fold("reduce", "and"), "logical"),
    call("any", "[a]", "a", fold("reduce", "or"), "logical"),
    call("parity", "[a]", "a", fold("reduce", "xor"), "logical"),
    row("index(mod($0, 9))", "int", "[int]", "list(range({0} % 9))"),
    row("(let (o_s, o_n) = (mod($0, 40) - 20, mod($1, 12)) in [o_s : o_s + o_n])", "int int", "[int]",
        "span({0} % 40 - 20, {1} % 12, 1)"),
    row("(let (o_s, o_n, o_d) = (mod($0, 40) - 20, mod($1, 12), 1 + mod($2, 4)) in [o_s : o_s + o_n : o_d])",
        "int int int", "[int]", "span({0} % 40 - 20, {1} % 12, 1 + {2} % 4)"),
    row("[max_int - mod($0, 5) : max_int]", "int", "[int]", "span(greatest - {0} % 5, {0} % 5, 1)"),
    row("[min_int : min_int + mod($0, 5) : max_int]", "int", "[int]", "span(least, {0} % 5, greatest)"),
    row("[min_int + mod($0, 5) : max_int : max_int - mod($1, 5)]", "int int", "[int]",
        "span(least + {0} % 5, greatest - least - {0} % 5, greatest - {1} % 5)"),
    row("(let o_s = $0; o_e = max(o_s, $1) in [o_s : o_e : max(max_int / 4, $2)])", "int int int", "[int]",
        "span({0}, larger({0}, {1}) - {0}, larger(greatest // 4, {2}))"),
    row("(let o_s = mod($0, 9) in iseq(o_s, 2, o_s + mod($1, 9)))", "int int", "[int]", "span({0} % 9, {1} % 9, 2)"),
    row("iseq1(mod($0, 9), mod($1, 9))", "int int", "[int]", "list(range({0} % 9, {1} % 9))"),
    row("iseqm1(mod($0, 9), mod($1, 9))", "int int", "[int]", "list(range({0} % 9, {1} % 9, -1))"),
    call("enumerate", "[bool]", "[int]", "enumerate_flags({0})"),
    call("count", "[bool]", "int", "sum({0})"),
    call("pack_index", "[bool]", "[int]", "[i for i, f in enumerate({0}) if f]"),
    call("max_index", "[a]", "int", "extreme_index({0}, max)", "ordinal"),
    call("min_index", "[a]", "int", "extreme_index({0}, min)", "ordinal"),
    call("rotate", "[a] int", "[a]", "rotate({0}, {1})"),
    call("reverse", "[a]", "[a]", "{0}[::-1]"),
    call("cons", "a [a]", "[a]", "([{0}] + {1})"),
    call("snoc", "[a] a", "[a]", "({0} + [{1}])"),
    call("vpair", "a a", "[a]", "[{0}, {1}]"),
    row("(let (o_v, o_s, o_e) = ($0, $1, $2); o_s = mod(o_s, #o_v + 1); o_e = o_s + mod(o_e, #o_v - o_s + 1) in "
        "subseq(o_v, o_s, o_e))", "[a] int int", "[a]", "subseq({0}, {1}, {2})"),
    row("(let (o_v, o_i) = ($0, $1) in drop(o_v, mod(o_i, #o_v + 1)))", "[a] int", "[a]", "drop({0}, {1})"),
    row("(let (o_v, o_i) = ($0, $1) in take(o_v, mod(o_i, #o_v + 1)))", "[a] int", "[a]", "take({0}, {1})"),
    row("(let (o_v, o_i) = ($0, $1) in drop(o_v, -mod(o_i, #o_v + 1)))", "[a] int", "[a]", "drop_last({0}, {1})"),
    row("(let (o_v, o_i) = ($0, $1) in take(o_v, -mod(o_i, #o_v + 1)))", "[a] int", "[a]", "take_last({0}, {1})"),
    call("previous", "[a] a", "[a]", "([{1}] + {0})[:-1]"),
    call("next", "[a] a", "[a]", "({0} + [{1}])[1:]"),
    call("odd_elts", "[a]", "[a]", "{0}[1::2]"),
    call("even_elts", "[a]", "[a]", "{0}[::2]"),
    row(PAIRED + "interleave(o_v, o_w))", "[a] [a]", "[a]", "interleave({0}, {1})"),
    row("(let (o_f, o_v) = ($0, $1); o_f = take(o_f, min(#o_f, #o_v)) in "
        "flag_merge(o_f, take(o_v, #o_f - count(o_f)), take(reverse(o_v), count(o_f))))", "[bool] [a]", "[a]",
        "flag_merge({0}, {1})"),
    row("(let (o_v, o_f) = ($0, $1); o_f = take(o_f, min(#o_f, #o_v)) in unpack(take(o_v, count(o_f)), o_f))",
        "[int] [bool]", "[int]", "unpack({0}, {1})"),
    row("(let (o_v, o_w) = ($0, $1) in join(o_v, [0 : #o_v], o_w, [#o_v : #o_v + #o_w]))", "[a] [a]", "[a]", "({0} + {1})"),
    row("(let o_n = #$0 in reduce((o_x, o_y) => o_x ++ o_y, [] int, {[0 : mod(o_i, 3)] : o_i in [0 : mod(o_n, 6)]}))",
        "[a]", "[int]", "[j for i in range(len({0}) % 6) for j in range(i % 3)]"),
    row("reduce((o_x, o_y) => o_x + o_y, 0, $0)", "[int]", "int", "reduce_int_plus({0})"),
    row("scan((o_x, o_y) => max(o_x, o_y), min_int, $0)", "[int]", "([int],int)",
        "(scan_int_max({0}), reduce_int_max({0}))"),
    row("map(o_x => (o_x, o_x), $0)", "[a]", "[(a,a)]", "[(x, x) for x in {0}]"),
    row("{o_x in $0 | eql(o_x, o_x)}", "[a]", "[a]", "[x for x in {0} if eql(x, x)]"),
    row("{#o_x : o_x in $0}", "[[a]]", "[int]", "[len(x) for x in {0}]"),
    row("{[o_x] : o_x in $0}", "[a]", "[[a]]", "[[x] for x in {0}]"),
]

NESTING = [
    call("bottop", "[a]", "[[a]]", "[{0}[:(len({0}) + 1) // 2], {0}[(len({0}) + 1) // 2:]]"),
    row("(let (o_v, o_e) = ($0, $1) in head_rest(if #o_v == 0 then [o_e] else o_v))", "[a] a", "(a,[a])",
        "(({0} or [{1}])[0], ({0} or [{1}])[1:])"),
    row("(let (o_v, o_e) = ($0, $1) in rest_tail(if #o_v == 0 then [o_e] else o_v))", "[a] a", "([a],a)",
        "(({0} or [{1}])[:-1], ({0} or [{1}])[-1])"),
    row("(let o_v = $0 in transpose([o_v, reverse(o_v), rotate(o_v, 1)]))", "[a]", "[[a]]",
        "[list(x) for x in zip({0}, {0}[::-1], rotate({0}, 1))]"),
    row("transpose({[o_x, o_x] : o_x in $0})", "[a]", "[[a]]", "[list({0}), list({0})] if {0} else []"),
    call("length_from_flags", "[bool]", "[int]", "[len(x) for x in groups({0}, {0})]"),
    row(PAIRED + "flag_partition([zero_elt(o_v)] ++ o_v, [t] ++ o_w))", "[int] [bool]", "[[int]]",
        "flag_partition({0}, {1})"),
    row(PAIRED + "group_by_separator_flags(o_v, o_w))", "[a] [bool]", "[[a]]", "runs({0}, {1}, False)"),
    row(PAIRED + "group_by_separator_flags_x(o_v, o_w))", "[a] [bool]", "[[a]]", "runs({0}, {1}, True)"),
    row("group_by($0, 1 + mod($1, 5))", "[a] int", "[[a]]", "group_by({0}, 1 + {1} % 5)"),
    call("split_index", "[bool]", "([int],[int])", "split_index({0})"),
]

SORTING = [
    call("rank", "[a]", "[int]", "rank({0})", "number"),
    call("rank_down", "[a]", "[int]", "rank({0}, True)", "number"),
    call("sort", "[a]", "[a]", "sort({0})", "number"),
    call("char_rank", "[char]", "[int]", "rank({0})"),
    row("(let (o_v, o_k, o_e) = ($0, $1, $2) in kth_smallest(o_v ++ [o_e], mod(o_k, #o_v + 1)))", "[a] int a", "a",
        "kth_smallest({0} + [{2}], {1})", "ordinal"),
    row("(let (o_v, o_e) = ($0, $1) in median(o_v ++ [o_e]))", "[a] a", "a",
        "kth_smallest({0} + [{1}], (len({0}) + 1) // 2)", "ordinal"),
    call("find", "a [a]", "int", "find({0}, {1})"),
    call("search_for_subseqs", "[a] [a]", "[int]", "search({0}, {1})"),
    call("name", "[a]", "[int]", "name({0})"),
    call("mark_duplicates", "[a]", "[bool]", "[i == n for i, n in enumerate(name({0}))]"),
    call("remove_duplicates", "[a]", "[a]", "remove_duplicates({0})"),
    call("union", "[a] [a]", "[a]", "remove_duplicates({0} + {1})"),
    row("intersection(remove_duplicates($0), remove_duplicates($1))", "[a] [a]", "[a]", "intersection({0}, {1}, True)"),
    row("set_difference($0, $1)", "[a] [a]", "[a]", "intersection({0}, {1}, False)"),
    call("collect", "[(a,b)]", "[(a,[b])]", "collect({0})"),
    call("int_collect", "[(int,b)]", "[(int,[b])]", "int_collect({0})"),
    call("histogram", "[a]", "[(a,int)]", "[(k, len(v)) for k, v in collect([(x, 0) for x in {0}])]"),
    row("(let (o_v, o_w) = ($0, $1) in search_table(o_v ++ o_w, create_table({(o_x, o_i) : o_x in [7] ++ remove_duplicates({o_x in o_v | o_x /= 7}); "
        "o_i in index(1 + #remove_duplicates({o_x in o_v | o_x /= 7}))})))",
        "[int] [int]", "[(int,bool)]", "search_table({0}, {1})"),
]

STRINGS = [
    call("bool_string", "bool", "[char]", "show({0}, 'bool')"),
    call("char_string", "char", "[char]", "show({0}, 'char')"),
    call("int_string", "int", "[char]", "show({0}, 'int')"),
    row("@$0", "a", "[char]", "show({0}, type_a)", "printable"),
    row("($0 || (mod($1, 25) - 12))", "[char] int", "[char]", "pad({0}, {1} % 25 - 12)"),
    row("wordify($0)", "[char]", "[[char]]", "words({0}, (32, 9, 10))"),
    call("linify", "[char]", "[[char]]", "lines({0})"),
    call("group_by_space", "[char] [char]", "[[char]]", "words({0}, {1})"),
    call("string_eql", "[char] [char]", "bool", "([lowercase(c) for c in {0}] == [lowercase(c) for c in {1}])"),
    row("parse_int(int_string($0))", "int", "(int,bool)", "({0}, True)"),
    row('first(parse_float(int_string(mod($0, 1000000007)) ++ "." ++ int_string(abs(rem($1, 1000000007)))))', "int int", "float",
        "parse_float({0} % 1000000007, abs(remainder({1}, 1000000007)), 0)"),
    row('(let (o_a, o_b, o_e) = ($0, $1, $2) in first(parse_float("-" ++ int_string(mod(o_a, 1000007)) ++ "." ++ int_string(mod(o_b, 1000000007)) '
        '++ "e" ++ int_string(rem(o_e, 330)))))', "int int int", "float",
        "-parse_float({0} % 1000007, {1} % 1000000007, remainder({2}, 330))"),
    row("{* wrap_o(o_x) : o_x in $0}".replace("wrap_o(o_x)", "(o_x, #[o_x])"), "[a]", "[(a,int)]", "[(x, 1) for x in {0}]"),
    row("{(parse_int(o_w)) : o_w in {[`-] ++ int_string(abs(rem(o_x, 100000))) : o_x in $0}}", "[int]", "[(int,bool)]",
        "[(-abs(remainder(x, 100000)), True) for x in {0}]"),
]

OPERATIONS = SCALARS + SEQUENCES + NESTING + SORTING + STRINGS

# What fails, and how: (form, operand types, result, kind of error). The operands are chosen so that it does.
FAILURES = [
    ("($0 / 0)", "int", "int", "division by zero"),
    ("rem($0, 0)", "int", "int", "division by zero"),
    ("mod($0, 0)", "int", "int", "Divide by zero in function MOD"),
    ("(let o_v = $0 in o_v[#o_v])", "[int]", "int", "index out of range"),
    ("(let o_v = $0 in o_v[-1])", "[float]", "float", "index out of range"),
    ("$0[7]", "[float]", "float", "index out of range"),
    ("[1.5][$0 + 4]", "int", "float", "index out of range"),
    ("rep([1, 2], 7, $0)", "int", "[int]", "index out of range"),
    ("sqrt(-1.0 - float($0))", "int", "float", "Sqrt of negative number"),
    ("ln(0.0 - float($0))", "int", "float", "Ln of negative number"),
    ("(1.0 / (float($0) - 3.0))", "int", "float", "Divide by zero"),
    ("($0 ^ (-1))", "int", "int", "The power must be nonnegative"),
    ("dist($0, -1)", "int", "[int]", "negative length"),
    ("index(-$0)", "int", "[int]", "Negative length in function INDEX"),
    ("(let o_v = $0 in subseq(o_v, 1, #o_v + 1))", "[int]", "[int]", "Bounds error for function SUBSEQ"),
    ("(let o_v = $0 in permute(o_v, {o_x + #o_v : o_x in [0 : #o_v]}))", "[int]", "[int]", "index out of range"),
    ("(let o_v = $0 in permute(o_v, [0]))", "[int]", "[int]", "Bad arguments to function PERMUTE"),
    ("(let o_v = $0 in interleave(o_v, [] int))", "[int]", "[int]", "Length mismatch for function INTERLEAVE"),
    ("transpose([$0, [1]])", "[int]", "[[int]]", "Lengths of subsequences are not equal in function TRANSPOSE"),
    ("check(f, \"no luck\", $0)", "int", "int", "no luck"),
    ("(let o_v = $0 in split(o_v, [t]))", "[int]", "[[int]]", "Length mismatch in function SPLIT"),
    ("(let o_v = $0 in {o_x + o_y : o_x in o_v; o_y in [0 : #o_v + 1]})", "[int]", "[int]", "Length mismatch in an apply-to-each"),
    ("(let o_v = $0 in zip(o_v, o_v ++ [1]))", "[int]", "[(int,int)]", "Length mismatch in function ZIP"),
    ("(let o_v = $0 in partition(o_v, [#o_v + 1]))", "[int]", "[[int]]", "Length mismatch in function PARTITION"),
    ("(let o_v = $0 in take(o_v, #o_v + 1))", "[int]", "[int]", "Bounds error for function TAKE"),
    ("(let o_v = $0 in drop(o_v, -(#o_v + 1)))", "[int]", "[int]", "Bounds error for function DROP"),
    ("(let o_v = $0 in o_v -> [#o_v])", "[int]", "[int]", "index out of range"),
    ("(let o_v = $0 in o_v <- [(#o_v, 1)])", "[int]", "[int]", "index out of range"),
    ("[$0 : 5 : 0]", "int", "[int]", "In [s:e"),
    ("(let o_i = $0 in [max_int : min_int])", "int", "[int]", "In [s:e"),
]
