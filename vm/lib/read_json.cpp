#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "vm/lib/csv.h"
#include "vm/lib/json_lines.h"

namespace nvm::vm {

namespace {

using frontend::Type;
using frontend::TypeArena;
using frontend::TypeKind;
using Json = nlohmann::ordered_json;

// All values at one place of the lines, by columns.
class Places {
 public:
  // Throws what is wrong with the value, as a std::string.
  void add(const Json& value) {
    check_stack();
    check_budget();
    if (value.is_null()) return add_missing();
    switch (value.type()) {
      case Json::value_t::boolean: settle(Kind::kBool, "true or false"); break;
      case Json::value_t::string: settle(Kind::kText, "a string"); break;
      case Json::value_t::array: settle(Kind::kArray, "an array"); break;
      case Json::value_t::object: settle(Kind::kObject, "an object"); break;
      default: settle(Kind::kNumber, "a number"); break;
    }
    ++count_;
    switch (kind_) {
      case Kind::kBool: flags_.push_back(value.get<bool>() ? 1 : 0); break;
      case Kind::kText: add_text(value.get_ref<const std::string&>()); break;
      case Kind::kArray: add_array(value); break;
      case Kind::kObject: add_object(value); break;
      default: add_number(value); break;
    }
  }

  // The type, and the slots of all values side by side.
  const Type* take(std::vector<Value>& slots, TypeArena& arena, Pool& pool) const {
    check_stack();
    switch (kind_) {
      case Kind::kBool:
        slots.emplace_back(vector_of(flags_, Storage::kB8, pool));
        return base(TypeKind::kBool);
      case Kind::kNumber: {
        const bool whole = ints_.size() == floats_.size();
        slots.emplace_back(whole ? vector_of(ints_, Storage::kI64, pool)
                                 : vector_of(floats_, Storage::kF64, pool));
        return base(whole ? TypeKind::kInt : TypeKind::kFloat);
      }
      case Kind::kArray: {
        slots.push_back(nested(lengths_, static_cast<std::int64_t>(parts_[0].count_), pool));
        return arena.seq(parts_[0].take(slots, arena, pool));
      }
      case Kind::kObject: {
        std::vector<const Type*> types;
        for (const Places& part : parts_) types.push_back(part.take(slots, arena, pool));
        return types.size() == 1 ? types[0] : arena.tuple(types);
      }
      default: {  // nothing but missing ones are texts
        const std::vector<std::int64_t> none(count_);
        slots.push_back(
            nested(kind_ == Kind::kText ? lengths_ : none, static_cast<std::int64_t>(text_.size()), pool));
        slots.emplace_back(characters_of(text_, pool));
        return arena.seq(base(TypeKind::kChar));
      }
    }
  }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  enum class Kind : std::uint8_t { kUnknown, kBool, kNumber, kText, kArray, kObject };

  static const Type* base(TypeKind kind) { return TypeArena::base(kind); }

  [[nodiscard]] bool may_be_missing(Kind kind) const { return kind == Kind::kNumber || kind == Kind::kText; }

  // From the first value on that is not missing.
  void settle(Kind kind, const char* what) {
    if (kind_ == kind) return;
    if (kind_ != Kind::kUnknown) throw std::string("is ") + what + "; what stands there above is " + what_;
    if (count_ > 0 && !may_be_missing(kind))
      throw std::string("is ") + what + ", which is null above: only numbers and strings can be missing";
    kind_ = kind;
    what_ = what;
    floats_.assign(kind == Kind::kNumber ? count_ : 0, std::numeric_limits<double>::quiet_NaN());
    lengths_.assign(kind == Kind::kText ? count_ : 0, 0);
    if (kind == Kind::kArray) parts_.resize(1);
  }

  void add_missing() {
    if (kind_ != Kind::kUnknown && !may_be_missing(kind_))
      throw std::string("is null or missing: only numbers and strings can be");
    ++count_;
    if (kind_ == Kind::kNumber) floats_.push_back(std::numeric_limits<double>::quiet_NaN());
    if (kind_ == Kind::kText) lengths_.push_back(0);
  }

