# The page of `nvm profile --html` becomes part of the library.
foreach(part IN ITEMS html css js)
  set(file "${CMAKE_SOURCE_DIR}/vm/profile/page/report.${part}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  string(TOUPPER "${part}" name)
  file(READ "${file}" NVM_PAGE_${name})
endforeach()
configure_file("${CMAKE_SOURCE_DIR}/vm/profile/page.cpp.in" "${CMAKE_BINARY_DIR}/vm/profile/page.cpp" @ONLY)
target_sources(nvm_vm_profile PRIVATE "${CMAKE_BINARY_DIR}/vm/profile/page.cpp")
