# Plug-ins for the MPI libraries that are there (mpi_plugin.c): each is compiled by its library's own compiler and
# loaded only in programs that its launcher has started. Without one, nvm is the same but for that.
target_link_libraries(nvm_vm_ranks PUBLIC ${CMAKE_DL_LIBS})
set(mpi_flags -std=gnu11 -O2 -g1 -Wall -Wextra -Werror -Wno-stringop-overflow -fPIC -shared) # MPICH's "no statuses" is no array
if(NVM_REPRODUCIBLE)
  list(APPEND mpi_flags "-ffile-prefix-map=${CMAKE_SOURCE_DIR}=." "-ffile-prefix-map=${CMAKE_BINARY_DIR}=build")
endif()
set(NVM_MPI_PLUGINS "")
foreach(mpi openmpi mpich)
  find_program(NVM_MPICC_${mpi} mpicc.${mpi})
  if(NOT NVM_MPICC_${mpi} OR NVM_FUZZ)
    list(APPEND mpi_missing "lib${mpi}-dev")
    continue()
  endif()
  set(plugin "${CMAKE_BINARY_DIR}/libnvm_mpi-${mpi}.so")
  add_custom_command(OUTPUT "${plugin}"
    COMMAND "${NVM_MPICC_${mpi}}" ${mpi_flags} -o "${plugin}" "${CMAKE_SOURCE_DIR}/vm/ranks/mpi_plugin.c"
    DEPENDS "${CMAKE_SOURCE_DIR}/vm/ranks/mpi_plugin.c" "${CMAKE_SOURCE_DIR}/vm/ranks/mpi_plugin.h" VERBATIM)
  list(APPEND NVM_MPI_PLUGINS "${plugin}")
endforeach()
if(mpi_missing)
  list(JOIN mpi_missing " " mpi_missing)
  message(STATUS "No plug-in for several machines with MPI without ${mpi_missing} (docs/machines.md)")
endif()
add_custom_target(nvm_mpi ALL DEPENDS ${NVM_MPI_PLUGINS})
set(NVM_MPI_PLUGINS "${NVM_MPI_PLUGINS}" PARENT_SCOPE) # install.cmake
