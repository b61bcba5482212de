#include "vm/serve/server.h"

#include <fcntl.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <utility>

#include "vm/serve/desk.h"
#include "vm/serve/job.h"

namespace nvm::serve {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Error = boost::system::error_code;
using Tcp = asio::ip::tcp;

constexpr std::size_t kMostBody = std::size_t{1} << 20;
constexpr std::uint32_t kMostHeader = 8192;
constexpr std::size_t kMostJobs = 4;
constexpr std::size_t kMostConnections = 64;
constexpr std::size_t kMostDrained = std::size_t{16} << 20;
constexpr auto kIdle = std::chrono::seconds(10);        // for a request to come, for an answer to be taken
constexpr auto kLook = std::chrono::milliseconds(100);  // for the wish to stop
constexpr auto kDrain = std::chrono::seconds(2);
constexpr auto kCrowded = std::chrono::seconds(1);  // for any of these, while others wait for a place

class Connection;

// What all connections share.
struct Hall {
  Hall(asio::io_context& i, const Settings& s, unsigned short port) : io(&i), settings(s), desk(port) {}
  asio::io_context* io;
  const Settings& settings;
  Desk desk;
  std::set<Connection*> open;
  std::size_t jobs = 0;
};

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

// One client: requests one after the other, then a program whose events are sent as they come.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<Hall> hall, Tcp::socket socket)
      : hall_(std::move(hall)), stream_(std::move(socket)) {
    hall_->open.insert(this);
  }
  ~Connection() {
    drop_job();
    hall_->open.erase(this);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void read() {
    parser_.emplace();
    parser_->body_limit(kMostBody);
    parser_->header_limit(kMostHeader);
    wait(kIdle);
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](Error error, std::size_t) {
      if (error)
        self->refuse(error);
      else
        self->answer();
    });
  }

  void close() {
    drop_job();
    stream_.close();
  }

  // Whether its client has let it wait, and others may have its place.
  [[nodiscard]] bool is_idle() const { return !job_ && Clock::now() - since_ > kCrowded; }

 private:
  using Clock = std::chrono::steady_clock;

  // For its client, at most so long.
  void wait(Clock::duration most) {
    since_ = Clock::now();
    stream_.expires_after(most);
  }

  void refuse(Error error) {
    if (error == http::error::body_limit)
      return reply(refusal(413, "a request may have " + std::to_string(kMostBody) + " bytes"), false);
    if (error == http::error::header_limit) return reply(refusal(431, "the header is too long"), false);
    if (error == beast::error::timeout) return close();
    if (error == http::error::end_of_stream ||
        error.category() != http::make_error_code(http::error::bad_method).category())
      return close();
    reply(refusal(400, "this is no request of HTTP: " + error.message()), false);
  }

  void answer() {
    const auto& message = parser_->get();
    const auto field = [&](auto name) { return view(message[name]); };
    Request request;
    request.method = view(message.method_string());
    request.target = view(message.target());
    if (message.count(http::field::host) == 1) request.host = field(http::field::host);
    request.origin = field(http::field::origin);
    request.site = field("Sec-Fetch-Site");
    request.type = field(http::field::content_type);
    request.token = field("X-Nvm-Token");
    request.body = message.body();
    auto found = hall_->desk.answer(request);
    if (const Answer* page = std::get_if<Answer>(&found)) return reply(*page, message.keep_alive());
    if (hall_->jobs == kMostJobs)
      return reply(refusal(503, std::to_string(kMostJobs) + " programs run already: stop one"), true);
    run(std::get<Task>(found));
  }

  void set_common(http::fields& header, const std::string& type, const std::string& policy) {
    header.set(http::field::content_type, type);
    header.set(http::field::cache_control, "no-store");
    header.set("Content-Security-Policy", policy);
    header.set("X-Content-Type-Options", "nosniff");
    header.set("Referrer-Policy", "no-referrer");
    header.set("Cross-Origin-Resource-Policy", "same-origin");
  }

  void reply(const Answer& answer, bool keep) {
    const auto message = std::make_shared<http::response<http::string_body>>();
    message->version(11);
    message->result(answer.status);
    set_common(*message, answer.type, answer.policy);
    message->body() = answer.text;
    message->keep_alive(keep);
    message->prepare_payload();
    wait(kIdle);
    http::async_write(stream_, *message,
                      [self = shared_from_this(), message, keep](Error error, std::size_t) {
                        if (!error && keep)
                          self->read();
                        else
                          self->drain(error);
                      });
  }

  // What the client still sends is thrown away for a while: closed at once, it would not see the answer.
  void drain(Error error) {
    Error ignored;
    stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
    if (error) return close();
    wait(kDrain);
    drain_more();
  }
  void drain_more() {
    stream_.async_read_some(asio::buffer(scrap_), [self = shared_from_this()](Error error, std::size_t n) {
      self->drained_ += n;
      if (error || self->drained_ > kMostDrained) return self->close();
      self->drain_more();
    });
  }

  void run(const Task& task) {
    job_ = std::make_shared<Job>(*hall_->io, hall_->desk, hall_->settings, task,
                                 [this](std::string event, bool last) { send(std::move(event), last); });
    ++hall_->jobs;
    head_.emplace(http::status::ok, 11);
    set_common(*head_, "application/x-ndjson", "default-src 'none'");
    head_->chunked(true);
    head_->keep_alive(false);
    serializer_.emplace(*head_);
    writing_ = true;
    wait(kIdle);
    http::async_write_header(stream_, *serializer_, [self = shared_from_this()](Error error, std::size_t) {
      self->writing_ = false;
      if (error) return self->close();
      self->watch();
      if (self->job_) self->job_->start();
    });
  }

  // A client that stops a program closes the connection.
  void watch() {
    stream_.expires_never();
    stream_.socket().async_wait(Tcp::socket::wait_read, [self = shared_from_this()](Error error) {
      if (self->job_ && !error) self->close();
    });
  }

  void send(std::string event, bool last) {
    queue_.push_back(std::move(event));
    if (last) {
      drop_job();
      queue_.emplace_back();
    }
    write();
  }

  void write() {
    if (writing_ || queue_.empty()) return;
    writing_ = true;
    text_ = std::move(queue_.front());
    queue_.pop_front();
    const bool end = text_.empty();
    since_ = Clock::now();
    stalled_.expires_after(kIdle);
    stalled_.async_wait([self = shared_from_this()](Error error) {
      if (!error) self->close();
    });
    const auto done = [self = shared_from_this(), end](Error error, std::size_t) {
      self->writing_ = false;
      self->stalled_.cancel();
      if (error) return self->close();
      if (end) return self->drain(error);
      self->write();
      if (!self->writing_ && self->job_) self->job_->go_on();
    };
    if (end)
      asio::async_write(stream_.socket(), http::make_chunk_last(), done);
    else
      asio::async_write(stream_.socket(), http::make_chunk(asio::buffer(text_)), done);
  }

  void drop_job() {
    if (!job_) return;
    std::exchange(job_, nullptr)->abandon();
    --hall_->jobs;
  }

  std::shared_ptr<Hall> hall_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{kMostBody + kMostHeader};
  std::optional<http::request_parser<http::string_body>> parser_;
  std::shared_ptr<Job> job_;
  std::optional<http::response<http::empty_body>> head_;
  std::optional<http::response_serializer<http::empty_body>> serializer_;
  asio::steady_timer stalled_{stream_.get_executor()};
  Clock::time_point since_;  // when it began to wait for its client
  std::deque<std::string> queue_;
  std::string text_;  // what is being written
  bool writing_ = false;
  char scrap_[4096] = {};
  std::size_t drained_ = 0;
};

