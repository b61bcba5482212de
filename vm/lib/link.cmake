find_package(Threads REQUIRED)
target_link_libraries(nvm_vm_lib PUBLIC Threads::Threads)
target_compile_definitions(nvm_vm_lib PRIVATE NVM_VERSION="${PROJECT_VERSION}")
