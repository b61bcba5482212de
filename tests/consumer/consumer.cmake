# cmake -D build=... -D source=... -D generator=... -D libdir=... -D bindir=... -P consumer.cmake
set(prefix "${build}/consumer/prefix")
set(project "${build}/consumer/build")
file(REMOVE_RECURSE "${prefix}" "${project}")

include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

# expect(<text> <command> ...): the command prints exactly that.
function(expect expected)
  run(${ARGN})
  if(NOT text STREQUAL expected)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "${command} printed\n${text}\ninstead of\n${expected}")
  endif()
endfunction()

# What is not built yet, as behind `./nvmw run`, the installation builds.
file(REMOVE "${build}/pages/nvm.1")
run("${CMAKE_COMMAND}" --install "${build}" --prefix "${prefix}")
if(NOT EXISTS "${prefix}/share/man/man1/nvm.1")
  message(FATAL_ERROR "the manual page is not installed")
endif()
run("${CMAKE_COMMAND}" -S "${source}/tests/consumer/project" -B "${project}" -G "${generator}"
    "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_BUILD_TYPE=${build_type}")
run("${CMAKE_COMMAND}" --build "${project}")

expect("it = 6 : int\n" "${project}/with_shared")
expect("it = 6 : int\n" "${project}/with_static")
expect("16 4 12\nindex out of range\n" "${project}/with_arrays")
set(ENV{LD_LIBRARY_PATH} "${prefix}/${libdir}")
foreach(program with_c with_pkg_config)
  if(EXISTS "${project}/${program}")
    expect("6\n" "${project}/${program}")
  endif()
endforeach()
foreach(name nvm neslvm)
  expect("it = 6 : int\n" "${prefix}/${bindir}/${name}" run -e "sum([1, 2, 3])")
endforeach()
file(READ "${source}/programs/spmv.out" product)
execute_process(COMMAND "${prefix}/${bindir}/vinterp" "${source}/programs/spmv.vcode"
                INPUT_FILE "${source}/programs/spmv.in" OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
if(NOT text STREQUAL product)
  message(FATAL_ERROR "the installed vinterp printed\n${text}")
endif()
