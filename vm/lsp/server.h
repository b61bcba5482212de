// The Language Server Protocol: what a message of a client is answered with. Documents are checked, nothing
// is run, and no file is read but those that a program loads from below its own folder.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontend/edit/document.h"
#include "vm/lsp/message.h"

namespace nvm::lsp {

inline constexpr std::size_t kMostDocuments = 1000;
inline constexpr std::size_t kMostText = std::size_t{32} << 20;  // bytes of one
inline constexpr double kMostSeconds = 10;                       // for checking a text

class Server {
 public:
  // `version` is nvm's; `send` takes what goes to the client.
  Server(std::string version, std::function<void(const Json&)> send);

  // A message as it came, in JSON. Answers a request, or says what is wrong, once.
  void handle(std::string_view text);
  void handle(const Json& message);
  // What came was no message.
  void refuse(const Fault& fault) { send_(error_answer(nullptr, fault)); }
  // Checks the documents that have changed, and sends their diagnostics: for when no message waits.
  void idle();

  [[nodiscard]] bool exits() const { return exits_; }
  // The process's status at the end: 0 if the client asked for it as it should.
  [[nodiscard]] int status() const { return shut_down_ ? 0 : 1; }

 private:
  struct Open {  // NOLINT(bugprone-exception-escape): moving Json throws nothing
    std::unique_ptr<edit::Document> document;
    std::string path;     // "" if it is no file
    std::string text;     // as the client has it
    std::string failure;  // why it could not be checked
    Json version;
    bool changed = true;  // since it was checked
    bool reported = false;
    Json problems;  // that were sent
  };
  using Request = Json (Server::*)(const Json& params);
  using Notification = void (Server::*)(const Json& params);
  static const std::map<std::string, Request, std::less<>>& requests();
  static const std::map<std::string, Notification, std::less<>>& notifications();

  Json request(const std::string& method, const Json& params);
  void notify(const std::string& method, const Json& params);
  void log(const std::string& text);

  // lifecycle and documents: server.cpp
  Json initialize(const Json& params);
  Json shutdown(const Json& params);
  void exit(const Json& params);
  void nothing(const Json& params);
  void did_open(const Json& params);
  void did_change(const Json& params);
  void did_save(const Json& params);
  void did_close(const Json& params);
  Open& open_at(const Json& params);
  edit::Document& document(const Json& params);
  void change_others(const Open& than);
  void check(Open& open);
  void report(const std::string& uri, Open& open);
  edit::ReadFile reader(const std::string& path);

  // questions: answers.cpp
  Json hover(const Json& params);
  Json definition(const Json& params);
  Json references(const Json& params);
  Json highlights(const Json& params);
  Json completion(const Json& params);
  Json described(const Json& params);
  Json signature(const Json& params);
  Json symbols(const Json& params);
  Json inlays(const Json& params);
  Json formatting(const Json& params);
  Json prepare_rename(const Json& params);
  Json rename(const Json& params);

  [[nodiscard]] std::size_t place(const edit::Document& document, const Json& params) const;
  [[nodiscard]] edit::Span span(const edit::Document& document, const Json& range) const;
  [[nodiscard]] Json range(const edit::Text& text, edit::Span span) const;
  [[nodiscard]] Json position(const edit::Text& text, std::size_t offset) const;

  std::string version_;
  std::function<void(const Json&)> send_;
  edit::Units units_ = edit::Units::kUtf16;
  bool running_ = false, shut_down_ = false, exits_ = false;
  std::map<std::string, Open> open_;  // by URI
};

// "file:///a%20b" is "/a b"; "" for what is no file.
[[nodiscard]] std::string path_of(const std::string& uri);
[[nodiscard]] std::string uri_of(const std::string& path);

}  // namespace nvm::lsp
