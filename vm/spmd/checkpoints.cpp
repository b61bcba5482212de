#include "vm/spmd/checkpoints.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "bytecode/base/stack.h"
#include "vm/interp/call_stack.h"
#include "vm/interp/elements.h"
#include "vm/prims/operands.h"

namespace nvm::vm::spmd {

namespace {

constexpr std::size_t kWindow = std::size_t{4} << 20;  // bytes of a vector that one rank has of the others
// Instructions without a round, after which there is one.
constexpr std::uint64_t kQuiet = 1 << 16;

// kSame: as one that came before, by its number among those of kVector and kIrregular.
enum class Shape : std::uint64_t { kNothing, kVector, kRegular, kIrregular, kUnread, kSame, kPair };

// A slot whose value was moved away may be left with a reference to nothing.
bool is_empty(const Value& value) {
  return std::visit(
      [](const auto& x) {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, Vector> || std::is_same_v<T, Segdes>) return false;
        if constexpr (requires { x == nullptr; }) return x == nullptr;
        return true;
      },
      value);
}

[[noreturn]] void senseless() { throw Fault{Fault::Kind::kIo, "the checkpoint makes no sense"}; }

// All ranks write the same, and the first one's words count.
class Writer {
 public:
  Writer(Parts& parts, Store* store) : parts_(parts), store_(store) {}

  void number(std::uint64_t x) { bytes(std::as_bytes(std::span(&x, 1))); }
  void number(std::int64_t x) { number(static_cast<std::uint64_t>(x)); }
  void bytes(std::span<const std::byte> some) {
    if (store_ != nullptr) store_->write(some);
  }
  void value(Value value);

 private:
  void shape(Shape s) { number(static_cast<std::uint64_t>(s)); }
  // Where its elements are; null if nowhere.
  [[nodiscard]] const void* elements_of(const Value& value) const;
  [[nodiscard]] bool is_again(const Value& value);
  void vector(const Value& v);
  void segdes(const Segdes& s);
  void elements(const Value& v);
  void window(const Value& v, Range range);

  Parts& parts_;
  Store* store_;
  std::unordered_map<const void*, std::uint64_t> known_;
  std::vector<Value> all_;
};

void Writer::value(Value value) {
  check_stack();
  if (is_empty(value)) return shape(Shape::kNothing);
  parts_.tier().force(value);
  if (const auto* s = std::get_if<Segdes>(&value)) return segdes(*s);
  if (const auto* p = std::get_if<std::shared_ptr<const PairValue>>(&value)) {
    shape(Shape::kPair);
    this->value((*p)->left);
    return this->value((*p)->right);
  }
  vector(value);
}

void Writer::segdes(const Segdes& s) {
  if (s.is_unread()) return shape(Shape::kUnread);
  if (!s.is_regular()) {
    if (is_again(s)) return;
    shape(Shape::kIrregular);
    return elements(s.lengths(*parts_.prims().pool));
  }
  shape(Shape::kRegular);
  number(s.segments());
  number(s.regular_length());
}

const void* Writer::elements_of(const Value& value) const {
  if (const auto* d = std::get_if<DistributedRef>(&value)) return d->get();
  if (const auto* s = std::get_if<Segdes>(&value)) return s->lengths(*parts_.prims().pool).place();
  return std::get<Vector>(value).place();
}

bool Writer::is_again(const Value& value) {
  all_.push_back(value);
  const void* const place = elements_of(value);
  if (place == nullptr) return false;
  const auto [known, added] = known_.try_emplace(place, all_.size() - 1);
  const auto same = [&](const Value& other) {
    if (value.index() != other.index()) return false;
    if (const auto* s = std::get_if<Segdes>(&value)) return s->identical(std::get<Segdes>(other));
    if (distributed(value) != nullptr) return true;
    const auto& v = std::get<Vector>(value);
    return v.length() == std::get<Vector>(other).length() && v.storage() == std::get<Vector>(other).storage();
  };
  if (added || !same(all_[known->second])) {
    known->second = all_.size() - 1;
    return false;
  }
  all_.pop_back();
  shape(Shape::kSame);
  number(known->second);
  return true;
}

void Writer::vector(const Value& v) {
  if (is_again(v)) return;
  shape(Shape::kVector);
  elements(v);
}

void Writer::elements(const Value& v) {
  const Type type = type_of_vector(v);
  const std::int64_t n = length_of_vector(v);
  number(static_cast<std::uint64_t>(type));
  number(n);
  const std::int64_t most = static_cast<std::int64_t>(kWindow) / parts_.bytes(type);
  for (std::int64_t begin = 0; begin < n; begin += most) window(v, {begin, std::min(n, begin + most)});
}

// Elements that the first rank has, or gets of those that have them.
void Writer::window(const Value& v, Range range) {
  const Distributed* d = distributed(v);
  const Type type = type_of_vector(v);
  const auto width = static_cast<std::size_t>(parts_.bytes(type));
  const auto written = [&](const Vector& whole, std::int64_t begin, std::int64_t end) {
    std::vector<std::byte> elements(static_cast<std::size_t>(end - begin) * width);
    if (end > begin) parts_.write(whole.part(begin, end - begin), elements.data());
    return elements;
  };
  if (d == nullptr) {
    if (store_ != nullptr) bytes(written(std::get<Vector>(v), range.begin, range.end));
    return;
  }
  const auto of = [&](int r) -> Range {
    const std::int64_t begin = std::clamp(range.begin, d->cut->begin(r), d->cut->end(r));
    return {begin, std::clamp(range.end, begin, d->cut->end(r))};
  };
  const int me = parts_.rank();
  const Range mine = of(me);
  const std::vector<std::byte> here =
      written(parts_.own(*d), mine.begin - d->cut->begin(me), mine.end - d->cut->begin(me));
  std::vector<std::span<const std::byte>> out(static_cast<std::size_t>(parts_.ranks()));
  out[0] = here;
  std::vector<std::int64_t> received(out.size(), 0);
  for (int r = 0; me == 0 && r < parts_.ranks(); ++r)
    received[static_cast<std::size_t>(r)] = (of(r).end - of(r).begin) * static_cast<std::int64_t>(width);
  const Pieces pieces = parts_.exchange().trade(out, received);
  for (int r = 0; me == 0 && r < parts_.ranks(); ++r) bytes(pieces.of(r));
}

// All ranks read the same, which the first one tells them.
class Reader {
 public:
  Reader(Parts& parts, Store* store) : parts_(parts), store_(store) {}

