include(cmake/asmjit_pic.cmake)
find_package(TBB REQUIRED)
target_include_directories(nvm_vm_cpu SYSTEM PUBLIC $<TARGET_PROPERTY:asmjit::asmjit,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(nvm_vm_cpu PUBLIC "${NVM_ASMJIT_LIBRARY}" TBB::tbb sleef rt)
# Routines over blocks are built once per instruction set and chosen at run time. INT wraps. No contraction to fused
# multiply-add: all tiers round every operation. -Wno-*uninitialized: GCC bug 105593, in its own intrinsics.
set_source_files_properties(vm/cpu/routines_avx512.cpp PROPERTIES COMPILE_OPTIONS
  "${NVM_HOT_LOOPS};-ffp-contract=off;-fwrapv;-mavx512f;-mavx512dq;-mavx512vl;-mavx512bw;-mbmi2;-mpopcnt;-mprefer-vector-width=512;-Wno-psabi;-Wno-uninitialized;-Wno-maybe-uninitialized")
set_source_files_properties(vm/cpu/routines_avx2.cpp PROPERTIES COMPILE_OPTIONS
  "${NVM_HOT_LOOPS};-ffp-contract=off;-fwrapv;-mavx2;-mbmi2;-mpopcnt;-Wno-psabi")