  void add_number(const Json& value) {
    const bool fits =
        value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
    if (fits && ints_.size() == floats_.size()) ints_.push_back(value.get<std::int64_t>());
    floats_.push_back(value.get<double>());
  }

  void add_text(const std::string& text) {
    text_ += text;
    lengths_.push_back(static_cast<std::int64_t>(text.size()));
  }

  void add_array(const Json& value) {
    lengths_.push_back(static_cast<std::int64_t>(value.size()));
    for (const Json& element : value) within("an element", [&] { parts_[0].add(element); });
  }

  void add_object(const Json& value) {
    if (count_ == 1) {
      if (value.empty()) throw std::string("is an object without keys, which is no tuple");
      for (const auto& [key, unused] : value.items()) keys_.push_back(key);
      parts_.resize(keys_.size());
    }
    std::size_t found = 0;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const auto at = value.find(keys_[i]);
      found += at != value.end() ? 1 : 0;
      within("\"" + keys_[i] + "\"", [&] { parts_[i].add(at != value.end() ? *at : Json()); });
    }
    if (found == value.size()) return;
    for (const auto& [key, unused] : value.items())
      if (std::find(keys_.begin(), keys_.end(), key) == keys_.end())
        throw "has the key \"" + key + "\", which the first line does not have";
  }

  template <typename F>
  static void within(const std::string& place, F f) {
    try {
      f();
    } catch (std::string& why) {
      throw place + (why.starts_with("is") ? " " : ": ") + why;
    }
  }

  Kind kind_ = Kind::kUnknown;
  std::size_t count_ = 0;
  std::string what_;                   // of the kind, in messages
  std::vector<std::int8_t> flags_;     // kBool
  std::vector<std::int64_t> ints_;     // kNumber, as long as all are integers
  std::vector<double> floats_;         // kNumber
  std::string text_;                   // kText
  std::vector<std::int64_t> lengths_;  // kText, kArray
  std::vector<std::string> keys_;      // kObject
  std::vector<Places> parts_;          // kArray: the elements; kObject: of each key
};

// The library's values are copied and let go of by functions that do not ask for the stack: what this many
// levels take of it is left wherever check_stack() returns.
constexpr int kMostNesting = 500;

// Of objects it asks how many keys they have as they come: a key is looked for among those before it.
Json parsed(std::string_view line) {
  check_stack();
  if (line.find('\0') != line.npos) throw std::string("has a NUL character");  // where the library ends
  std::vector<std::size_t> keys;  // of the objects around this place
  return Json::parse(line, [&](int depth, Json::parse_event_t event, Json&) {
    check_budget();
    if (depth > kMostNesting)
      throw "is nested too deeply: at most " + std::to_string(kMostNesting) + " levels";
    if (event == Json::parse_event_t::object_start) keys.push_back(0);
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && ++keys.back() > kMostColumns)
      throw "has an object of more than " + std::to_string(kMostColumns) + " keys, which make no tuple";
    return true;
  });
}

}  // namespace

Typed read_json_lines(std::string_view text, const std::string& path, TypeArena& arena, Pool& pool) {
  Places lines;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    const std::string where = "line " + std::to_string(number);
    try {
      lines.add(parsed(line));
    } catch (const Json::parse_error& error) {
      fail_file(path, where + ", column " + std::to_string(error.byte) + " is no JSON");
    } catch (const Json::exception& error) {
      const std::string_view why = error.what();
      fail_file(path, where + ": " + std::string(why.substr(why.find("] ") + 2)));
    } catch (const std::string& why) {
      fail_file(path, where + (why.starts_with("is ") || why.starts_with("has ") ? " " : ": ") + why);
    }
  }
  if (lines.count() == 0) fail_file(path, "is empty, so nothing says which values there are");
  std::vector<Value> slots{Segdes::regular(1, static_cast<std::int64_t>(lines.count()))};
  const Type* element = lines.take(slots, arena, pool);
  return {arena.seq(element), std::move(slots)};
}

}  // namespace nvm::vm
