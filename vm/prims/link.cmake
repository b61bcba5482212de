find_package(TBB REQUIRED)
target_link_libraries(nvm_vm_prims PUBLIC TBB::tbb PRIVATE sleef)

# The kernels, once per instruction set. No contraction: a product and a sum are two roundings everywhere.
file(GLOB NVM_KERNELS CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/vm/prims/kernels/*.cpp")
set(NVM_KERNEL_FLAGS_portable "")
if(NVM_FUZZ) # inputs find the same errors in one set
  set(NVM_KERNEL_SETS portable)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(NVM_KERNEL_SETS portable avx2 avx512)
  set(NVM_KERNEL_FLAGS_avx2 -mavx2 -mfma -mbmi -mbmi2 -mpopcnt)
  set(NVM_KERNEL_FLAGS_avx512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mbmi -mbmi2 -mpopcnt
                              -mprefer-vector-width=512)
  target_compile_definitions(nvm_vm_prims PRIVATE NVM_X86_KERNELS)
else()
  set(NVM_KERNEL_SETS portable)
endif()
foreach(isa IN LISTS NVM_KERNEL_SETS)
  add_library(nvm_kernels_${isa} OBJECT ${NVM_KERNELS})
  target_include_directories(nvm_kernels_${isa} PRIVATE "${CMAKE_SOURCE_DIR}")
  target_compile_features(nvm_kernels_${isa} PRIVATE cxx_std_20)
  target_compile_definitions(nvm_kernels_${isa} PRIVATE NVM_ISA=${isa})
  target_link_libraries(nvm_kernels_${isa} PRIVATE nvm_warnings)
  # uninitialized: GCC 12 reports its own AVX-512 intrinsics (GCC bug 105593).
  target_compile_options(nvm_kernels_${isa} PRIVATE ${NVM_HOT_LOOPS} -Wno-psabi -Wno-maybe-uninitialized -Wno-uninitialized -ffp-contract=off -fwrapv -fno-math-errno -fno-trapping-math
                                                    ${NVM_KERNEL_FLAGS_${isa}})
  target_sources(nvm_vm_prims PRIVATE $<TARGET_OBJECTS:nvm_kernels_${isa}>)
endforeach()
