#!/usr/bin/env python3
"""No recursion whose depth a program decides, unless it asks for the stack that is left.

    recursion.py NVM LIST

Looks for cycles among the calls of the binary (direct ones; a cycle through a table of functions is not seen).
Functions that call nvm::check_stack() break a cycle. Every other one must be in LIST, a line each: a regular
expression that each function of the cycle matches, two blanks or more, and what bounds the depth.
"""

import collections
import pathlib
import re
import subprocess
import sys

HEAD = re.compile(r"^[0-9a-f]+ <(.+)>:$")
REFERENCE = re.compile(r"\s(call|jmp|lea|j[a-z]+)\s.*<([^>+]+)>")
PART = re.compile(r"\.(cold|constprop\.\d+|isra\.\d+|part\.\d+|lto_priv\.\d+)")
LIBRARY = re.compile(r"(void )?std::(_Rb_tree|__)")
CHECK = "_ZN3nvm15check_stack_endEm"


def call_graph(binary):
    """By function: the functions it mentions, parts that the compiler has split off counted as the whole."""
    words = ["objdump", "-d", "--no-show-raw-insn", "-j", ".text", binary]
    edges, function = collections.defaultdict(set), None
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, errors="replace") as dump:
        for line in dump.stdout:
            head = HEAD.match(line)
            if head:
                function = PART.sub("", head.group(1))
                edges[function].update()
                continue
            to = REFERENCE.search(line)
            if to is None or function is None:
                continue
            target = PART.sub("", to.group(2)).removesuffix("@plt")
            # Functions may share the code of an exception: to jump into another one's is no call.
            if to.group(1) != "call" and target != function and ".cold" in to.group(2):
                continue
            if target != function or to.group(1) == "call":
                edges[function].add(target)
    return edges


def cycles(edges):
    """Strongly connected components of more than one function, or of one that calls itself (Tarjan 1972)."""
    index, low, open_, stack, found = {}, {}, set(), [], []
    for root in list(edges):
        if root in index:
            continue
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        open_.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in edges:
                    continue
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    open_.add(target)
                    work.append((target, iter(edges[target])))
                    break
                if target in open_:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    component, stack[at:] = stack[at:], []
                    open_.difference_update(component)
                    if len(component) > 1 or node in edges[node]:
                        found.append(component)
    return found


def demangled(names):
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    return dict(zip(names, done.stdout.split("\n")))


def main():
    binary, listed = sys.argv[1:]
    known = [re.split(r"\s{2,}", line, maxsplit=1)[0] for line in pathlib.Path(listed).read_text(encoding="utf-8").splitlines()
             if line and not line.startswith("#")]
    edges = call_graph(binary)
    asking = {f for f, to in edges.items() if CHECK in to}
    if not asking:
        print("no function calls check_stack(): is this the nvm binary, with symbols?")
        return 77
    kept = {f: to - asking for f, to in edges.items() if f not in asking}
    found = cycles(kept)
    names = demangled([f for cycle in found for f in cycle])
    wrong = 0
    for cycle in found:
        texts = sorted(names[f] for f in cycle)
        # Trees of maps and sorting recur by halves; what else a template recurs by is ours.
        if not any("nvm::" in text for text in texts) or all(LIBRARY.match(text) for text in texts):
            continue
        missing = [text for text in texts if not any(re.search(pattern, text) for pattern in known)]
        if missing:
            wrong += 1
            print("recursion that neither calls check_stack() nor is listed:")
            for text in texts:
                print("   ", text)
    print(f"{len(found)} cycles, {wrong} not listed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