  // Null: nobody wants them.
  void bytes(std::byte* to, std::size_t n);
  [[nodiscard]] std::uint64_t number() {
    std::uint64_t x = 0;
    bytes(reinterpret_cast<std::byte*>(&x), sizeof x);
    return x;
  }
  // At most `most`.
  [[nodiscard]] std::uint64_t number(std::uint64_t most) {
    const std::uint64_t x = number();
    return x <= most ? x : (senseless(), 0);
  }
  [[nodiscard]] Value value(int depth = 0);

 private:
  [[nodiscard]] Value vector();
  [[nodiscard]] std::pair<Type, std::int64_t> extent();
  [[nodiscard]] Vector elements(Type type, std::int64_t n);

  Parts& parts_;
  Store* store_;
  std::vector<Value> all_;
  std::vector<std::byte> window_;
  std::size_t at_ = 0;
};

void Reader::bytes(std::byte* to, std::size_t n) {
  while (n > 0) {
    if (at_ == window_.size()) {
      std::vector<std::byte> next(store_ != nullptr ? kWindow : 0);
      if (store_ != nullptr) next.resize(store_->read(next));
      window_ = parts_.exchange().send(0, next);
      at_ = 0;
      if (window_.empty()) throw Fault{Fault::Kind::kIo, "the checkpoint ends too early"};
    }
    const std::size_t some = std::min(n, window_.size() - at_);
    if (to != nullptr) {
      std::memcpy(to, window_.data() + at_, some);
      to += some;
    }
    at_ += some;
    n -= some;
  }
}

Value Reader::value(int depth) {
  check_stack();
  switch (static_cast<Shape>(number(static_cast<std::uint64_t>(Shape::kPair)))) {
    case Shape::kNothing: return {};
    case Shape::kVector: return all_.emplace_back(vector());
    case Shape::kRegular: {
      const auto segments = static_cast<std::int64_t>(number(INT64_MAX));
      return Segdes::regular(segments, static_cast<std::int64_t>(number(INT64_MAX)));
    }
    case Shape::kIrregular: {
      const auto [type, n] = extent();
      if (type != Type::kInt) senseless();
      return all_.emplace_back(Segdes::checked(elements(type, n)));
    }
    case Shape::kSame: return all_.empty() ? (senseless(), Value()) : all_[number(all_.size() - 1)];
    case Shape::kUnread: return Segdes::unread();
    case Shape::kPair: break;
  }
  if (depth == kDeepestPair) senseless();
  Value left = value(depth + 1);
  return make_pair_value(std::move(left), value(depth + 1));
}

std::pair<Type, std::int64_t> Reader::extent() {
  const auto type = static_cast<Type>(number(static_cast<std::uint64_t>(Type::kBool)));
  const auto n = static_cast<std::int64_t>(number(INT64_MAX));
  if (!is_length(n)) senseless();
  return {type, n};
}

Vector Reader::elements(Type type, std::int64_t n) {
  Fresh out(parts_.prims(), parts_.storage(type), n);
  bytes(out.data(), static_cast<std::size_t>(n * parts_.bytes(type)));
  return out.take();
}

Value Reader::vector() {
  const auto [type, n] = extent();
  if (!parts_.is_long(n)) return elements(type, n);
  const CutRef cut = parts_.cut_of(n);
  const int me = parts_.rank();
  bytes(nullptr, static_cast<std::size_t>(cut->begin(me) * parts_.bytes(type)));
  Vector mine = elements(type, cut->length(me));
  bytes(nullptr, static_cast<std::size_t>((n - cut->end(me)) * parts_.bytes(type)));
  return parts_.join(type, cut, std::move(mine));
}

}  // namespace

