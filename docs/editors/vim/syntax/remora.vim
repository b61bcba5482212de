" Remora. The list between the marks is written by generate.py.
if exists("b:current_syntax")
  finish
endif
syn case match
syn iskeyword 33,35-38,42-43,45-58,60-64,65-90,94-95,97-122,126,@
syn keyword remoraType int float bool char Forall Pi Sigma Arr
" generated
syn keyword remoraBuiltin != !=. % * *. + +. - -. / /. < <. <= <=. = =. > >. >= >=. ^ ^. abs abs. all and any
syn keyword remoraBuiltin append arccos arcsin arctan base behead bit-and bit-not bit-or bit-xor bool->int
syn keyword remoraBuiltin bool= ceiling char->int char< char= cos count curtail div drop drop* equal exp
syn keyword remoraBuiltin exscan/zero filter flatten float->int floor fold fold-left fold-right fold/l fold/r
syn keyword remoraBuiltin gather grade grade. head index int->bool int->char int->float iota iota* iota1 iota2
syn keyword remoraBuiltin iscan iscan-init item itemize iterate last length ln max max. maximum maximum. min
syn keyword remoraBuiltin min. minimum minimum. mod neg neg. not open-scan-init open-scan/zero or pi product
syn keyword remoraBuiltin product. rank ravel reduce reduce-init reduce/zero replicate replicate* reverse
syn keyword remoraBuiltin rotate round scan scan-init scan/zero scatter scatter-into select shl shr sign sin
syn keyword remoraBuiltin size sort sort. sqrt subarray subvector sum sum. tail take take* tan trace
syn keyword remoraBuiltin trace-right transpose transpose2d truncate where with-shape xor
" end
syn match remoraForm "(\@1<=\%(array\|box\|boxes\|def\|define\|define-index\|define-type\|field\|fn\|frame\|i-app\|i-fn\|if\|lambda\|let\|lift\|over\|reify-dimension\|reify-shape\|reshape\|set\|t-app\|t-fn\|unbox\|view\)\ze[[:space:]()]"
syn match remoraNumber "\%(^\|[[:space:]()\[\]{}|]\)\@1<=-\=\%(\d\+\.\=\d*\|\.\d\+\)\%([eE][-+]\=\d\+\)\=\ze\%([[:space:]()\[\]{}|;]\|$\)"
syn match remoraBoolean "#\%(true\|false\|t\|f\)\ze\%([[:space:]()\[\]{}|;]\|$\)"
syn match remoraCharacter "#\\\%(space\|newline\|tab\|nul\|x\x\+\|.\)"
syn region remoraString start=+"+ skip=+\\.+ end=+"+
syn match remoraComment ";.*$"
syn region remoraComment start="#|" end="|#"
hi def link remoraForm Statement
hi def link remoraType Type
hi def link remoraBuiltin Function
hi def link remoraNumber Number
hi def link remoraBoolean Boolean
hi def link remoraCharacter Character
hi def link remoraString String
hi def link remoraComment Comment
let b:current_syntax = "remora"
