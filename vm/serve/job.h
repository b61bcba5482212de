// A program that runs for a client: a child, what it writes as events, and the walls around its time and its
// output.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vm/serve/child.h"
#include "vm/serve/desk.h"
#include "vm/serve/server.h"

namespace nvm::serve {

class Job : public std::enable_shared_from_this<Job> {
 public:
  // Events are lines of JSON: {"out": TEXT}, {"err": TEXT}, {"page": PATH}, {"trace": PATH}, and at last
  // {"end": "good", "failed", "refused" or "stopped", "why": TEXT}, which alone is `last`.
  using Send = std::function<void(std::string event, bool last)>;

  Job(boost::asio::io_context& io, Desk& desk, const Settings& settings, const Task& task, Send send);

  // After an event nothing more is read until the client has got it.
  void start();
  void go_on();
  // The client is gone: nothing is sent any more.
  void abandon();

 private:
  struct Stream {
    explicit Stream(boost::asio::io_context& io, const char* key) : name(key), pipe(io) {}
    const char* name;
    boost::asio::posix::stream_descriptor pipe;
    bool reading = false, open = false;
    std::string tail;  // of a character that is not whole yet
    std::array<char, 16384> buffer{};
  };

  void read(Stream& stream);
  void got(Stream& stream, std::string_view text);
  void wait_for_end();
  void finish();
  void send_results();
  void stop(std::string why);
  void send(const std::string& key, std::string_view text);
  [[nodiscard]] std::string end_of(int status) const;

  Desk& desk_;
  double seconds_;
  std::uint64_t most_;
  bool profile_;
  Send send_;
  Child child_;
  Stream out_, err_;
  boost::asio::steady_timer deadline_, pause_;
  std::uint64_t sent_ = 0;
  std::string stopped_;  // why we ended it
};

}  // namespace nvm::serve
