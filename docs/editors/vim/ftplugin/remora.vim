" Remora: comments from ; on, names of letters, digits and signs; :make checks the file.
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring=;\ %s comments=:; lisp shiftwidth=2 expandtab
compiler nvm
let b:undo_ftplugin = "setlocal commentstring< comments< lisp< shiftwidth< expandtab"
