#!/usr/bin/env python3
"""Shows that the oracle draws the whole language: each built-in name, each operation, each form.

  drawn.py BUILTINS.md [--count N]

A built-in name that no operation uses stands in NOT_DRAWN with the reason. Among the fixed programs, those that the tests
compare with nvm, each operation must occur, and each form of docs/language.md.
"""

import argparse
import re
import sys

from nesl_forms import BY_FORM
from nesl_library import FAILURES, OPERATIONS
from nesl_pipelines import Elementary
from nesl_shrink import walk
from oracle import Nesl, batch_bits

SECTIONS = {  # of builtins.md, that are not drawn as a whole
    "Output": "prints; the golden cases show what",
    "Files and streams": "reads and writes",
    "Processes and environment": "starts programs",
    "Plotting": "sends commands to a program; conformance_plot compares bytes",
}
NOT_DRAWN = {
    "rand": "random", "rand_seed": "random",
    "log": "quotient of logarithms, not exact", "expt": "the C library's power, not exact",
    "hash_table_factor": "a number that nobody needs", "hashtable": "a table's parts are not defined",
    "hash_float": "a hash", "hash_scalar": "a hash", "hash_vector": "a hash", "cheap_hash_vector": "a hash",
    "strip_after_point": "part of float_string",
    "abrev_string": "shortens for messages", "abrev_string_paren": "as abrev_string", "abrev_string_noparen": "as abrev_string",
    "vector_abrev_string": "as abrev_string", "trace_string_length": "as abrev_string", "trace_string_depth": "as abrev_string",
    "justify_text": "lays out text; the conformance cases have it", "justify_clip": "part of justify_text",
    "justify_shortcut": "part of justify_text", "justify_pad_word": "part of justify_text", "justify_fill_line": "part of justify_text",
    "chart": "what is drawn; unit tests and golden cases have it", "plot": "as chart", "plot_line": "as chart",
    "plot_points": "as chart", "plot_bars": "as chart", "plot_image": "as chart", "plot_histogram": "as chart",
    "overlay": "as chart", "titled": "as chart",
    "dictionary": "what make_dictionary gives", "segdes": "what make_segdes gives",
    "errcombine": "status of streams", "shell_check": "status of streams",
    "positive_int_string": "part of int_string", "vector_string": "part of string", "scalar_string": "part of string",
    "file_write_string_internal": "writes", "write_object_int2": "writes",
    "ks_subselect": "part of kth_smallest", "ks_pick_l_subset": "part of kth_smallest", "ks_pick_g_subset": "part of kth_smallest",
    "ks_done": "part of kth_smallest", "kth_smallest_internal": "part of kth_smallest",
    "name_internal": "part of name", "next_char": "part of a legacy program", "collect_pairs": "part of collect",
    "int_collect_pairs": "part of int_collect", "parse_int_recursive": "part of parse_int", "str_i": "part of parse_int",
    "parse_signed_int": "part of parse_int", "parse_fract_recursive": "part of parse_float", "char_map": "part of group_by_space",
    "insert_internal": "part of insert_table", "search_internal": "part of search_table", "fast_insert_internal": "part of fast_create_table",
    "map_rec": "part of map", "fpermute_hack": "elements where the flags are false are not defined",
}  # yapf: disable
FORMS = {  # of language.md: what shows one in a program's text
    "declaration": r"^function \w+\([^=]*\) : [^=]* \$", "definition without a type": r"^function \w+\([^:=]*\) =",
    "optional parameter": r"^function .* := .*\) :", "optional argument": r"^(?!function).*\bf\d+_\d+\(.*, x\d+ := ",
    "parameter pattern": r"^function \w+\(.*\(x\d+, ",
    "type variables": r":: \(a in any\)", "record": r"^datatype \w+ \(", "record of any types": r"^datatype \w+\(a, b\) ::",
    "record pattern": r"rec\d+\([^()]*\) (in|=) ", "top-level binding": r"^x\d+ =$", "top-level pattern": r"^\(x\d+, .* =$",
    "apply-to-each": r"\{[^*].* : x\d+ in ", "without an expression": r"\{x\d+ in ", "with names only": r": x\d+[};]",
    "one after the other": r"\{\* ", "with a condition": r" \| ", "several generators": r" in [^:|{}]*; x\d+ in ",
    "pattern in a generator": r": \(x\d+, .*\) in ", "if": r"\(if ", "let": r"\(let ", "let pattern": r"\(x\d+, x\d+\) = ",
    "lambda": r"\(x\d+ => ", "lambda of two": r"\(\(x\d+, x\d+\) => ", "let function": r"x\d+ = \(x\d+ => ",
    "functions in a pair": r"= \(\(.* => .*\), \(?", "function in a sequence": r"dist\(\(.* => .*\), 2\)\[1\]",
    "function of a function": r"\bf\d+_\d+\([^()]*\)\(", "quoted name": r"'\+", "closure": r"closure\(", "time": r"time\(",
    "empty sequence": r"\(\[\] ", "string": '"\\w', "escape": r'"[^"\n]*\\n', "character": r"`a", "range": r"\[[^\]\n]* : ", "stride": r"\[[^\]\n]* : [^\]\n]* : ",
    "element": r"o_v\[", "several elements": r"o_v -> ", "write": r"o_v <- ", "power": r" \^ ", "concatenation": r" \+\+ ", "pad": r" \|\| ",
    "length": r"#", "text": r"@", "negative": r"\(-[\[(a-z]",
}  # yapf: disable


