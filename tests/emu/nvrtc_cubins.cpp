// nvrtc_cubins [FILE...]: compiles each by NVRTC to cubin for sm_80 and sm_90; status 1 and the log if one is
// refused, 77 without NVRTC.
#include <cstdio>
#include <fstream>
#include <iterator>

#include "gpu/api/nvrtc.h"

int main(int argc, char** argv) {
  std::string words;
  if (!nvm::gpu::nvrtc_available(words)) {
    std::printf("skipped: %s\n", words.c_str());
    return 77;
  }
  int failed = 0;
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    const std::string source{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    for (const int arch : {80, 90}) {
      const nvm::gpu::Compiled compiled = nvm::gpu::compile_cuda(source, argv[i], arch);
      if (!compiled.cubin.empty()) continue;
      std::printf("%s for sm_%d: %s\n", argv[i], arch, compiled.log.c_str());
      failed = 1;
    }
  }
  return failed;
}
