// Memory that programs take beside what their vectors need.
//
//   memory_bench [--threads N] FILE.vcode ...
//
// Every program runs in a process of its own, on the primitives alone, with 32-bit integers and the generator
// "lcg48". The columns, in MB:
//
//   live      the largest sum of the bytes of vectors and descriptors that are referenced at a time, the
//             temporaries of primitives included
//   taken     the most pages that were taken from the system for them
//   resident  the most resident memory of the process (VmHWM) less what was resident before the run, when the
//             program had been loaded: code that the run reads first, stacks of threads and open calls count
//   ratio     resident / live
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "vm/lib/nvm.hpp"

namespace {

constexpr double kMegabyte = 1e6;

// Bytes of a line of /proc/self/status; 0 if there is none.
double status(const char* name) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  char line[256];
  double bytes = 0;
  while (std::fgets(line, sizeof line, file) != nullptr)
    if (std::strncmp(line, name, std::strlen(name)) == 0) bytes = std::atof(line + std::strlen(name)) * 1024;
  std::fclose(file);
  return bytes;
}

// Runs one program and prints its line; the exit status.
int measure(const char* path, int threads) {
  using namespace nvm::lib;
  LoadOptions load;
  load.int_bits = 32;
  auto program = Program::from_file(path, load);
  if (!program) {
    std::fprintf(stderr, "%s\n", program.failure().message.c_str());
    return EXIT_FAILURE;
  }
  Options options;
  options.random = Random::kLcg48;
  options.jit = Jit::kOff;
  options.threads = threads;
  options.out = std::fopen("/dev/null", "w");
  Vm vm(options);
  const double before = status("VmRSS:");
  auto run = vm.run(*program);
  const double resident = status("VmHWM:") - before;
  if (!run) {
    std::fprintf(stderr, "%s\n", run.failure().message.c_str());
    return EXIT_FAILURE;
  }
  const auto live = static_cast<double>(run->counters.peak_bytes);
  const auto taken = static_cast<double>(run->counters.mapped_bytes);
  const char* slash = std::strrchr(path, '/');
  std::printf("%-30s %9.2f %9.2f %9.2f %6.2f\n", slash == nullptr ? path : slash + 1, live / kMegabyte,
              taken / kMegabyte, resident / kMegabyte, resident / live);
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  int threads = 2;
  int first = 1;
  if (argc > 2 && std::strcmp(argv[1], "--threads") == 0) {
    threads = std::atoi(argv[2]);
    first = 3;
  }
  if (first >= argc) {
    std::fprintf(stderr, "usage: memory_bench [--threads N] FILE.vcode ...\n");
    return EXIT_FAILURE;
  }
  std::printf("%-30s %9s %9s %9s %6s\n", "program, MB", "live", "taken", "resident", "ratio");
  for (int i = first; i < argc; ++i) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      const int status = measure(argv[i], threads);
      std::fflush(stdout);
      _exit(status);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
