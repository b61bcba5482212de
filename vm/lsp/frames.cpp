#include "vm/lsp/frames.h"
#include "bytecode/base/ascii.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace nvm::lsp {

namespace {

constexpr std::string_view kLength = "content-length:";

bool same_word(char a, char b) { return lower(a) == lower(b); }

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

struct Header {
  std::size_t length = 0;
  std::string wrong;
};

Header read_header(std::string_view text) {
  Header header;
  bool known = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = without_blanks(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t colon = line.find(':');
    if (colon == line.npos) return {0, "expected a header field such as Content-Length: 120"};
    if (!std::equal(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon) + 1, kLength.begin(),
                    kLength.end(), same_word))
      continue;
    const std::string_view digits = without_blanks(line.substr(colon + 1));
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), header.length);
    if (known || digits.empty() || read.ec != std::errc() || read.ptr != digits.data() + digits.size())
      return {0, "expected one number of bytes behind Content-Length"};
    known = true;
  }
  if (!known) header.wrong = "a header without Content-Length";
  return header;
}

}  // namespace

void FrameReader::feed(std::string_view bytes) {
  const std::size_t skipped = std::min(skip_, bytes.size());
  skip_ -= skipped;
  bytes.remove_prefix(skipped);
  buffer_.erase(0, std::exchange(at_, 0));
  buffer_ += bytes;
}

std::optional<Frame> FrameReader::fault(std::string why, std::size_t bytes) {
  at_ += bytes;
  lost_ = true;
  return Frame{"", std::move(why)};
}

// Drops what stands in front of the next header.
bool FrameReader::find_header() {
  const auto begin = buffer_.begin() + static_cast<std::ptrdiff_t>(at_);
  const auto found = std::search(begin, buffer_.end(), kLength.begin(), kLength.end(), same_word);
  lost_ = found == buffer_.end();
  const std::size_t left = buffer_.size() - at_;
  at_ = lost_ ? buffer_.size() - std::min(left, kLength.size() - 1)
              : static_cast<std::size_t>(found - buffer_.begin());
  return !lost_;
}

std::optional<Frame> FrameReader::next() {
  if (lost_ && !find_header()) return std::nullopt;
  const std::string_view rest = std::string_view(buffer_).substr(at_);
  const std::size_t crlf = rest.find("\r\n\r\n"), lf = rest.find("\n\n");
  const std::size_t end = std::min(crlf, lf);
  if (end == rest.npos) {
    if (rest.size() <= kMostHeader) return std::nullopt;
    return fault("expected a header of a few lines, Content-Length: BYTES and an empty one", 1);
  }
  const std::size_t body = end + (crlf < lf ? 4 : 2);
  const Header header =
      end > kMostHeader ? Header{0, "a header of more than 4096 bytes"} : read_header(rest.substr(0, end));
  if (!header.wrong.empty()) return fault(header.wrong, body);
  if (header.length > kMostBytes) {
    const std::size_t here = std::min(header.length, rest.size() - body);
    at_ += body + here;
    skip_ = header.length - here;
    return Frame{"", "a message of " + std::to_string(header.length) +
                         " bytes: " + std::to_string(kMostBytes) + " are the most"};
  }
  if (rest.size() - body < header.length) return std::nullopt;
  Frame frame{std::string(rest.substr(body, header.length)), ""};
  at_ += body + header.length;
  return frame;
}

}  // namespace nvm::lsp
