// A stream whose output counts as that of a machine does: see Options::output_limit.
#pragma once

#include <ostream>
#include <streambuf>

#include "vm/lib/nvm.hpp"

namespace nvm::lib {

struct OutputUsedUp {};

class CountedBuffer final : public std::streambuf {
 public:
  CountedBuffer(std::streambuf* to, Vm& machine) : to_(to), machine_(machine) {}

 protected:
  int overflow(int c) override {
    if (c == traits_type::eof()) return traits_type::not_eof(c);
    take(1);
    return to_->sputc(static_cast<char>(c));
  }
  std::streamsize xsputn(const char* text, std::streamsize n) override {
    take(static_cast<std::uint64_t>(n));
    return to_->sputn(text, n);
  }
  int sync() override { return to_->pubsync(); }

 private:
  void take(std::uint64_t bytes) {
    if (!machine_.may_write(bytes)) throw OutputUsedUp();
  }

  std::streambuf* to_;
  Vm& machine_;
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

 private:
  CountedBuffer buffer_;
};

}  // namespace nvm::lib
