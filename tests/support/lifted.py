"""Programs with lifted functions, as the legacy compiler lowers nested recursion: split, skip and merge."""

# Lines of the subtraction and the multiplication where all instances go on.
MINUS, TIMES = 12, 14


def factorial(numbers, word="INT"):
    """The factorial of every number: INT, or FLOAT, which is stored in eight bytes however it is computed."""
    zero, one = ("0", "1") if word == "INT" else ("0.0", "1.0")
    return f"FUNC MAIN CONST {word} (" + " ".join(str(n) for n in numbers) + f""")
CONST INT {len(numbers)} MAKE_SEGDES CALL FACT RET
FUNC FACT
COPY 1 1 CONST {word} {zero} COPY 1 2 DIST {word} = {word}
COPY 1 1 LENGTHS COPY 1 1 B_TO_I COPY 1 3 +_REDUCE INT
COPY 1 1 CONST INT 0 = INT IF
  POP 5 0 CONST {word} ()
ELSE COPY 2 0 = INT IF
  POP 3 0 CONST {word} {one} CPOP 1 1 DIST {word} POP 1 1
ELSE COPY 1 0 CONST INT 0 = INT IF
  POP 3 0 COPY 1 1 CONST {word} {one} COPY 1 2 DIST {word}
  - {word}
  CPOP 1 1 CALL FACT
  * {word}
ELSE
  POP 2 0 NOT BOOL CONST INT 0 CONST INT 1 COPY 1 3 INDEX COPY 1 1 COPY 1 3 PACK INT
  COPY 1 4 COPY 1 2 COPY 1 5 COPY 1 3 BPERMUTE {word}
  COPY 1 0 CONST {word} {one} COPY 1 3 DIST {word} - {word} COPY 1 2 CALL FACT
  * {word}
  COPY 1 2 CONST {word} {one} COPY 1 6 DIST {word} COPY 1 3 COPY 1 7 DPERMUTE {word}
  POP 5 1
ENDIF ENDIF ENDIF RET
"""
