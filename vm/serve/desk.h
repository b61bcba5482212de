// What a request is answered with: who may ask, and for what. Nothing here waits or starts anything.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <variant>

namespace nvm::serve {

// The fields that count; one that is missing is "".
struct Request {
  std::string_view method, target;
  std::string_view host, origin, site;  // the headers Host, Origin and Sec-Fetch-Site
  std::string_view type, token;         // Content-Type and X-Nvm-Token
  std::string_view body;
};

struct Answer {
  unsigned status = 200;
  std::string type, text;
  std::string policy;  // Content-Security-Policy
};

// A program to be run.
struct Task {
  std::string language, program;
  bool profile = false;
};

inline constexpr std::size_t kMostProgram = std::size_t{256} << 10;

// {"error": ...}
[[nodiscard]] Answer refusal(unsigned status, const std::string& why);

// 128 bits that nobody can guess, in hexadecimal.
[[nodiscard]] std::string secret();

class Desk {
 public:
  // Requests are for this port of the loopback device.
  explicit Desk(unsigned short port);

  // Who knows this may run programs: the page has it of the address that its user opened.
  [[nodiscard]] const std::string& token() const { return token_; }
  [[nodiscard]] std::string address() const;

  [[nodiscard]] std::variant<Answer, Task> answer(const Request& request) const;

  // What a program left, under the path that is returned; the oldest goes when there are many.
  std::string keep(std::string_view folder, std::string type, std::string text);

 private:
  [[nodiscard]] bool is_ours(std::string_view host) const;
  [[nodiscard]] std::variant<Answer, Task> task_of(const Request& request) const;

  struct Kept {
    std::string path, type, text;
  };
  std::string token_, host_, name_;  // 127.0.0.1:PORT, localhost:PORT
  std::deque<Kept> kept_;
};

}  // namespace nvm::serve
