# HTTP is Boost.Beast, JSON nlohmann-json; both are headers. The page, the grammars that editors have, and the programs it
# offers become part of the binary.
find_package(Boost REQUIRED)
find_package(nlohmann_json REQUIRED)
target_link_libraries(nvm_vm_serve PRIVATE Boost::boost nlohmann_json::nlohmann_json)
if(NVM_SANITIZE STREQUAL "thread")
  target_compile_options(nvm_vm_serve PRIVATE -Wno-tsan) # Asio's fences, which the sanitizer does not see; its threads are one
endif()

set(NVM_PAGES "")
function(nvm_embed row file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${file}")
  file(READ "${CMAKE_SOURCE_DIR}/${file}" text)
  set(NVM_PAGES "${NVM_PAGES}    {${row}, R\"nvm_page(${text})nvm_page\"},\n" PARENT_SCOPE)
endfunction()

nvm_embed("\"/\", \"text/html; charset=utf-8\"" vm/serve/page/page.html)
nvm_embed("\"/page.css\", \"text/css; charset=utf-8\"" vm/serve/page/page.css)
nvm_embed("\"/page.js\", \"text/javascript; charset=utf-8\"" vm/serve/page/page.js)
nvm_embed("\"/highlight.js\", \"text/javascript; charset=utf-8\"" vm/serve/page/highlight.js)
foreach(language IN ITEMS nesl remora)
  nvm_embed("\"/${language}.json\", \"application/json\"" docs/editors/vscode/syntaxes/${language}.tmLanguage.json)
endforeach()
set(NVM_FILES "${NVM_PAGES}")

set(NVM_PAGES "")
foreach(name IN ITEMS tutorial charts)
  nvm_embed("\"${name}\", \"nesl\"" vm/serve/examples/${name}.nesl)
endforeach()
foreach(name IN ITEMS quicksort primes mcss histogram life mandelbrot nqueens fft quickhull edit_distance median line_fit kd_tree
        barnes_hut)
  nvm_embed("\"${name}\", \"nesl\"" programs/${name}.nesl)
endforeach()
foreach(name IN ITEMS dot life mandelbrot matrix_product histogram sparse weekdays)
  nvm_embed("\"${name}\", \"remora\"" programs/remora/${name}.remora)
endforeach()
configure_file("${CMAKE_SOURCE_DIR}/vm/serve/pages.cpp.in" "${CMAKE_BINARY_DIR}/vm/serve/pages.cpp" @ONLY)
target_sources(nvm_vm_serve PRIVATE "${CMAKE_BINARY_DIR}/vm/serve/pages.cpp")
