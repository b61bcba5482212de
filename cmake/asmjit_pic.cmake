# Debian's libasmjit.a is built for executables: its one reference to data of another library, stderr, cannot stand in a
# shared library. Here that reference is pointed at a variable of our own (vm/cpu/code_memory.cpp), so that the archive
# can be part of libnvm.so. Sets NVM_ASMJIT_LIBRARY.
find_package(asmjit CONFIG REQUIRED)
get_target_property(archive asmjit::asmjit IMPORTED_LOCATION)
if(NOT archive)
  get_target_property(archive asmjit::asmjit IMPORTED_LOCATION_NONE)
endif()
if(NOT archive)
  find_library(archive_found asmjit REQUIRED)
  set(archive "${archive_found}")
endif()
if(archive MATCHES "\\.a$")
  set(NVM_ASMJIT_LIBRARY "${CMAKE_BINARY_DIR}/libasmjit_shareable.a")
  execute_process(COMMAND "${CMAKE_OBJCOPY}" --redefine-sym stderr=nvm_asmjit_stderr "${archive}"
                          "${NVM_ASMJIT_LIBRARY}" COMMAND_ERROR_IS_FATAL ANY)
else()
  set(NVM_ASMJIT_LIBRARY "${archive}")
endif()