class Door {
 public:
  Door(std::shared_ptr<Hall> hall, Tcp::acceptor& acceptor) : hall_(std::move(hall)), acceptor_(acceptor) {}

  // Unless it is open. Where there are as many connections as may be, those go that nothing comes from.
  void open() {
    if (waiting_ || !acceptor_.is_open()) return;
    if (hall_->open.size() >= kMostConnections)
      return close_if([](const Connection& c) { return c.is_idle(); });
    acceptor_.async_accept([this](Error error, Tcp::socket socket) {
      waiting_ = false;
      if (error) return;  // it is closed, or there are no descriptors: run() tries again
      ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
      std::make_shared<Connection>(hall_, std::move(socket))->read();
      open();
    });
    waiting_ = true;
  }

  void close() {
    Error ignored;
    acceptor_.close(ignored);
    close_if([](const Connection&) { return true; });
  }

 private:
  template <typename Which>
  void close_if(Which which) {
    const std::set<Connection*> all = hall_->open;
    for (Connection* connection : all)
      if (which(*connection)) connection->close();
  }

  std::shared_ptr<Hall> hall_;
  Tcp::acceptor& acceptor_;
  bool waiting_ = false;
};

// The loopback device, and no other. "" or why not.
std::string listen(Tcp::acceptor& acceptor, unsigned short port) {
  Error error;
  const Tcp::endpoint where(asio::ip::address_v4::loopback(), port);
  acceptor.open(where.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(where, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!error) ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
  return error ? "port " + std::to_string(port) + ": " + error.message() : "";
}

// For a while.
void run(asio::io_context& io, Door& door, const Settings& settings) {
  try {
    door.open();
    io.run_for(kLook);
  } catch (const std::bad_alloc&) {  // of one connection, which is gone
    settings.lost();
  }
}

}  // namespace

namespace {

std::string serve_all(const Settings& settings, const std::atomic<bool>& stop,
                      const std::function<void(const std::string& address)>& ready) {
  asio::io_context io(1);
  const auto open = asio::make_work_guard(io);  // it runs on while nothing is to be done
  Tcp::acceptor acceptor(io);
  if (std::string why = listen(acceptor, settings.port); !why.empty()) return why;
  const auto hall = std::make_shared<Hall>(io, settings, acceptor.local_endpoint().port());
  Door door(hall, acceptor);
  ready(hall->desk.address());
  while (!stop.load()) run(io, door, settings);
  door.close();
  run(io, door, settings);
  return "";
}

}  // namespace

// What Asio throws is the system's: without descriptors, say, it has no events to wait for.
std::string serve(const Settings& settings, const std::atomic<bool>& stop,
                  const std::function<void(const std::string& address)>& ready) {
  try {
    return serve_all(settings, stop, ready);
  } catch (const boost::system::system_error& refused) {
    return refused.what();
  }
}

}  // namespace nvm::serve
