" nvm check as compiler. neslvm is the name that no shell function hides.
if exists("current_compiler")
  finish
endif
let current_compiler = "nvm"
CompilerSet makeprg=neslvm\ check\ %:S
CompilerSet errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %trror%m,%f:%l:%c:\ %tarning:\ %m,%f:%l:%c:\ %tote:\ %m,%-G%.%#