Checkpointing::Checkpointing(const Code& code, Parts& parts, Generator& random, Store* store, bool continues)
    : code_(code), parts_(parts), random_(random), store_(store), continues_(continues) {
  if (store_ != nullptr)
    parts_.exchange().ask_before_rounds([this] { return store_->due(parts_.exchange().rounds()); });
}

Checkpointing::~Checkpointing() { parts_.exchange().ask_before_rounds(nullptr); }

bool Checkpointing::due() {
  Exchange& exchange = parts_.exchange();
  if (exchange.passed_since() >= kQuiet) exchange.meet();
  return exchange.asked();
}

void Checkpointing::take(const Standing& here) {
  if (all_can()) {
    if (store_ != nullptr) store_->begin();
    Writer out(parts_, store_);
    const auto stand = [&](const CodeFunction* function, const Step* step) {
      out.number(function - code_.functions.data());
      out.number(step - function->steps.data());
    };
    out.number(here.place.calls.size());
    for (const Activation& call : here.place.calls) stand(call.function, call.step);
    stand(here.place.function, here.place.step);
    for (const Value& value : here.values) out.value(value);
    const std::vector<std::uint64_t> random = random_.state();
    out.number(random.size());
    for (const std::uint64_t word : random) out.number(word);
    if (store_ != nullptr) store_->end(parts_.exchange().rounds());
  }
  parts_.exchange().answered();
}

// What has failed on one of them comes first.
bool Checkpointing::all_can() {
  const std::byte can{static_cast<unsigned char>(store_ != nullptr && store_->possible() ? 1 : 0)};
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(parts_.ranks()), 0);
  lengths[0] = 1;
  const auto said = store_ != nullptr ? std::span(&can, 1) : std::span<const std::byte>();
  return parts_.exchange().gather(said, lengths).of(0)[0] != std::byte{0};
}

std::optional<Standing> Checkpointing::from() {
  if (!std::exchange(continues_, false)) return std::nullopt;
  Reader in(parts_, store_);
  Standing standing;
  Place& place = standing.place;
  const auto stand = [&](const CodeFunction*& function, const Step*& step) {
    function = &code_.functions[in.number(code_.functions.size() - 1)];
    step = &function->steps[in.number(function->steps.size() - 1)];
  };
  std::int64_t values = 0;
  for (std::uint64_t calls = in.number(); calls > 0; --calls) {
    Activation call{};
    stand(call.function, call.step);
    if (call.step->kind != StepKind::kCall) senseless();
    values += call.step->window;
    place.calls.push_back(call);
  }
  stand(place.function, place.step);
  for (values += place.function->slots; values > 0; --values) standing.values.push_back(in.value());
  std::vector<std::uint64_t> random;
  for (std::uint64_t words = in.number(64); words > 0; --words) random.push_back(in.number());
  if (!random_.set_state(random)) senseless();
  return standing;
}

}  // namespace nvm::vm::spmd
