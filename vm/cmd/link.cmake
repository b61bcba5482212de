find_package(Boost REQUIRED COMPONENTS program_options)
target_link_libraries(nvm_vm_cmd PUBLIC Boost::program_options)
find_library(NVM_EDIT edit REQUIRED)
target_link_libraries(nvm_vm_cmd PUBLIC ${NVM_EDIT})
