" VCODE. The lists between the marks are written by generate.py.
if exists("b:current_syntax")
  finish
endif
syn case ignore
syn keyword vcodeType INT FLOAT BOOL CHAR SEGDES
syn keyword vcodeConstant T F STDIN STDOUT STDERR NULL_STREAM
syn match vcodeNumber "\%(^\|[[:space:](]\)\zs[-+]\=\d\+\%(\.\d*\%([eE][-+]\=\d\+\)\=\)\=\ze\%([[:space:])]\|$\)"
" generated
syn keyword vcodeInstruction ACOS AND AND_DPERMUTE AND_REDUCE AND_SCAN ASIN ATAN BFPERMUTE BPERMUTE B_TO_I
syn keyword vcodeInstruction CEIL CONST COPY COS COSH CPOP DFPERMUTE DIST DPERMUTE EXIT EXP EXTRACT FCLOSE
syn keyword vcodeInstruction FLOOR FOPEN FPERMUTE FREAD FREAD_CHAR FWRITE INDEX I_TO_B I_TO_F LENGTH LENGTHS
syn keyword vcodeInstruction LOG LSHIFT MAKE_SEGDES MAX_DPERMUTE MAX_REDUCE MAX_SCAN MIN_DPERMUTE MIN_REDUCE
syn keyword vcodeInstruction MIN_SCAN NOT OR OR_DPERMUTE OR_REDUCE OR_SCAN PACK PAIR PERMUTE POP RAND
syn keyword vcodeInstruction RANK_DOWN RANK_UP READ REPLACE ROUND RSHIFT SELECT SIN SINH SPAWN SQRT SRAND
syn keyword vcodeInstruction START_TIMER STOP_TIMER TAN TANH TRUNC UNPAIR WRITE XOR XOR_DPERMUTE XOR_REDUCE
syn keyword vcodeInstruction XOR_SCAN
syn match vcodeInstruction "\%(^\|\s\)\zs>\ze\%([[:space:](]\|$\)"
syn match vcodeInstruction "\%(^\|\s\)\zs=\ze\%([[:space:](]\|$\)"
syn match vcodeInstruction "\%(^\|\s\)\zs<\ze\%([[:space:](]\|$\)"
syn match vcodeInstruction "\%(^\|\s\)\zs\/\ze\%([[:space:](]\|$\)"
syn match vcodeInstruction "\%(^\|\s\)\zs-\ze\%([[:space:](]\|$\)"
syn match vcodeInstruction "\%(^\|\s\)\zs+\ze\%([[:space:](]\|$\)"
syn match vcodeInstruction "\%(^\|\s\)\zs\*\ze\%([[:space:](]\|$\)"
syn match vcodeInstruction "\%(^\|\s\)\zs%\ze\%([[:space:](]\|$\)"
syn match vcodeInstruction "\%(^\|\s\)\zs>=\ze\%([[:space:](]\|$\)"
syn match vcodeInstruction "\%(^\|\s\)\zs<=\ze\%([[:space:](]\|$\)"
syn match vcodeInstruction "\%(^\|\s\)\zs!=\ze\%([[:space:](]\|$\)"
syn match vcodeInstruction "\%(^\|\s\)\zs+_SCAN\ze\%([[:space:](]\|$\)"
syn match vcodeInstruction "\%(^\|\s\)\zs\*_SCAN\ze\%([[:space:](]\|$\)"
syn match vcodeInstruction "\%(^\|\s\)\zs+_REDUCE\ze\%([[:space:](]\|$\)"
syn match vcodeInstruction "\%(^\|\s\)\zs\*_REDUCE\ze\%([[:space:](]\|$\)"
syn match vcodeInstruction "\%(^\|\s\)\zs+_DPERMUTE\ze\%([[:space:](]\|$\)"
syn match vcodeInstruction "\%(^\|\s\)\zs\*_DPERMUTE\ze\%([[:space:](]\|$\)"
" end
syn match vcodeStatement "\%(^\|\s\)\zs\%(RET\|IF\|ELSE\|ENDIF\)\ze\%(\s\|$\)"
syn match vcodeName "\%(^\|\s\)\zs\%(FUNC\|CALL\)\s\+\S\+" contains=vcodeStatementWord
syn keyword vcodeStatementWord FUNC CALL contained
syn region vcodeString start=+"+ skip=+\\.+ end=+"+
syn region vcodeComment start="{" end="}"
hi def link vcodeStatement Statement
hi def link vcodeStatementWord Statement
hi def link vcodeName Identifier
hi def link vcodeInstruction Function
hi def link vcodeType Type
hi def link vcodeConstant Constant
hi def link vcodeNumber Number
hi def link vcodeString String
hi def link vcodeComment Comment
let b:current_syntax = "vcode"
