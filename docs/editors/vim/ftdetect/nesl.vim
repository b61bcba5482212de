au BufRead,BufNewFile *.nesl set filetype=nesl
au BufRead,BufNewFile *.vcode set filetype=vcode
au BufRead * if getline(1) =~# '^#!.*\<nvm\>' | set filetype=nesl | endif
