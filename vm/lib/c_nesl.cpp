// NESL from C: sessions, calls and values.
#include <atomic>
#include <memory>
#include <ostream>
#include <streambuf>

#include "vm/lib/c_handles.h"

// Collects what is written.
class TextBuffer final : public std::streambuf {
 public:
  std::string text;

 protected:
  int overflow(int c) override {
    if (c != traits_type::eof()) text += static_cast<char>(c);
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char* more, std::streamsize n) override {
    text.append(more, static_cast<std::size_t>(n));
    return n;
  }
};

// A session and what it says: all of it is used by one call at a time.
struct CSession {
  explicit CSession(const nvm::lib::NeslOptions& options)
      : messages(&shown), session(options, messages, messages) {}
  TextBuffer shown;
  std::ostream messages;
  nvm::lib::Nesl session;
  std::atomic<bool> busy{false};
};
struct nvm_nesl {
  std::shared_ptr<CSession> session;  // a call shares it: the handle may be freed meanwhile
};
struct nvm_nesl_value {
  nvm::lib::NeslValue value;
};

namespace {

using namespace nvm::lib;

nvm_nesl_value* value_handle(std::string type, std::vector<Value> parts) {
  for (const Value& part : parts)
    if (!part) throw std::bad_alloc();
  return new nvm_nesl_value{{std::move(type), std::move(parts)}};
}

// A descriptor of these lengths.
Value descriptor(std::span<const std::int64_t> lengths) {
  auto made = make_segdes(lengths);
  if (!made) refuse(made.failure().reason);
  return *made;
}
Value descriptor(std::int64_t length) { return descriptor({&length, 1}); }

const char* type_of_kind(Kind kind) {
  switch (kind) {
    case Kind::kInt: return "[int]";
    case Kind::kFloat: return "[float]";
    case Kind::kBool: return "[bool]";
    default: refuse("elements of a sequence are a vector");
  }
}

// f(session) of one that nobody else uses.
template <typename F>
auto using_session(const nvm_nesl& handle, F f) {
  const std::shared_ptr<CSession> session = handle.session;
  const Taken taken(session->busy);
  if (!taken) refuse(kBusy);
  session->shown.text.clear();
  return f(*session);
}

std::vector<NeslValue> values_of(nvm_nesl_value* const* handles, int count) {
  check_inputs(handles, count);
  std::vector<NeslValue> values;
  for (int i = 0; i < count; ++i) {
    if (handles[i] == nullptr) refuse("value " + std::to_string(i) + " is NULL");
    values.push_back(handles[i]->value);
  }
  return values;
}

}  // namespace

nvm_nesl* nvm_nesl_new(const nvm_options* options) {
  return guarded_c([&] {
    NeslOptions nesl;
    nesl.vm = options_of(options);
    return new nvm_nesl{std::make_shared<CSession>(nesl)};
  });
}
void nvm_nesl_free(nvm_nesl* session) { delete session; }

int nvm_nesl_define(nvm_nesl* session, const char* text, size_t size, const char* name) {
  return guarded_c(
      [&] {
        if (session == nullptr || text == nullptr || name == nullptr)
          refuse("definitions without session or text");
        return using_session(*session, [&](CSession& s) {
          auto defined = s.session.define({text, size}, name);
          if (defined) return 0;
          Failure failure = defined.failure();
          if (failure.messages.empty()) failure.message = s.shown.text + failure.message;
          keep_error(std::move(failure));
          return 1;
        });
      },
      1);
}

nvm_nesl_value* nvm_nesl_call(nvm_nesl* session, const char* function, nvm_nesl_value* const* arguments,
                              int argument_count) {
  return guarded_c([&] {
    if (session == nullptr || function == nullptr) refuse("a call without session or function");
    return using_session(*session, [&](CSession& s) {
      return handle_of<nvm_nesl_value>(s.session.call(function, values_of(arguments, argument_count)));
    });
  });
}

nvm_nesl_value* nvm_nesl_int(int64_t x) {
  return guarded_c([&] { return value_handle("int", {make_ints({&x, 1})}); });
}
nvm_nesl_value* nvm_nesl_float(double x) {
  return guarded_c([&] { return value_handle("float", {make_floats({&x, 1})}); });
}
nvm_nesl_value* nvm_nesl_bool(int x) {
  return guarded_c([&] {
    const std::uint8_t b = x != 0 ? 1 : 0;
    return value_handle("bool", {make_bools({&b, 1})});
  });
}
nvm_nesl_value* nvm_nesl_text(const char* text, size_t size) {
  return guarded_c([&] {
    if (text == nullptr) refuse("the text is NULL");
    std::vector<std::int64_t> codes(size);
    for (std::size_t i = 0; i < size; ++i) codes[i] = static_cast<unsigned char>(text[i]);
    return value_handle("[char]", {descriptor(static_cast<std::int64_t>(size)), make_ints(codes)});
  });
}
nvm_nesl_value* nvm_nesl_sequence(const nvm_value* elements) {
  return guarded_c([&] {
    if (elements == nullptr) refuse("the elements are NULL");
    return value_handle(type_of_kind(elements->value.kind()),
                        {descriptor(elements->value.size()), elements->value});
  });
}
nvm_nesl_value* nvm_nesl_nest(const nvm_nesl_value* elements, const int64_t* lengths, int64_t n) {
  return guarded_c([&] {
    const bool sequence =
        elements != nullptr && elements->value.type.front() == '[' && !elements->value.parts.empty();
    if (!sequence) refuse("the elements are no sequence");
    std::vector<Value> parts{descriptor(n), descriptor(elements_of(lengths, n))};
    parts.insert(parts.end(), elements->value.parts.begin() + 1, elements->value.parts.end());
    return value_handle("[" + elements->value.type + "]", std::move(parts));
  });
}
nvm_nesl_value* nvm_nesl_tuple(nvm_nesl_value* const* components, int count) {
  return guarded_c([&] {
    if (count < 2) refuse("a tuple of " + std::to_string(count) + " components");
    std::string type;
    std::vector<Value> parts;
    for (NeslValue& component : values_of(components, count)) {
      type += (type.empty() ? "(" : ", ") + component.type;
      parts.insert(parts.end(), component.parts.begin(), component.parts.end());
    }
    return value_handle(type + ")", std::move(parts));
  });
}
nvm_nesl_value* nvm_nesl_make(const char* type, nvm_value* const* parts, int part_count) {
  return guarded_c([&] {
    if (type == nullptr || *type == '\0') refuse("a value without a type");
    check_inputs(parts, part_count);
    std::vector<Value> values;
    for (int i = 0; i < part_count; ++i) {
      if (parts[i] == nullptr) refuse("part " + std::to_string(i) + " is NULL");
      values.push_back(parts[i]->value);
    }
    return value_handle(type, std::move(values));
  });
}

const char* nvm_nesl_type(const nvm_nesl_value* value) {
  return value == nullptr ? "" : value->value.type.c_str();
}
int nvm_nesl_part_count(const nvm_nesl_value* value) {
  return value == nullptr ? 0 : static_cast<int>(value->value.parts.size());
}
nvm_value* nvm_nesl_part(const nvm_nesl_value* value, int i) {
  return guarded_c([&] {
    if (i < 0 || i >= nvm_nesl_part_count(value)) refuse("there is no part " + std::to_string(i));
    return handle(value->value.parts[static_cast<std::size_t>(i)]);
  });
}
void nvm_nesl_value_free(nvm_nesl_value* value) { delete value; }