def builtins(path):
    """[(section, name)]"""
    section, out = None, []
    for line in open(path, encoding="utf-8"):
        if line.startswith("## "):
            section = line[3:].strip()
        found = re.match(r"\| `(.*?)` \|", line)
        if found and section:
            name = found[1].replace("\\", "")
            out.append((section, re.match(r"\w+|[^\w(]+", name)[0]))
    return out


def used():
    """The names in forms of operations."""
    text = " ".join([f for ops in BY_FORM.values() for f in [ops[0].form]] + [o.form for o in OPERATIONS] + [f[0] for f in FAILURES])
    text += " map " + " ".join(Elementary.NAMES)
    return set(re.findall(r"\w+", text)) | set(re.findall(r"[^\w\s()$,]+", text))


def programs(count):
    for seed in range(1, count + 1):
        language = Nesl(batch_bits((seed - 1) // 100))
        case = language.draw(seed)
        yield case.program, language.text(case)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("builtins")
    parser.add_argument("--count", type=int, default=2000)
    options = parser.parse_args()
    sys.setrecursionlimit(20000)
    names, known = used(), [n for s, n in builtins(options.builtins) if not any(s.startswith(x) for x in SECTIONS)]
    wrong = [f"no operation uses {n}: a row of nesl_everyday.py, or a reason in NOT_DRAWN" for n in known if n not in names | set(NOT_DRAWN)]
    wrong += [f"{n} of NOT_DRAWN is {'drawn' if n in names else 'no built-in name'}" for n in NOT_DRAWN if n in names or n not in known]
    operations, forms = set(), set()
    for program, text in programs(options.count):
        for root in [program.body] + [f.body for f in program.functions if f.body]:
            operations.update(n.data[0].form for n in walk(root) if n.kind == "op")
        forms.update(f for f in FORMS if f not in forms and re.search(FORMS[f], text, re.M))
    wrong += [f"not among {options.count} programs: {o.form}" for o in OPERATIONS if o.form not in operations]
    wrong += [f"not among {options.count} programs: {f}" for f in FORMS if f not in forms]
    print("\n".join(wrong))
    print(f"{len(known)} names, {len(OPERATIONS)} operations, {len(FORMS)} forms, {len(wrong)} not drawn")
    return 1 if wrong or not known else 0


if __name__ == "__main__":
    sys.exit(main())
