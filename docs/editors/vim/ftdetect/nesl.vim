au BufRead,BufNewFile *.nesl set filetype=nesl
au BufRead,BufNewFile *.remora set filetype=remora
au BufRead,BufNewFile *.vcode set filetype=vcode
au BufRead * if getline(1) =~# '^#!.*\<n\(esl\)\=vm\>' | set filetype=nesl | endif
