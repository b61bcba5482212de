target_link_libraries(nvm_gpu PUBLIC ${CMAKE_DL_LIBS})
