find_package(nlohmann_json REQUIRED)
target_link_libraries(nvm_vm_lsp PUBLIC nlohmann_json::nlohmann_json)
