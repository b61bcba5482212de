# run(<command> ...): in `folder` if that is set; fails if the command does, and leaves what it printed in `text`.
function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${folder}" RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "${command}: ${status}\n${text}")
  endif()
  set(text "${text}" PARENT_SCOPE)
endfunction()
