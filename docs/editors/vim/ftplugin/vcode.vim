" VCODE: comments in braces; :make verifies the file.
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring={%s} comments=
compiler nvm
let b:undo_ftplugin = "setlocal commentstring< comments<"
