// Vectors of VCODE programs from and to files.
#include "bytecode/base/read_file.h"
#include "vm/interp/elements.h"
#include "vm/lib/files.h"
#include "vm/lib/guarded.h"
#include "vm/lib/impl.h"
#include "vm/lib/value_file.h"
#include "vm/lib/watch.hpp"

namespace nvm::lib {

namespace {

// A file that will not do is the caller's matter, no run's.
template <typename F>
auto of_file(F f) noexcept -> decltype(f()) {
  return guarded(f, [](Failure failure) -> decltype(f()) {
    failure.kind = Failure::Class::kProgram;
    return failure;
  });
}

[[noreturn]] void fail(std::string why) { throw vm::Fault{vm::Fault::Kind::kIo, std::move(why)}; }

void check_characters(const std::string& path, const vm::Vector& v) {
  bool good = v.type() == Type::kInt;
  for (std::int64_t i = 0; good && i < v.length(); ++i) good = v.int_at(i) >= 0 && v.int_at(i) < 256;
  if (!good) fail(path + ": only integers from 0 to 255 are characters; .npy and .csv take any numbers");
}

}  // namespace

Result<std::vector<Value>> read_values(const std::string& path,
                                       std::span<const std::shared_ptr<Watcher>> watchers) {
  return of_file([&]() -> Result<std::vector<Value>> {
    const vm::NamedFile named = vm::named_file(path);
    InFile in = vm::input_file(world_of(watchers), named);
    std::vector<vm::Value> slots = vm::read_slots(named, in, loose_pool());
    // The outermost descriptor, of the one sequence, says what the next slot's length says.
    if (slots.size() > 1) slots.erase(slots.begin());
    std::vector<Value> values;
    for (vm::Value& slot : slots) values.push_back(loose_value(std::move(slot)));
    return values;
  });
}

Result<Value> read_segdes(const std::string& path, std::span<const std::shared_ptr<Watcher>> watchers) {
  return of_file([&]() -> Result<Value> {
    auto values = read_values(path, watchers);
    if (!values) return values.failure();
    if (values->size() != 1 || values->front().kind() != Kind::kInt)
      fail(path + ": the lengths of a descriptor are a vector of integers");
    auto segdes = make_segdes(values->front().ints());
    if (!segdes) fail(path + ": " + segdes.failure().reason);
    return segdes;
  });
}

namespace {

using Wrong = std::optional<std::string>;

frontend::TypeKind element_of(Kind kind) {
  return kind == Kind::kFloat  ? frontend::TypeKind::kFloat
         : kind == Kind::kBool ? frontend::TypeKind::kBool
                               : frontend::TypeKind::kInt;
}

Wrong reason_of(Failure failure) { return std::move(failure.reason); }

}  // namespace

ValueFile::ValueFile(const std::string& word) noexcept
    : impl_(guarded(
          [&] {
            auto impl = std::make_unique<Impl>(vm::named_file(word, vm::FileUse::kWrite));
            if (impl->out.error() != 0) fail(impl->out.why());
            if (auto why = vm::refuses_all(impl->named); !why.empty()) fail(impl->named.path + ": " + why);
            return impl;
          },
          [&](Failure failure) {
            wrong_ = std::move(failure.reason);
            return std::unique_ptr<Impl>();
          })) {}
ValueFile::ValueFile(ValueFile&& o) noexcept
    : wrong_(std::exchange(o.wrong_, "moved")), impl_(std::move(o.impl_)) {}
ValueFile& ValueFile::operator=(ValueFile&& o) noexcept {
  wrong_ = std::exchange(o.wrong_, "moved");
  impl_ = std::move(o.impl_);
  return *this;
}
ValueFile::~ValueFile() = default;

std::string ValueFile::path() const { return impl_ == nullptr ? "" : impl_->named.path; }

Wrong ValueFile::refuses(Kind kind) const {
  return guarded(
      [&]() -> Wrong {
        if (impl_ == nullptr) return wrong_;
        const std::string& path = impl_->named.path;
        if (kind == Kind::kPair) return path + ": a pair is no vector";
        const bool is_text = impl_->named.kind == vm::FileKind::kText;
        if (is_text && kind != Kind::kInt)
          return path + ": only integers from 0 to 255 are characters; .npy and .csv take any numbers";
        frontend::TypeArena arena;
        const auto element =
            frontend::TypeArena::base(is_text ? frontend::TypeKind::kChar : element_of(kind));
        const std::string why = vm::refuses(impl_->named.kind, arena.seq(element));
        return why.empty() ? std::nullopt : std::optional(path + ": " + why);
      },
      reason_of);
}

Wrong ValueFile::write(const Value& value) {
  return guarded(
      [&]() -> Wrong {
        if (!value) return "there is no value";
        if (const auto refused = refuses(value.kind())) return refused;
        const Value vector = value.kind() == Kind::kSegdes ? make_ints(value.ints()) : value;
        if (!vector) return kNoMemory;
        const auto& v = std::get<vm::Vector>(vector.impl()->value);
        const bool is_text = impl_->named.kind == vm::FileKind::kText;
        if (is_text) check_characters(impl_->named.path, v);
        const auto element = is_text ? frontend::TypeKind::kChar : element_of(vector.kind());
        frontend::TypeArena arena;
        const vm::Value slots[] = {vm::Segdes::regular(1, v.length()), v};
        vm::write_value(impl_->out, impl_->named, arena.seq(frontend::TypeArena::base(element)), slots);
        return std::nullopt;
      },
      reason_of);
}

Wrong write_value(const std::string& word, const Value& value) {
  return guarded([&] { return ValueFile(word).write(value); }, reason_of);
}

}  // namespace nvm::lib
