// JSON-RPC messages, within limits.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

namespace nvm::lsp {

using Json = nlohmann::json;

inline constexpr int kMostDepth = 100;               // of arrays and objects
inline constexpr std::size_t kMostValues = 200'000;  // of a message

enum class ErrorCode : int {
  kParse = -32700,
  kInvalidRequest = -32600,
  kNoMethod = -32601,
  kBadParams = -32602,
  kInternal = -32603,
  kNotInitialised = -32002,
  kCancelled = -32800,
  kFailed = -32803,
};

// What a request is answered with in place of a result.
struct Fault {
  ErrorCode code;
  std::string text;
};

// Throws Fault.
[[nodiscard]] Json read_json(std::string_view text);

[[nodiscard]] Json error_answer(const Json& id, const Fault& fault);
[[nodiscard]] Json answer(const Json& id, Json result);
[[nodiscard]] Json notification(const char* method, Json params);
// Whether a value can be the id of a request.
[[nodiscard]] bool is_id(const Json& id);

// A member of an object, of the type that a reader of parameters expects. Throw Fault kBadParams.
[[nodiscard]] const Json& object_at(const Json& params, const char* name);
[[nodiscard]] const Json& array_at(const Json& params, const char* name);
[[nodiscard]] const std::string& string_at(const Json& params, const char* name);
[[nodiscard]] std::size_t number_at(const Json& params, const char* name);  // 0 to 2^31 - 1

// The text of a message; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string text_of(const Json& message);

}  // namespace nvm::lsp
