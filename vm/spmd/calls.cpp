#include "vm/spmd/calls.h"

#include <algorithm>
#include <cstring>

#include "vm/block/split.h"
#include "vm/interp/elements.h"
#include "vm/interp/interp.h"
#include "vm/interp/work.h"

namespace nvm::vm::spmd {

namespace {

using Kind = ssa::Split::Kind;

// Bytes that a rank may have beyond its share: what another level in step would even out costs less than the
// rounds of that level. So with more ranks than there is work for no more levels go in step.
constexpr std::int64_t kWorthRounds = 1 << 16;

// What has the lengths of the arguments, as one process would see them, and takes no memory.
std::vector<Value> shapes(const Parts& parts, std::span<const Value> arguments) {
  std::vector<Value> all;
  for (const Value& value : arguments) {
    const Distributed* d = distributed(value);
    if (d == nullptr) {
      all.push_back(value);
      continue;
    }
    Vector one = d->type == Type::kFloat  ? Vector::of_float(0)
                 : d->type == Type::kBool ? Vector::of_bool(false)
                                          : Vector::of_int(0, parts.storage(Type::kInt));
    all.emplace_back(d->length() > 1 ? Vector::repeated(one, d->length()) : one);
  }
  return all;
}

std::int64_t size_of(const Value& value) {
  if (const auto* s = std::get_if<Segdes>(&value)) return std::max(s->segments(), s->total());
  return distributed(value) != nullptr || std::holds_alternative<Vector>(value) ? length_of_vector(value) : 0;
}

}  // namespace

Calls::Calls(const Code& code, const Machine& machine, std::span<const Value> inputs, Parts& parts)
    : code_(code),
      machine_(machine),
      inputs_(inputs),
      parts_(parts),
      policy_(*code.module, block::Options{}, std::max(2, parts.ranks())) {
  machine_.host = nullptr;
}

bool Calls::call(ssa::FunctionId function, std::int64_t depth, std::span<Value> arguments,
                 std::vector<Value>& results) {
  if (!policy_.considers(function)) return false;
  for (Value& value : arguments) parts_.tier().force(value);
  std::int64_t most = 0;
  for (const Value& value : arguments) most = std::max(most, size_of(value));
  if (!parts_.is_long(most)) return false;
  const std::vector<Value> as_one = shapes(parts_, arguments);
  const ssa::LiftedInfo& lifted = code_.module->functions[static_cast<std::size_t>(function)].lifted;
  const auto layout = block::Layout::of(lifted.parameters, as_one);
  if (!layout) return false;
  const auto bounds = deal_out(*layout);
  if (!bounds) return false;
  parts_.tier().finish();  // what was promised before, and has failed, comes first
  parts_.exchange().agree();
  std::vector<Value> mine = own(*layout, arguments, *bounds);
  if (!join(function, run_alone(function, depth, std::move(mine)), results)) {
    policy_.give_up(function);  // the whole must be run to know why
    return false;
  }
  ++dealt_out_;
  return true;
}

// By bytes, the largest share being no more than 5/4 of the mean, or little more than the mean.
std::optional<Calls::Bounds> Calls::deal_out(const block::Layout& layout) const {
  Bounds bounds = layout.bounds(parts_.ranks());
  if (static_cast<int>(bounds.size()) != parts_.ranks() + 1) return std::nullopt;
  for (std::size_t r = 0; r + 1 < bounds.size(); ++r) {
    const std::int64_t share = layout.bytes_before(bounds[r + 1]) - layout.bytes_before(bounds[r]);
    const bool even = share / 5 * 4 * parts_.ranks() <= layout.bytes();
    if (!even && share - layout.bytes() / parts_.ranks() > kWorthRounds) return std::nullopt;
  }
  return bounds;
}

std::vector<Value> Calls::own(const block::Layout& layout, std::span<const Value> arguments,
                              const Bounds& bounds) {
  const auto r = static_cast<std::size_t>(parts_.rank());
  const std::int64_t first = bounds[r], last = bounds[r + 1];
  std::vector<Value> mine(arguments.size());
  std::vector<Value> cut;
  std::vector<Ranges> wanted;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Kind kind = layout.splits()[i].kind;
    const auto* s = std::get_if<Segdes>(&arguments[i]);
    if (kind == Kind::kFrame) {
      mine[i] = Segdes::regular(1, last - first);
    } else if (kind == Kind::kSame) {
      mine[i] = arguments[i];
    } else if (s != nullptr) {
      mine[i] = block::slice(*s, layout.begin(i, first), layout.begin(i, last), *parts_.prims().pool);
    } else {
      cut.push_back(arguments[i]);
      wanted.emplace_back();
      for (std::size_t k = 0; k + 1 < bounds.size(); ++k)
        wanted.back().push_back({layout.begin(i, bounds[k]), layout.begin(i, bounds[k + 1])});
    }
  }
  parts_.gather(mine);
  std::vector<Vector> windows = parts_.windows(cut, wanted);
  std::size_t next = 0;
  for (Value& value : mine)
    if (std::holds_alternative<std::monostate>(value)) value = std::move(windows[next++]);
  return mine;
}

