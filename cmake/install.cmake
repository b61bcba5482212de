# What `cmake --install` puts where, and packages of it. libnvm is every layer below the command in one shared
# and one static library, with the headers of vm/lib that include nothing else of ours.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(nvm_headers "")
foreach(header nvm.hpp nvm.h nesl.hpp nesl_call.hpp array.hpp jagged.hpp lazy.hpp confine.hpp) # installed, they find each other under nvm/
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/vm/lib/${header}")
  file(READ "${CMAKE_SOURCE_DIR}/vm/lib/${header}" text)
  string(REPLACE "#include \"vm/lib/" "#include \"nvm/" text "${text}")
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/include/nvm/${header}" CONTENT "@text@" @ONLY)
  list(APPEND nvm_headers "${CMAKE_BINARY_DIR}/include/nvm/${header}")
endforeach()
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/libnvm.cpp" CONTENT "")

add_library(nvm_shared SHARED "${CMAKE_BINARY_DIR}/libnvm.cpp")
target_link_libraries(nvm_shared PRIVATE -Wl,--whole-archive nvm_vm_lib -Wl,--no-whole-archive)
# Whoever links nvm may use another lp_solve.
get_filename_component(lpsolve_archive "${NVM_LPSOLVE_LIBRARY}" NAME)
target_link_options(nvm_shared PRIVATE "-Wl,--exclude-libs,${lpsolve_archive}")
set_target_properties(nvm_shared PROPERTIES OUTPUT_NAME nvm EXPORT_NAME nvm VERSION "${PROJECT_VERSION}"
                      SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")

add_library(nvm_static STATIC "${CMAKE_BINARY_DIR}/libnvm.cpp")
get_property(layers GLOBAL PROPERTY NVM_STATIC_LAYERS)
list(REMOVE_ITEM layers nvm_vm_cmd nvm_vm_serve)
foreach(part IN LISTS layers ITEMS nvm_kernels_portable nvm_kernels_avx2 nvm_kernels_avx512)
  if(TARGET ${part})
    target_sources(nvm_static PRIVATE $<TARGET_OBJECTS:${part}>)
  endif()
endforeach()
target_link_libraries(nvm_static PRIVATE TBB::tbb asmjit::asmjit sleef lpsolve55_pic colamd Threads::Threads ${CMAKE_DL_LIBS})
set_target_properties(nvm_static PROPERTIES OUTPUT_NAME nvm EXPORT_NAME nvm_static)

foreach(library nvm_shared nvm_static)
  target_include_directories(${library} PUBLIC "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>"
                             "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_compile_features(${library} INTERFACE cxx_std_20)
endforeach()

# The manual page and the completions come from the tables, so from the binary itself.
set(pages "${CMAKE_BINARY_DIR}/pages")
set(page_files "")
foreach(page man:nvm.1 bash:neslvm.bash zsh:_neslvm fish:neslvm.fish)
  string(REPLACE ":" ";" page "${page}")
  list(GET page 0 kind)
  list(GET page 1 file)
  add_custom_command(OUTPUT "${pages}/${file}" COMMAND ${CMAKE_COMMAND} -E make_directory "${pages}"
                     COMMAND nvm help --${kind} > "${pages}/${file}" DEPENDS nvm VERBATIM)
  list(APPEND page_files "${pages}/${file}")
endforeach()
add_custom_target(nvm_pages ALL DEPENDS ${page_files})

# The tarball brings the shared libraries that few systems have (cmake/bundle.cmake) in a folder of their own; elsewhere that
# folder is absent. RPATH and not RUNPATH, because it must also serve what those libraries need themselves.
set(NVM_BUNDLE_DIR "${CMAKE_INSTALL_LIBDIR}/neslvm")
file(RELATIVE_PATH bin_to_bundle "/${CMAKE_INSTALL_BINDIR}" "/${NVM_BUNDLE_DIR}")
set_target_properties(nvm PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_bundle}" BUILD_WITH_INSTALL_RPATH ON)
set_target_properties(nvm_shared PROPERTIES INSTALL_RPATH "$ORIGIN/neslvm" BUILD_WITH_INSTALL_RPATH ON)
foreach(target nvm nvm_shared)
  target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
endforeach()

# What needs an MPI library is a part of its own: `cmake --install DIR --component mpi`, and the package nvm-mpi. Loaded
# from the same folder as the bundled libraries.
install(FILES ${NVM_MPI_PLUGINS} DESTINATION "${NVM_BUNDLE_DIR}" COMPONENT mpi EXCLUDE_FROM_ALL)
install(FILES vm/ranks/mpi_plugin.c vm/ranks/mpi_plugin.h DESTINATION "${CMAKE_INSTALL_DATADIR}/neslvm/mpi")

# `./nvmw run` builds the command alone: what else is installed is built by the installation if it is not there yet.
add_custom_target(nvm_installed DEPENDS nvm nvm_shared nvm_static nvm_mpi ${page_files})
install(CODE "
foreach(file IN ITEMS \"$<TARGET_FILE:nvm>\" \"$<TARGET_FILE:nvm_shared>\" \"$<TARGET_FILE:nvm_static>\" \"${pages}/nvm.1\")
  if(NOT EXISTS \"\${file}\")
    execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${CMAKE_BINARY_DIR}\" --target nvm_installed RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR \"what is to be installed cannot be built\")
    endif()
    break()
  endif()
endforeach()")
install(TARGETS nvm RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS nvm_shared nvm_static EXPORT nvm
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES ${nvm_headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/nvm")
install(FILES "${pages}/nvm.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES "${pages}/neslvm.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME neslvm)
install(FILES "${pages}/_neslvm" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
install(FILES "${pages}/neslvm.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
set(documents "${CMAKE_INSTALL_DATADIR}/doc/neslvm") # the name of the package, which Debian asks for
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md DESTINATION "${documents}")
install(FILES LICENSE DESTINATION "${documents}" RENAME copyright)
# The licence of what is linked into the binaries (LGPL).
install(FILES /usr/share/doc/liblpsolve55-dev/copyright DESTINATION "${documents}" RENAME copyright.lp_solve OPTIONAL)
install(DIRECTORY docs/ DESTINATION "${documents}/docs")
install(DIRECTORY programs/ DESTINATION "${documents}/programs")

# nvm_link(<folder> <name> <target>): a further name of an installed file.
function(nvm_link folder name target)
  set(link "${CMAKE_BINARY_DIR}/links/${folder}/${name}")
  get_filename_component(at "${link}" DIRECTORY)
  file(MAKE_DIRECTORY "${at}")
  file(CREATE_LINK "${target}" "${link}" SYMBOLIC)
  install(FILES "${link}" DESTINATION "${folder}")
endfunction()
nvm_link("${CMAKE_INSTALL_BINDIR}" neslvm nvm)
nvm_link("${CMAKE_INSTALL_BINDIR}" vinterp nvm)
nvm_link("${CMAKE_INSTALL_MANDIR}/man1" neslvm.1 nvm.1)
nvm_link("${CMAKE_INSTALL_MANDIR}/man1" vinterp.1 nvm.1)
nvm_link("${CMAKE_INSTALL_DATADIR}/bash-completion/completions" nvm neslvm)
nvm_link("${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" nvm.fish neslvm.fish)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/nvm")
install(EXPORT nvm NAMESPACE nvm:: FILE nvm-targets.cmake DESTINATION "${package_folder}")
configure_package_config_file(cmake/nvm-config.cmake.in "${CMAKE_BINARY_DIR}/nvm-config.cmake"
                              INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/nvm-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/nvm-config.cmake" "${CMAKE_BINARY_DIR}/nvm-config-version.cmake"
        DESTINATION "${package_folder}")
file(RELATIVE_PATH pc_to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/nvm.pc.in "${CMAKE_BINARY_DIR}/nvm.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/nvm.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# Whoever builds a package answers for it: the variables that Debian's own tools read, else nobody does.
set(contact "local build, maintained by nobody <nobody@neslvm.invalid>")
if(DEFINED ENV{DEBFULLNAME} AND DEFINED ENV{DEBEMAIL})
  set(contact "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(NVM_PACKAGE_CONTACT "${contact}" CACHE STRING "Maintainer of the packages that cpack makes: NAME <ADDRESS>")

set(CPACK_PACKAGE_NAME neslvm)
set(CPACK_PACKAGE_CONTACT "${NVM_PACKAGE_CONTACT}")
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE "${CMAKE_SOURCE_DIR}/LICENSE")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_BINARY_DIR}")
# Found at run time where they are (vm/lib/component.h).
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "zlib1g, libzstd1, libpng16-16, libzip4")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libtbb-dev, libasmjit-dev, libsleef-dev, liblpsolve55-dev")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_SOURCE_DIR}/cmake/bundle.cmake")
set(CPACK_NVM_BUNDLE_DIR "${NVM_BUNDLE_DIR}")
include(CPack)
configure_file(cmake/mpi_package.cmake.in "${CMAKE_BINARY_DIR}/CPackMpi.cmake" @ONLY)
