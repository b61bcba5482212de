// Any bytes as a client of nvm lsp: whatever is a message is answered, whatever is none is refused, and
// nothing crashes. Bytes that are no frames are also typed into a document, a line at a time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bytecode/base/check.h"
#include "vm/lsp/frames.h"
#include "vm/lsp/server.h"

using namespace nvm;
using lsp::Json;

namespace {

std::size_t answers = 0;

void count(const Json& message) {
  static_cast<void>(lsp::text_of(message));
  if (!message.contains("method")) ++answers;
}

Json request(const char* method, Json params) {
  return {{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", std::move(params)}};
}

void type_in(std::string_view text, const char* language) {
  lsp::Server server("0", count);
  server.handle(request("initialize", Json::object()));
  const Json document = {{"uri", "file:///a"}};
  // Bytes that are no UTF-8 cannot come in JSON.
  const std::string valid =
      Json::parse(Json(std::string(text)).dump(-1, ' ', true, Json::error_handler_t::replace));
  server.handle(lsp::notification(
      "textDocument/didOpen",
      {{"textDocument", {{"uri", "file:///a"}, {"languageId", language}, {"version", 1}, {"text", ""}}}}));
  for (std::size_t at = 0; at < valid.size();) {
    const std::size_t end = std::min(valid.find('\n', at), valid.size() - 1) + 1;
    const Json place = {{"line", 0}, {"character", 0}};
    const Json change = {{"text", valid.substr(at, end - at)}, {"range", {{"start", place}, {"end", place}}}};
    server.handle(lsp::notification("textDocument/didChange",
                                    {{"textDocument", document}, {"contentChanges", Json::array({change})}}));
    server.idle();
    for (const char* method : {"hover", "definition", "references", "completion", "signatureHelp",
                               "formatting", "documentSymbol"}) {
      const std::size_t before = answers;
      server.handle(request((std::string("textDocument/") + method).c_str(),
                            {{"textDocument", document}, {"position", {{"line", 0}, {"character", 3}}}}));
      NVM_CHECK(answers == before + 1, "a request has one answer");
    }
    at = end;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  lsp::FrameReader frames;
  lsp::Server server("0", count);
  bool any = false;
  for (std::size_t at = 0; at < size; at += 7) {  // in pieces
    frames.feed(text.substr(at, 7));
    while (const auto frame = frames.next()) {
      const std::size_t before = answers;
      if (frame->fault.empty())
        server.handle(std::string_view(frame->text));
      else
        server.refuse({lsp::ErrorCode::kParse, frame->fault});
      NVM_CHECK(answers <= before + 1, "one answer at most");
      any = any || frame->fault.empty();
    }
  }
  server.idle();
  constexpr std::size_t kMostTyped = 2000;
  if (any || size > kMostTyped) return 0;
  type_in(text, "nesl");
  type_in(text, "remora");
  return 0;
}
