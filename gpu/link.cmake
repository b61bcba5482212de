target_link_libraries(nvm_gpu PUBLIC ${CMAKE_DL_LIBS})
# The prelude of generated sources becomes text of the library.
foreach(part prelude carry tree tile whole kept block block_fold order)
  set(from "${CMAKE_SOURCE_DIR}/gpu/codegen/${part}.cuh")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${from}")
  file(READ "${from}" text)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/gpu/${part}_text.inc" CONTENT "R\"cuda(@text@)cuda\"" @ONLY)
endforeach()
target_include_directories(nvm_gpu PRIVATE "${CMAKE_BINARY_DIR}/generated/gpu")
