// Writing JSON.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace nvm::vm {

// With quotes around it. Bytes that are no UTF-8 become U+FFFD, so that every reader takes the text.
[[nodiscard]] std::string json_text(std::string_view text);

// Shortest of up to `digits` significant ones; null for what JSON has no number for.
[[nodiscard]] inline std::string json_number(double x, int digits = 6) {
  if (!std::isfinite(x)) return "null";
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, x);
  return text;
}

// "name":value pairs of one object, in order.
class JsonObject {
 public:
  JsonObject& add(std::string_view name, std::string_view text) { return raw(name, json_text(text)); }
  JsonObject& add(std::string_view name, const char* text) { return raw(name, json_text(text)); }
  JsonObject& add(std::string_view name, std::int64_t value) { return raw(name, std::to_string(value)); }
  JsonObject& add(std::string_view name, double value) { return raw(name, json_number(value)); }
  JsonObject& raw(std::string_view name, std::string_view json) {
    body_ += (body_.empty() ? "" : ",") + json_text(name) + ":";
    body_ += json;
    return *this;
  }
  [[nodiscard]] bool empty() const { return body_.empty(); }
  [[nodiscard]] std::string text() const { return "{" + body_ + "}"; }

 private:
  std::string body_;
};

class JsonArray {
 public:
  JsonArray& raw(std::string_view json) {
    body_ += body_.empty() ? "" : ",";
    body_ += json;
    return *this;
  }
  [[nodiscard]] std::string text() const { return "[" + body_ + "]"; }

 private:
  std::string body_;
};

}  // namespace nvm::vm
