#include "vm/lsp/message.h"

namespace nvm::lsp {

Json read_json(std::string_view text) {
  std::size_t values = 0;
  const auto count = [&values](int depth, Json::parse_event_t event, Json&) {
    const bool opens =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    if (opens && depth >= kMostDepth)
      throw Fault{ErrorCode::kParse, "JSON nested more than " + std::to_string(kMostDepth) + " deep"};
    if (++values > kMostValues)
      throw Fault{ErrorCode::kParse, "JSON of more than " + std::to_string(kMostValues) + " values"};
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), count);
  } catch (const Json::exception& e) {
    std::string why = e.what();
    if (const std::size_t at = why.find("] "); at != why.npos) why.erase(0, at + 2);
    constexpr std::size_t kLongest = 200;  // it may quote all of a string
    if (why.size() > kLongest) why = why.substr(0, kLongest) + "...";
    throw Fault{ErrorCode::kParse, "no JSON: " + why};
  }
}

Json error_answer(const Json& id, const Fault& fault) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", static_cast<int>(fault.code)}, {"message", fault.text}}}};
}

Json answer(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json notification(const char* method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

bool is_id(const Json& id) { return id.is_string() || id.is_number_integer(); }

namespace {

const Json& member(const Json& params, const char* name) {
  static const Json none;
  if (!params.is_object()) return none;
  const auto found = params.find(name);
  return found == params.end() ? none : *found;
}

[[noreturn]] void expected(const char* what, const char* name) {
  throw Fault{ErrorCode::kBadParams, std::string("expected ") + what + " as " + name};
}

}  // namespace

const Json& object_at(const Json& params, const char* name) {
  const Json& found = member(params, name);
  if (!found.is_object()) expected("an object", name);
  return found;
}

const Json& array_at(const Json& params, const char* name) {
  const Json& found = member(params, name);
  if (!found.is_array()) expected("an array", name);
  return found;
}

const std::string& string_at(const Json& params, const char* name) {
  const Json& found = member(params, name);
  if (!found.is_string()) expected("a string", name);
  return found.get_ref<const std::string&>();
}

std::size_t number_at(const Json& params, const char* name) {
  constexpr std::uint64_t kMost = 0x7fffffff;
  const Json& found = member(params, name);
  if (!found.is_number_unsigned() || found.get<std::uint64_t>() > kMost)
    expected("a whole number from 0 to 2147483647", name);
  return static_cast<std::size_t>(found.get<std::uint64_t>());
}

std::string text_of(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace nvm::lsp
