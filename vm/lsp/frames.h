// The messages of the Language Server Protocol in a stream of bytes: a header with Content-Length, an empty
// line, and that many bytes of JSON. Whatever the bytes are, each fault is told once, and reading goes on
// where the next message can begin.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nvm::lsp {

// Longer messages are not kept. A text of half that size is checked in more time than anybody waits.
inline constexpr std::size_t kMostBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMostHeader = 4096;

struct Frame {
  std::string text;   // of the message
  std::string fault;  // what is wrong with what came instead; "" if nothing
};

class FrameReader {
 public:
  void feed(std::string_view bytes);
  // The next message or fault; nothing until more is fed.
  [[nodiscard]] std::optional<Frame> next();

 private:
  std::optional<Frame> fault(std::string why, std::size_t bytes);
  bool find_header();

  std::string buffer_;
  std::size_t at_ = 0;    // what is before it has been read
  std::size_t skip_ = 0;  // bytes of a message that is too long, which are still to come
  bool lost_ = false;     // looking for the next header
};

}  // namespace nvm::lsp
