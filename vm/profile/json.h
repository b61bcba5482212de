// Writing JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nvm::vm {

// With quotes around it. Bytes that are no UTF-8 become U+FFFD, so that every reader takes the text.
void append_json(std::string& out, std::string_view text);
[[nodiscard]] std::string json_text(std::string_view text);

// With up to `digits` significant digits; null for what JSON has no number for.
[[nodiscard]] std::string json_number(double x, int digits = 6);

// "name":value pairs of one object, in order.
class JsonObject {
 public:
  JsonObject& add(std::string_view name, std::string_view text) {
    append_json(begin(name), text);
    return *this;
  }
  JsonObject& add(std::string_view name, const char* text) { return add(name, std::string_view(text)); }
  JsonObject& add(std::string_view name, std::int64_t value) { return raw(name, std::to_string(value)); }
  JsonObject& add(std::string_view name, double value) { return raw(name, json_number(value)); }
  JsonObject& raw(std::string_view name, std::string_view json) {
    begin(name) += json;
    return *this;
  }
  [[nodiscard]] std::string text() const { return body_.empty() ? "{}" : body_ + "}"; }

 private:
  std::string& begin(std::string_view name) {
    body_ += body_.empty() ? '{' : ',';
    append_json(body_, name);
    return body_ += ':';
  }
  std::string body_;
};

class JsonArray {
 public:
  JsonArray& raw(std::string_view json) {
    body_ += body_.empty() ? '[' : ',';
    body_ += json;
    return *this;
  }
  [[nodiscard]] std::string text() const { return body_.empty() ? "[]" : body_ + "]"; }

 private:
  std::string body_;
};

}  // namespace nvm::vm
