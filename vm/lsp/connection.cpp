#include "vm/lsp/connection.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>

#include "vm/lsp/frames.h"
#include "vm/lsp/server.h"

namespace nvm::lsp {

namespace {

class Connection {
 public:
  Connection(int in, int out, const std::string& version)
      : in_(in), out_(out), server_(version, [this](const Json& message) { send(message); }) {}

  int run() {
    while (!server_.exits() && !broken_) {
      receive(waiting_.empty());
      if (!waiting_.empty()) {
        const Json message = std::move(waiting_.front());
        waiting_.pop_front();
        server_.handle(message);
        continue;
      }
      server_.idle();
      if (ended_) break;
    }
    return server_.status();
  }

 private:
  // What has arrived; with `wait` at least something, unless there is work for when nothing has.
  void receive(bool wait) {
    while (!ended_ && waiting_.size() < kMostWaiting) {
      if (!arrived(0)) {
        if (!wait) return;
        server_.idle();
        if (!arrived(-1)) return;
      }
      char bytes[1 << 16];
      const ssize_t n = ::read(in_, bytes, sizeof bytes);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        ended_ = true;
        return;
      }
      frames_.feed({bytes, static_cast<std::size_t>(n)});
      while (auto frame = frames_.next()) take(*frame);
      wait = wait && waiting_.empty();
    }
  }

  [[nodiscard]] bool arrived(int milliseconds) const {
    pollfd poll{in_, POLLIN, 0};
    int ready = 0;
    do ready = ::poll(&poll, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    return ready != 0;
  }

  void take(const Frame& frame) {
    if (!frame.fault.empty()) return server_.refuse({ErrorCode::kParse, frame.fault});
    try {
      Json message = read_json(frame.text);
      if (!cancels(message)) waiting_.push_back(std::move(message));
    } catch (const Fault& fault) {
      server_.refuse(fault);
    }
  }

  // A request to cancel one that waits: that is answered, once. One that was answered stays so.
  bool cancels(const Json& message) {
    if (!message.is_object() || message.value("method", Json()) != "$/cancelRequest") return false;
    const Json params = message.value("params", Json::object());
    const Json id = params.is_object() ? params.value("id", Json()) : Json();
    const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const Json& m) {
      return is_id(id) && m.is_object() && m.contains("method") && m.value("id", Json()) == id;
    });
    if (found == waiting_.end()) return true;
    waiting_.erase(found);
    send(error_answer(id, {ErrorCode::kCancelled, "cancelled"}));
    return true;
  }

  void send(const Json& message) {
    const std::string body = text_of(message);
    const std::string text = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    for (std::size_t at = 0; at < text.size() && !broken_;) {
      const ssize_t n = ::write(out_, text.data() + at, text.size() - at);
      if (n >= 0)
        at += static_cast<std::size_t>(n);
      else if (errno != EINTR)
        broken_ = true;
    }
  }

  static constexpr std::size_t kMostWaiting = 1000;

  int in_, out_;
  bool ended_ = false, broken_ = false;
  FrameReader frames_;
  std::deque<Json> waiting_;
  Server server_;
};

}  // namespace

int serve(int in, int out, const std::string& version) { return Connection(in, out, version).run(); }

}  // namespace nvm::lsp
