# The prelude's text becomes part of the library.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/frontend/nesl/prelude.nesl")
file(READ "${CMAKE_SOURCE_DIR}/frontend/nesl/prelude.nesl" NVM_PRELUDE_TEXT)
configure_file("${CMAKE_SOURCE_DIR}/frontend/nesl/prelude_text.cpp.in" "${CMAKE_BINARY_DIR}/frontend/nesl/prelude_text.cpp" @ONLY)
target_sources(nvm_frontend_nesl PRIVATE "${CMAKE_BINARY_DIR}/frontend/nesl/prelude_text.cpp")
# Its forms are found while it is compiled, which takes Clang more steps than it allows by itself.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set_source_files_properties("${CMAKE_BINARY_DIR}/frontend/nesl/prelude_text.cpp"
    PROPERTIES COMPILE_OPTIONS "-fconstexpr-steps=100000000;-Wno-overlength-strings")
endif()
