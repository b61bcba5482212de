# cmake -D build=... -D source=... -D libdir=... -D bindir=... -D version=... -P packages.cmake
set(folder "${build}/packages")
file(REMOVE_RECURSE "${folder}")
file(MAKE_DIRECTORY "${folder}/elsewhere")

include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

run("${CMAKE_CPACK_COMMAND}" -G TGZ --config "${build}/CPackConfig.cmake" -B "${folder}")
run("${CMAKE_COMMAND}" -E chdir elsewhere "${CMAKE_COMMAND}" -E tar xf "${folder}/neslvm-${version}-Linux.tar.gz")
set(root "${folder}/elsewhere/neslvm-${version}-Linux")

foreach(name nvm neslvm)
  run("${root}/${bindir}/${name}" version)
  if(NOT text STREQUAL "nvm ${version}\n")
    message(FATAL_ERROR "${name} version printed ${text}")
  endif()
endforeach()
run("${root}/${bindir}/neslvm" run "${source}/programs/quicksort.nesl")
file(READ "${source}/programs/quicksort.nesl.out" expected)
if(NOT text STREQUAL expected)
  message(FATAL_ERROR "neslvm printed\n${text}")
endif()
run("${root}/${bindir}/vinterp" "${source}/programs/primes.vcode" INPUT_FILE "${source}/programs/primes.in")

# Nothing is in it that only a debugger needs.
find_program(readelf readelf)
if(readelf)
  file(GLOB libraries "${root}/${libdir}/libnvm.so")
  foreach(file "${root}/${bindir}/nvm" ${libraries})
    run("${readelf}" -SW "${file}")
    if(text MATCHES " \\.(debug_[a-z]+|symtab) ")
      message(FATAL_ERROR "${file} is not stripped: it has ${CMAKE_MATCH_0}")
    endif()
  endforeach()
endif()

# The libraries that few systems have come from the package, wherever it stands.
find_program(ldd ldd)
if(ldd)
  run("${ldd}" "${root}/${bindir}/nvm")
  foreach(library tbb sleef colamd boost_program_options edit)
    if(NOT text MATCHES "lib${library}[^ ]* => ${root}/")
      message(FATAL_ERROR "lib${library} does not come from the package:\n${text}")
    endif()
  endforeach()
endif()
foreach(file share/man/man1/neslvm.1 share/man/man1/vinterp.1 share/bash-completion/completions/neslvm share/zsh/vendor-completions/_neslvm
        share/fish/vendor_completions.d/neslvm.fish ${libdir}/pkgconfig/nvm.pc ${libdir}/cmake/nvm/nvm-config.cmake
        include/nvm/nvm.h share/doc/neslvm/copyright share/doc/neslvm/CONTRIBUTING.md share/doc/neslvm/docs/tutorial.md
        share/doc/neslvm/programs/quicksort.nesl)
  if(NOT EXISTS "${root}/${file}")
    message(FATAL_ERROR "${file} is not in the package")
  endif()
endforeach()
file(GLOB_RECURSE left "${root}/share/doc/*.pyc" "${root}/share/doc/*__pycache__*")
if(left)
  message(FATAL_ERROR "leftovers are in the package: ${left}")
endif()