// Nothing if it fails, which it might do for a part of the instances only.
std::optional<std::vector<Value>> Calls::run_alone(ssa::FunctionId function, std::int64_t depth,
                                                   std::vector<Value> arguments) {
  std::vector<Value> results;
  if (machine_.calls != nullptr && machine_.calls->call(function, depth, arguments, results)) return results;
  Outcome outcome = Interp(code_, machine_, inputs_).call(function, std::move(arguments), depth);
  if (!outcome.error) return std::move(outcome.values);
  if (strikes_one(outcome.error->kind)) throw Fault{outcome.error->kind, outcome.error->message};
  return std::nullopt;
}

bool Calls::join(ssa::FunctionId function, const std::optional<std::vector<Value>>& mine,
                 std::vector<Value>& results) {
  const std::vector<Type>& types = code_.module->functions[static_cast<std::size_t>(function)].results;
  // Of each result how much there is here; before them, whether there are results.
  std::vector<std::int64_t> counts(types.size() + 1, 0);
  counts[0] = mine ? 1 : 0;
  for (std::size_t i = 0; mine && i < types.size(); ++i) counts[i + 1] = length_of((*mine)[i]);
  const auto width = static_cast<std::int64_t>(counts.size() * sizeof(std::int64_t));
  const std::vector<std::int64_t> lengths(static_cast<std::size_t>(parts_.ranks()), width);
  const Pieces pieces = parts_.exchange().gather(std::as_bytes(std::span(counts)), lengths);
  const auto count = [&](int r, std::size_t i) {
    std::int64_t n = 0;
    std::memcpy(&n, pieces.of(r).data() + i * sizeof n, sizeof n);
    return n;
  };
  for (int r = 0; r < parts_.ranks(); ++r)
    if (count(r, 0) == 0) return false;
  results.clear();
  std::vector<Segdes> described;
  for (const Value& value : *mine)
    if (const auto* s = std::get_if<Segdes>(&value)) described.push_back(*s);
  std::vector<std::int64_t> segments;  // by rank, of all descriptors
  for (int r = 0; r < parts_.ranks(); ++r) {
    segments.push_back(0);
    for (std::size_t i = 0; i < types.size(); ++i)
      if (types[i] == Type::kSegdes) segments.back() += count(r, i + 1);
  }
  const std::vector<std::vector<std::int64_t>> all = all_lengths(described, segments);
  std::vector<std::size_t> at(all.size(), 0);
  for (std::size_t i = 0; i < types.size(); ++i) {
    std::vector<std::int64_t> here, joined;
    for (int r = 0; r < parts_.ranks(); ++r) {
      here.push_back(count(r, i + 1));
      if (types[i] != Type::kSegdes) continue;
      const auto q = static_cast<std::size_t>(r);
      const auto from = all[q].begin() + static_cast<std::ptrdiff_t>(at[q]);
      joined.insert(joined.end(), from, from + here.back());
      at[q] += static_cast<std::size_t>(here.back());
    }
    if (types[i] == Type::kSegdes) {
      results.emplace_back(make_segdes(*parts_.prims().pool, joined, parts_.prims().int_bits));
      continue;
    }
    const auto cut = std::make_shared<const Cut>(Cut::of_lengths(here));
    results.push_back(parts_.join(types[i], cut, std::get<Vector>((*mine)[i])));
  }
  return true;
}

// By rank, the lengths of its descriptors, one after the other.
std::vector<std::vector<std::int64_t>> Calls::all_lengths(std::span<const Segdes> mine,
                                                          std::span<const std::int64_t> segments) {
  std::vector<std::vector<std::int64_t>> all(segments.size());
  if (mine.empty()) return all;
  std::vector<std::int64_t> own, bytes;
  for (const Segdes& s : mine)
    for (std::int64_t k = 0; k < s.segments(); ++k) own.push_back(s.length_at(k));
  for (const std::int64_t n : segments) bytes.push_back(n * static_cast<std::int64_t>(sizeof(std::int64_t)));
  const Pieces pieces = parts_.exchange().gather(std::as_bytes(std::span(own)), bytes);
  for (std::size_t r = 0; r < all.size(); ++r) {
    all[r].resize(static_cast<std::size_t>(segments[r]));
    const auto of = pieces.of(static_cast<int>(r));
    if (!of.empty()) std::memcpy(all[r].data(), of.data(), of.size());
  }
  return all;
}

}  // namespace nvm::vm::spmd
