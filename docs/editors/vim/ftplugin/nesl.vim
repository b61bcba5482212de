" NESL: comments between two %, names of letters, digits and _; :make checks the file.
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring=%\ %s\ % comments= iskeyword=@,48-57,_ shiftwidth=2 expandtab
compiler nvm
let b:undo_ftplugin = "setlocal commentstring< comments< iskeyword< shiftwidth< expandtab"
