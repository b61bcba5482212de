# Integer programs (linear.cpp). Debian has lp_solve as an archive only, of which the one for shared libraries serves
# both of ours; it orders columns by COLAMD.
find_path(NVM_LPSOLVE_INCLUDE lpsolve/lp_lib.h REQUIRED)
find_library(NVM_LPSOLVE_LIBRARY NAMES lpsolve55_pic lpsolve55 REQUIRED)
find_library(NVM_COLAMD_LIBRARY colamd REQUIRED)
target_include_directories(nvm_bytecode_plan SYSTEM PRIVATE "${NVM_LPSOLVE_INCLUDE}")
target_link_libraries(nvm_bytecode_plan PRIVATE "${NVM_LPSOLVE_LIBRARY}" "${NVM_COLAMD_LIBRARY}" ${CMAKE_DL_LIBS})
