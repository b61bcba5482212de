#include "vm/cmd/rank_files.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "bytecode/base/hash.h"
#include "bytecode/base/read_file.h"
#include "vm/cmd/commands.h"
#include "vm/cmd/launched.h"
#include "vm/cmd/outputs.h"
#include "vm/lib/watch.hpp"

namespace nvm::cmd {

namespace {

// What is read once only.
bool is_pipe(const std::string& file) {
  std::error_code unknown;
  const auto type = std::filesystem::status(file, unknown).type();
  return type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::socket;
}

// How long a file is and what it begins with, so that ranks on several hosts do not read different ones.
std::string begin_of(const std::string& path) {
  constexpr std::size_t kLooked = 1 << 20;
  if (is_pipe(path)) return "a pipe";
  const auto text = read_all(path, kLooked);
  if (!text) return "none that can be read";
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  char hash[2 * sizeof(std::uint64_t) + 1];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(hash_bytes(*text)));
  return (unknown ? "" : std::to_string(size) + " bytes, ") + "checksum " + hash;
}

// Where a run is gone on with, the operand is the file of that, which the first rank reads.
std::vector<std::string> program_of(const Arguments& arguments, bool resumed) {
  return resumed ? std::vector<std::string>() : arguments.operands();
}

std::vector<std::string> inputs_of(const Arguments& arguments) {
  std::vector<std::string> files;
  for (const std::string& word : arguments.all(Option::kIn)) files.push_back(file_of_binding(word));
  return files;
}

// Bytes of a file in memory that is at its end, and read from its beginning by who opens it.
int file_of_bytes(const std::string& bytes) {
  const int file = ::memfd_create("standard input", MFD_CLOEXEC);
  for (std::size_t at = 0; file >= 0 && at < bytes.size();) {
    const ssize_t n = ::write(file, bytes.data() + at, bytes.size() - at);
    if (n > 0)
      at += static_cast<std::size_t>(n);
    else if (errno != EINTR)
      return -1;
  }
  return file;
}

}  // namespace

std::vector<ranks::Fact> facts_of_files(const Arguments& arguments, bool resumed) {
  std::vector<ranks::Fact> facts;
  const auto add = [&](const char* what, const std::vector<std::string>& files) {
    for (const std::string& file : files)
      if (!file.empty() && !is_standard_input(file)) facts.push_back({what + file, begin_of(file)});
  };
  add("program ", program_of(arguments, resumed));
  add("input ", inputs_of(arguments));
  return facts;
}

std::string unreadable_on_ranks(const Arguments& arguments, bool resumed) {
  std::vector<std::string> files = program_of(arguments, resumed);
  for (std::string& file : inputs_of(arguments)) files.push_back(std::move(file));
  const auto pipe = std::find_if(files.begin(), files.end(), [](const std::string& file) {
    return !is_standard_input(file) && is_pipe(file);
  });
  if (pipe == files.end()) return "";
  return *pipe +
         " is a pipe, of which each rank would read a part: give it as standard input, - instead of " + *pipe;
}

std::string share_standard_input(const Arguments& arguments) {
  const std::vector<std::string> files = inputs_of(arguments);
  if (std::none_of(files.begin(), files.end(), is_standard_input)) return "";
  const auto bytes = of_first_rank([] { return lib::read_file("-", {}); });
  if (!bytes) return "standard input " + unread_because(errno);
  const int file = file_of_bytes(*bytes);
  if (file < 0 || ::dup2(file, STDIN_FILENO) < 0)
    throw UsageError{std::string("standard input cannot be kept: ") + std::strerror(errno)};
  ::close(file);
  return "";
}

}  // namespace nvm::cmd
