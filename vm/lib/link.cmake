find_package(Threads REQUIRED)
target_link_libraries(nvm_vm_lib PUBLIC Threads::Threads)
target_compile_definitions(nvm_vm_lib PRIVATE NVM_VERSION="${PROJECT_VERSION}")

# libnvm for others to embed: every layer in one shared library (nvm_vm_lib is the static one), nvm.hpp and
# nvm.h, which include nothing of ours.
file(WRITE "${CMAKE_BINARY_DIR}/libnvm.cpp" "")
add_library(nvm_shared SHARED "${CMAKE_BINARY_DIR}/libnvm.cpp")
target_include_directories(nvm_shared PUBLIC "${CMAKE_SOURCE_DIR}")
target_link_libraries(nvm_shared PRIVATE -Wl,--whole-archive nvm_vm_lib -Wl,--no-whole-archive)
set_target_properties(nvm_shared PROPERTIES OUTPUT_NAME nvm VERSION "${PROJECT_VERSION}")
include(GNUInstallDirs)
install(TARGETS nvm_shared LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES vm/lib/nvm.hpp vm/lib/nvm.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
