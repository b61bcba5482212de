#include "vm/serve/job.h"

#include <sys/wait.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

namespace nvm::serve {

namespace {

using Error = boost::system::error_code;
using Json = nlohmann::json;

constexpr std::size_t kLargestPage = std::size_t{32} << 20;
constexpr double kPatience = 2;             // seconds, for its own limit to end it
constexpr std::uint64_t kMessages = 65536;  // bytes beside the limit on output
constexpr auto kPause = std::chrono::milliseconds(5);

// How many of the last bytes begin a character of UTF-8 and do not end it.
std::size_t unfinished(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto c = static_cast<unsigned char>(text[text.size() - back]);
    if (c >= 0xc0) return (c >= 0xf0 ? 4U : c >= 0xe0 ? 3U : 2U) > back ? back : 0;
    if (c < 0x80) return 0;
  }
  return 0;
}

std::vector<std::string> words_of(const Settings& settings, const Task& task) {
  std::vector<std::string> words{settings.nvm, task.profile ? "profile" : "run", "--untrusted"};
  words.insert(words.end(), settings.words.begin(), settings.words.end());
  words.insert(words.end(), {"--charts", "svg", "--language", task.language});
  const auto file = [](int k) { return "/dev/fd/" + std::to_string(Child::kFirstFile + k); };
  if (task.profile) words.insert(words.end(), {"--html", file(0), "--trace", file(1)});
  words.emplace_back("-");
  return words;
}

}  // namespace

Job::Job(boost::asio::io_context& io, Desk& desk, const Settings& settings, const Task& task, Send send)
    : desk_(desk),
      seconds_(settings.seconds),
      most_(settings.output + kMessages),
      profile_(task.profile),
      send_(std::move(send)),
      child_(words_of(settings, task), task.program, task.profile ? 2 : 0),
      out_(io, task.profile ? "report" : "out"),
      err_(io, "err"),
      deadline_(io),
      pause_(io) {}

void Job::start() {
  if (!child_.error().empty()) {
    child_.kill();
    return send_(Json{{"end", "stopped"}, {"why", child_.error()}}.dump() + "\n", true);
  }
  out_.pipe.assign(child_.take_out().release());
  err_.pipe.assign(child_.take_err().release());
  out_.open = err_.open = true;
  deadline_.expires_after(
      std::chrono::milliseconds(static_cast<std::int64_t>((seconds_ + kPatience) * 1000)));
  deadline_.async_wait([self = shared_from_this()](Error error) {
    if (!error) self->stop("it did not end in time");
  });
  go_on();
}

void Job::go_on() {
  read(out_);
  read(err_);
}

void Job::read(Stream& stream) {
  if (!stream.open || stream.reading) return;
  stream.reading = true;
  stream.pipe.async_read_some(boost::asio::buffer(stream.buffer),
                              [self = shared_from_this(), &stream](Error error, std::size_t n) {
                                stream.reading = false;
                                if (!self->send_) return;
                                if (error && error != boost::asio::error::eof)
                                  return self->stop("its output cannot be read: " + error.message());
                                self->got(stream, error ? "" : std::string_view(stream.buffer.data(), n));
                              });
}

void Job::got(Stream& stream, std::string_view text) {
  if (text.empty()) {
    stream.open = false;
    if (!stream.tail.empty()) send(stream.name, stream.tail);
    if (!out_.open && !err_.open) wait_for_end();
    return;
  }
  sent_ += text.size();
  if (sent_ > most_) return stop("it writes more than it may");
  const std::string all = stream.tail + std::string(text);
  const std::size_t whole = all.size() - unfinished(all);
  stream.tail = all.substr(whole);
  if (whole == 0) return read(stream);
  send(stream.name, std::string_view(all).substr(0, whole));
}

// Its pipes are closed: it has ended, or will in a moment.
void Job::wait_for_end() {
  if (child_.ended()) return finish();
  pause_.expires_after(kPause);
  pause_.async_wait([self = shared_from_this()](Error error) {
    if (!error && self->send_) self->wait_for_end();
  });
}

void Job::stop(std::string why) {
  if (!send_) return;
  stopped_ = std::move(why);
  child_.kill();
  finish();
}

void Job::finish() {
  const Send send = send_;
  const bool stopped = !stopped_.empty();
  if (!stopped) send_results();
  abandon();
  send(end_of(child_.status()), true);
}

void Job::abandon() {
  send_ = nullptr;
  child_.kill();
  Error ignored;
  deadline_.cancel(ignored);
  pause_.cancel(ignored);
  out_.pipe.close(ignored);
  err_.pipe.close(ignored);
}

void Job::send_results() {
  if (!profile_) return;
  if (std::string page = child_.contents(0, kLargestPage); !page.empty())
    send("page", desk_.keep("profile", "text/html; charset=utf-8", std::move(page)));
  if (std::string trace = child_.contents(1, kLargestPage); !trace.empty())
    send("trace", desk_.keep("trace", "application/json", std::move(trace)));
}

void Job::send(const std::string& key, std::string_view text) {
  send_(Json{{key, text}}.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n", false);
}

std::string Job::end_of(int status) const {
  Json event;
  if (!stopped_.empty()) {
    event = {{"end", "stopped"}, {"why", stopped_}};
  } else if (WIFSIGNALED(status)) {
    event = {{"end", "stopped"}, {"why", "nvm itself ended, by signal " + std::to_string(WTERMSIG(status))}};
  } else {
    const int code = WEXITSTATUS(status);
    event = {{"end", code == 0 ? "good" : code == 1 ? "failed" : code == 2 ? "refused" : "stopped"}};
    if (code > 2) event["why"] = "nvm could not be started";
  }
  return event.dump() + "\n";
}

}  // namespace nvm::serve
