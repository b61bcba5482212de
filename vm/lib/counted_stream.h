// A stream whose output counts as that of a machine does: see Options::output_limit.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

#include "vm/lib/nvm.hpp"

namespace nvm::lib {

struct OutputUsedUp {};

class CountedBuffer final : public std::streambuf {
 public:
  CountedBuffer(std::streambuf* to, Vm& machine) : to_(to), machine_(machine) {}

  // What the system says of what was refused last, behind a colon; empty if it was not the system.
  [[nodiscard]] std::string why() const;

 protected:
  int overflow(int c) override {
    if (c == traits_type::eof()) return traits_type::not_eof(c);
    const char byte = static_cast<char>(c);
    return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize n) override;
  int sync() override;

 private:
  bool kept(bool good);

  std::streambuf* to_;
  Vm& machine_;
  int error_ = 0;
};

// What is too much throws OutputUsedUp out of <<; what the stream behind it refuses, std::ios_base::failure.
class CountedStream final : public std::ostream {
 public:
  CountedStream(std::ostream& to, Vm& machine) : std::ostream(nullptr), buffer_(to.rdbuf(), machine) {
    rdbuf(&buffer_);
    exceptions(std::ios::badbit);  // or nothing is thrown
  }
  CountedStream(const CountedStream&) = delete;
  CountedStream& operator=(const CountedStream&) = delete;
  // Why a result is not shown, as a line of `err`; what follows is.
  void report_lost(std::ostream& err);

 private:
  CountedBuffer buffer_;
};

}  // namespace nvm::lib
