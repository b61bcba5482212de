# Run by cpack on the installed tree before it is packed. A tarball gets the shared libraries that nvm needs, those that they
# need, and their licences, but not the C and C++ run-time libraries: those belong to the system and must not be older than
# what it loads besides. A Debian package declares its dependencies instead.
if(NOT CPACK_GENERATOR STREQUAL "TGZ")
  return()
endif()
file(GLOB_RECURSE binary "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/bin/nvm")
get_filename_component(prefix "${binary}/../.." ABSOLUTE)
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES "${binary}" RESOLVED_DEPENDENCIES_VAR libraries
     PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|rt|dl|pthread|stdc\\+\\+|gcc_s)\\.so")
find_program(dpkg_query dpkg-query)
foreach(library IN LISTS libraries)
  file(INSTALL "${library}" DESTINATION "${prefix}/${CPACK_NVM_BUNDLE_DIR}" FOLLOW_SYMLINK_CHAIN)
  if(dpkg_query)
    get_filename_component(name "${library}" NAME)
    execute_process(COMMAND "${dpkg_query}" -S "*/${name}" OUTPUT_VARIABLE owner COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX REPLACE ":.*" "" owner "${owner}")
    configure_file("/usr/share/doc/${owner}/copyright" "${prefix}/${CPACK_NVM_BUNDLE_DIR}/licences/${owner}" COPYONLY)
  endif()
endforeach()
list(LENGTH libraries count)
message(STATUS "the tarball brings ${count} shared libraries")
