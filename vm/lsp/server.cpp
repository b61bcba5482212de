#include "vm/lsp/server.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "vm/data/value.h"
#include "vm/interp/gate.h"

namespace nvm::lsp {

using edit::Document;

Server::Server(std::string version, std::function<void(const Json&)> send)
    : version_(std::move(version)), send_(std::move(send)) {}

const std::map<std::string, Server::Request, std::less<>>& Server::requests() {
  static const std::map<std::string, Request, std::less<>> table = {
      {"initialize", &Server::initialize},
      {"shutdown", &Server::shutdown},
      {"textDocument/hover", &Server::hover},
      {"textDocument/definition", &Server::definition},
      {"textDocument/references", &Server::references},
      {"textDocument/documentHighlight", &Server::highlights},
      {"textDocument/completion", &Server::completion},
      {"completionItem/resolve", &Server::described},
      {"textDocument/signatureHelp", &Server::signature},
      {"textDocument/documentSymbol", &Server::symbols},
      {"textDocument/inlayHint", &Server::inlays},
      {"textDocument/formatting", &Server::formatting},
      {"textDocument/prepareRename", &Server::prepare_rename},
      {"textDocument/rename", &Server::rename},
  };
  return table;
}

const std::map<std::string, Server::Notification, std::less<>>& Server::notifications() {
  static const std::map<std::string, Notification, std::less<>> table = {
      {"initialized", &Server::nothing},
      {"exit", &Server::exit},
      {"textDocument/didOpen", &Server::did_open},
      {"textDocument/didChange", &Server::did_change},
      {"textDocument/didSave", &Server::did_save},
      {"textDocument/didClose", &Server::did_close},
      {"workspace/didChangeWatchedFiles", &Server::did_save},
      {"workspace/didChangeConfiguration", &Server::nothing},
      {"workspace/didChangeWorkspaceFolders", &Server::nothing},
  };
  return table;
}

void Server::handle(std::string_view text) {
  Json message;
  try {
    message = read_json(text);
  } catch (const Fault& fault) {
    return refuse(fault);
  }
  handle(message);
}

void Server::handle(const Json& message) {
  const auto invalid = [&](const Json& id, const char* why) {
    send_(error_answer(id, {ErrorCode::kInvalidRequest, why}));
  };
  if (!message.is_object()) return invalid(nullptr, "a message is an object, one at a time");
  const auto id = message.find("id");
  const bool has_id = id != message.end();
  const Json known_id = has_id && is_id(*id) ? *id : Json();
  const auto version = message.find("jsonrpc");
  if (version == message.end() || *version != "2.0")
    return invalid(known_id, "expected \"jsonrpc\": \"2.0\"");
  if (has_id && !is_id(*id)) return invalid(nullptr, "the id of a request is a string or a whole number");
  const auto method = message.find("method");
  if (method == message.end()) {
    const bool answers = has_id && (message.contains("result") || message.contains("error"));
    return answers ? void() : invalid(known_id, "a message without a method");
  }
  if (!method->is_string()) return invalid(known_id, "the method is a string");
  static const Json none = Json::object();
  const auto found = message.find("params");
  const Json& params = found == message.end() || found->is_null() ? none : *found;
  const auto& name = method->get_ref<const std::string&>();
  try {
    if (!params.is_structured()) throw Fault{ErrorCode::kBadParams, "params are an object or an array"};
    if (has_id)
      send_(answer(known_id, request(name, params)));
    else
      notify(name, params);
  } catch (const Fault& fault) {
    has_id ? send_(error_answer(known_id, fault)) : log(name + ": " + fault.text);
  } catch (const std::exception& e) {  // memory, time, or stack have run out
    has_id ? send_(error_answer(known_id, {ErrorCode::kFailed, e.what()})) : log(name + ": " + e.what());
  }
}

Json Server::request(const std::string& method, const Json& params) {
  const auto found = requests().find(method);
  if (found == requests().end())
    throw Fault{ErrorCode::kNoMethod, "there is no method " + method.substr(0, 100)};
  if (shut_down_) throw Fault{ErrorCode::kInvalidRequest, "the server was shut down; only exit is left"};
  if (!running_ && method != "initialize") throw Fault{ErrorCode::kNotInitialised, "initialize comes first"};
  const Budget budget(nullptr, kMostSeconds);
  return (this->*found->second)(params);
}

// Of what has no answer, only exit counts before initialize, and unknown ones are no fault.
void Server::notify(const std::string& method, const Json& params) {
  const auto found = notifications().find(method);
  if (found == notifications().end() || (!running_ && method != "exit")) return;
  (this->*found->second)(params);
}

void Server::log(const std::string& text) {
  send_(notification("window/logMessage", {{"type", 1}, {"message", text}}));
}

Json Server::initialize(const Json& params) {
  if (running_) throw Fault{ErrorCode::kInvalidRequest, "initialize was there already"};
  const Json encodings = params.value("/capabilities/general/positionEncodings"_json_pointer, Json());
  const bool bytes =
      encodings.is_array() && std::find(encodings.begin(), encodings.end(), "utf-8") != encodings.end();
  units_ = bytes ? edit::Units::kBytes : edit::Units::kUtf16;
  running_ = true;
  return {{"serverInfo", {{"name", "nvm"}, {"version", version_}}},
          {"capabilities",
           {{"positionEncoding", bytes ? "utf-8" : "utf-16"},
            {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", true}}},
            {"hoverProvider", true},
            {"definitionProvider", true},
            {"referencesProvider", true},
            {"documentHighlightProvider", true},
            {"completionProvider", {{"resolveProvider", true}, {"triggerCharacters", {"."}}}},
            {"signatureHelpProvider", {{"triggerCharacters", {"(", ","}}}},
            {"documentSymbolProvider", true},
            {"inlayHintProvider", true},
            {"documentFormattingProvider", true},
            {"renameProvider", {{"prepareProvider", true}}}}}};
}

Json Server::shutdown(const Json&) {
  shut_down_ = true;
  return nullptr;
}

void Server::exit(const Json&) { exits_ = true; }

void Server::nothing(const Json&) {}

void Server::did_open(const Json& params) {
  const Json& item = object_at(params, "textDocument");
  const std::string& uri = string_at(item, "uri");
  const std::string& text = string_at(item, "text");
  const std::string path = path_of(uri);
  const auto language =
      edit::language_of(item.value("languageId", Json()).is_string() ? string_at(item, "languageId") : "",
                        path.empty() ? uri : path);
  if (!language) throw Fault{ErrorCode::kBadParams, uri + " is no program in NESL or Remora"};
  if (open_.contains(uri)) throw Fault{ErrorCode::kBadParams, uri + " is open already"};
  if (open_.size() >= kMostDocuments)
    throw Fault{ErrorCode::kBadParams, "1000 documents are open, which are the most"};
  Open open;
  open.document = edit::open_document(*language, path, reader(path));
  open.path = path;
  open.text = text;
  open.version = item.value("version", Json());
  change_others(open_.insert_or_assign(uri, std::move(open)).first->second);
}

void Server::did_change(const Json& params) {
  Open& open = open_at(params);
  const Json& changes = array_at(params, "contentChanges");
  std::string text = open.text;
  for (const Json& change : changes) {
    const std::string& with = string_at(change, "text");
    if (!change.contains("range")) {
      text = with;
      continue;
    }
    const edit::Text before(std::move(text));
    const auto at = [&](const char* which) {
      const Json& place = object_at(object_at(change, "range"), which);
      return before.offset(edit::Place{number_at(place, "line"), number_at(place, "character")}, units_);
    };
    const edit::Span part{at("start"), at("end")};
    if (part.begin > part.end) throw Fault{ErrorCode::kBadParams, "a range whose end is before its start"};
    text = edit::replaced(before.str(), part, with);
  }
  if (text.size() > kMostText) throw Fault{ErrorCode::kBadParams, "the text has become too long"};
  open.text = std::move(text);
  open.version = object_at(params, "textDocument").value("version", Json());
  open.changed = true;
  open.reported = false;
  change_others(open);
}

// Files may have changed that programs load.
void Server::did_save(const Json&) {
  for (auto& [uri, open] : open_) open.changed = true;
}

void Server::did_close(const Json& params) {
  open_at(params);
  const std::string uri = string_at(object_at(params, "textDocument"), "uri");
  open_.erase(uri);
  send_(notification("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}}));
  for (auto& [other, open] : open_) open.changed = true;
}

Server::Open& Server::open_at(const Json& params) {
  const std::string& uri = string_at(object_at(params, "textDocument"), "uri");
  const auto found = open_.find(uri);
  if (found == open_.end()) throw Fault{ErrorCode::kBadParams, uri.substr(0, 300) + " is not open"};
  return found->second;
}

Document& Server::document(const Json& params) {
  Open& open = open_at(params);
  check(open);
  if (!open.failure.empty()) throw Fault{ErrorCode::kFailed, open.failure};
  return *open.document;
}

// What loads a document that has changed is another program now.
void Server::change_others(const Open& than) {
  for (auto& [uri, open] : open_)
    if (&open != &than) open.changed = true;
}

void Server::check(Open& open) {
  if (!std::exchange(open.changed, false)) return;
  open.failure.clear();
  const Budget budget(nullptr, kMostSeconds);
  try {
    open.document->update(open.text);
  } catch (const Cancelled&) {
    open.failure = "checking this takes longer than 10 seconds; it was given up";
  } catch (const TooDeep& e) {
    open.failure = std::string("this is ") + e.what();
  } catch (const std::bad_alloc&) {
    open.failure = "there is not enough memory to check this";
  }
}

void Server::idle() {
  for (auto& [uri, open] : open_)
    if (open.changed || !open.reported) {
      check(open);
      report(uri, open);
    }
}

void Server::report(const std::string& uri, Open& open) {
  Json list = Json::array();
  const edit::Text& text = open.document->text();
  const auto add = [&](edit::Span span, Severity severity, const std::string& message,
                       const std::string& kind) {
    Json problem = {{"range", range(text, span)},
                    {"severity", static_cast<int>(severity) + 1},
                    {"source", "nvm"},
                    {"message", message}};
    if (!kind.empty()) problem["code"] = kind;
    list.push_back(std::move(problem));
  };
  if (!open.failure.empty()) add({}, Severity::kError, open.failure, "");
  if (open.failure.empty())
    for (const edit::Problem& p : open.document->problems()) add(p.span, p.severity, p.text, p.kind);
  if (open.reported && list == open.problems) return;
  open.reported = true;
  open.problems = list;
  Json params = {{"uri", uri}, {"diagnostics", std::move(list)}};
  if (open.version.is_number_integer()) params["version"] = open.version;
  send_(notification("textDocument/publishDiagnostics", std::move(params)));
}

// Names in programs are relative to the folder of the file that is open, and nothing else is read; what the
// editor has open counts as it stands there.
edit::ReadFile Server::reader(const std::string& path) {
  const std::string folder = path.empty() ? "" : std::filesystem::path(path).parent_path().string();
  return [this, folder](std::string& file, std::string& why) -> std::optional<std::string> {
    if (folder.empty()) {
      why = "File " + file + " is not loaded: this text is no file, so it has no folder.";
      return std::nullopt;
    }
    const vm::Gate gate = vm::Gate().and_below(folder);
    const std::filesystem::path whole = std::filesystem::path(folder) / file;
    for (const std::string& name : {whole.string(), whole.string() + ".nesl"}) {
      const std::string normal = std::filesystem::path(name).lexically_normal().string();
      try {
        gate.check(vm::WayOut::kLoad, normal);
        for (const auto& [uri, open] : open_)
          if (open.path == normal) {
            file = normal;
            return open.text;
          }
        if (auto text = gate.read(vm::WayOut::kLoad, normal)) {
          file = normal;
          return text;
        }
      } catch (const vm::Fault&) {
        why = "File " + file + " is not loaded: it is not below the folder of the program.";
        return std::nullopt;
      }
    }
    why = "File " + file + " does not exist, or cannot be read.";
    return std::nullopt;
  };
}

}  // namespace nvm::lsp
