#include "vm/spmd/parts.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "vm/prims/operands.h"

namespace nvm::vm::spmd {

namespace {

template <typename From, typename To>
void convert(const std::byte* from, std::int64_t n, std::byte* to) {
  const auto* x = reinterpret_cast<const From*>(from);
  for (std::int64_t i = 0; i < n; ++i, to += sizeof(To)) {
    const To y = static_cast<To>(x[i]);
    std::memcpy(to, &y, sizeof y);
  }
}

template <typename To>
void widen(const Elements& e, std::byte* to) {
  switch (e.storage()) {
    case Storage::kI8: return convert<std::int8_t, To>(e.data(), e.length(), to);
    case Storage::kI32: return convert<std::int32_t, To>(e.data(), e.length(), to);
    default: return convert<std::int64_t, To>(e.data(), e.length(), to);
  }
}

}  // namespace

Type type_of_vector(const Value& value) {
  const Distributed* d = distributed(value);
  return d != nullptr ? d->type : std::get<Vector>(value).type();
}

std::int64_t length_of_vector(const Value& value) {
  const Distributed* d = distributed(value);
  return d != nullptr ? d->length() : std::get<Vector>(value).length();
}

Parts::Parts(Exchange& exchange, const PrimContext& prims, Settings settings, RegionHook* tier)
    : exchange_(exchange), prims_(prims), settings_(std::move(settings)), tier_(tier) {
  exchange_.before_rounds([this] { tier_.finish(); });
}

CutRef Parts::cut_of(std::int64_t length) const {
  return std::make_shared<const Cut>(settings_.cutter(length, ranks()));
}

std::int64_t Parts::bytes(Type type) const { return static_cast<std::int64_t>(storage_bytes(storage(type))); }

Storage Parts::storage(Type type) const {
  if (type == Type::kFloat) return Storage::kF64;
  return type == Type::kBool ? Storage::kB8 : wide_int(prims_);
}

Vector Parts::zeros(Type type, std::int64_t length) const {
  Fresh out(prims_, storage(type), length);
  std::memset(out.data(), 0, std::max<std::size_t>(out.bytes(), 1));
  return out.take();
}

void Parts::write(const Vector& v, std::byte* to) const {
  const Elements e(v, prims_);
  const std::size_t width = storage_bytes(storage(v.type()));
  if (storage_bytes(e.storage()) != width)
    width == 8 ? widen<std::int64_t>(e, to) : widen<std::int32_t>(e, to);
  else if (e.length() > 0)
    std::memcpy(to, e.data(), static_cast<std::size_t>(e.length()) * width);
}

Vector Parts::read(Type type, std::span<const std::span<const std::byte>> pieces) const {
  std::size_t all = 0;
  for (const auto& piece : pieces) all += piece.size();
  const std::size_t width = storage_bytes(storage(type));
  Fresh out(prims_, storage(type), static_cast<std::int64_t>(all / width));
  std::byte* to = out.data();
  for (const auto& piece : pieces) {
    if (piece.empty()) continue;
    std::memcpy(to, piece.data(), piece.size());
    to += piece.size();
  }
  return out.take();
}

Vector Parts::whole(const Value& value) {
  Value v = value;
  gather({&v, 1});
  return std::get<Vector>(std::move(v));
}

void Parts::gather(std::span<Value> values) {
  std::vector<DistributedRef> open;
  for (const Value& value : values)
    if (const auto* d = std::get_if<DistributedRef>(&value);
        d != nullptr && !(*d)->whole && std::find(open.begin(), open.end(), *d) == open.end())
      open.push_back(*d);
  if (!open.empty()) {
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(ranks()), 0);
    for (int r = 0; r < ranks(); ++r)
      for (const DistributedRef& d : open)
        lengths[static_cast<std::size_t>(r)] += d->cut->length(r) * bytes(d->type);
    std::vector<std::byte> mine(static_cast<std::size_t>(lengths[static_cast<std::size_t>(rank())]));
    std::byte* to = mine.data();
    for (const DistributedRef& d : open) {
      write(own(*d), to);
      to += d->cut->length(rank()) * bytes(d->type);
    }
    const Pieces all = exchange_.gather(mine, lengths);
    std::vector<std::size_t> at(static_cast<std::size_t>(ranks()), 0);
    for (const DistributedRef& d : open) {
      std::vector<std::span<const std::byte>> pieces;
      for (int r = 0; r < ranks(); ++r) {
        const auto n = static_cast<std::size_t>(d->cut->length(r) * bytes(d->type));
        pieces.push_back(all.of(r).subspan(at[static_cast<std::size_t>(r)], n));
        at[static_cast<std::size_t>(r)] += n;
      }
      d->whole = read(d->type, pieces);
    }
  }
  for (Value& value : values)
    if (const Distributed* d = distributed(value); d != nullptr) {
      Vector v = *d->whole;
      value = std::move(v);
    }
  for (const DistributedRef& d : open)
    if (!gathers(d->type, d->length())) d->whole.reset();
}

const Vector& Parts::own(const Distributed& d) {
  tier_.force(d.part);
  const auto& part = std::get<Vector>(d.part);
  NVM_CHECK(part.length() == d.cut->length(rank()), "a part is as long as the cut says");
  return part;
}

Vector Parts::part(const Value& value, const CutRef& cut) {
  Value mine = part_not_yet(value, cut);
  tier_.force(mine);
  return std::get<Vector>(std::move(mine));
}

Value Parts::part_not_yet(const Value& value, const CutRef& cut) {
  const Distributed* d = distributed(value);
  if (d != nullptr && (d->cut == cut || *d->cut == *cut)) return d->part;
  Ranges wanted;
  for (int r = 0; r < ranks(); ++r) wanted.push_back({cut->begin(r), cut->end(r)});
  return window(value, wanted);
}

Vector Parts::window(const Value& value, const Ranges& wanted) {
  return std::move(windows({&value, 1}, {&wanted, 1})[0]);
}

std::vector<Vector> Parts::windows(std::span<const Value> values, std::span<const Ranges> wanted) {
  std::vector<Vector> found(values.size());
  std::vector<DistributedRef> moving;
  std::vector<Ranges> to;
  std::vector<std::size_t> number;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::optional<Vector> here = window_here(values[i], wanted[i])) {
      found[i] = *std::move(here);
      continue;
    }
    moving.push_back(std::get<DistributedRef>(values[i]));
    to.push_back(wanted[i]);
    number.push_back(i);
  }
  if (moving.empty()) return found;
  std::vector<Vector> moved = trade(moving, to);
  for (std::size_t i = 0; i < moved.size(); ++i) found[number[i]] = std::move(moved[i]);
  return found;
}

std::optional<Vector> Parts::window_here(const Value& value, const Ranges& wanted) {
  const Range mine = wanted[static_cast<std::size_t>(rank())];
  if (const auto* v = std::get_if<Vector>(&value)) return v->part(mine.begin, mine.end - mine.begin);
  const Distributed& d = *distributed(value);
  if (d.whole) return d.whole->part(mine.begin, mine.end - mine.begin);
  for (int r = 0; r < ranks(); ++r) {
    const Range& w = wanted[static_cast<std::size_t>(r)];
    if (w.begin != w.end && (w.begin < d.cut->begin(r) || w.end > d.cut->end(r))) return std::nullopt;
  }
  if (mine.begin == mine.end) return own(d).part(0, 0);
  return own(d).part(mine.begin - d.cut->begin(rank()), mine.end - mine.begin);
}

namespace {

// What of a rank's part another one wants.
Range common(const Cut& cut, int owner, const Ranges& wanted, int reader) {
  const Range& w = wanted[static_cast<std::size_t>(reader)];
  const std::int64_t begin = std::max(cut.begin(owner), w.begin);
  return {begin, std::max(begin, std::min(cut.end(owner), w.end))};
}

}  // namespace

std::vector<Vector> Parts::trade(std::span<const DistributedRef> vectors, std::span<const Ranges> wanted) {
  std::vector<std::vector<std::byte>> out(static_cast<std::size_t>(ranks()));  // to this rank what it keeps
  const auto size = [&](std::size_t i, Range range) {
    return static_cast<std::size_t>((range.end - range.begin) * bytes(vectors[i]->type));
  };
  std::vector<std::int64_t> received(static_cast<std::size_t>(ranks()), 0);
  for (std::size_t i = 0; i < vectors.size(); ++i)
    for (int r = 0; r < ranks(); ++r) {
      const Distributed& d = *vectors[i];
      const Range to = common(*d.cut, rank(), wanted[i], r);
      if (r != rank())
        received[static_cast<std::size_t>(r)] +=
            static_cast<std::int64_t>(size(i, common(*d.cut, r, wanted[i], rank())));
      if (to.begin == to.end) continue;
      std::vector<std::byte>& piece = out[static_cast<std::size_t>(r)];
      piece.resize(piece.size() + size(i, to));
      write(own(d).part(to.begin - d.cut->begin(rank()), to.end - to.begin),
            piece.data() + piece.size() - size(i, to));
    }
  std::vector<std::span<const std::byte>> pieces;
  for (int r = 0; r < ranks(); ++r)
    pieces.push_back(r == rank() ? std::span<const std::byte>() : out[static_cast<std::size_t>(r)]);
  const Pieces in = exchange_.trade(pieces, received);
  std::vector<std::size_t> at(static_cast<std::size_t>(ranks()), 0);
  std::vector<Vector> found;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    for (int r = 0; r < ranks(); ++r) {
      const auto k = static_cast<std::size_t>(r);
      const std::span<const std::byte> all = r == rank() ? std::span<const std::byte>(out[k]) : in.of(r);
      const std::size_t n = size(i, common(*vectors[i]->cut, r, wanted[i], rank()));
      pieces[k] = all.subspan(at[k], n);
      at[k] += n;
    }
    found.push_back(read(vectors[i]->type, pieces));
  }
  return found;
}

Value Parts::join(Type type, const CutRef& cut, Value part) {
  const auto* made = std::get_if<Vector>(&part);
  NVM_CHECK(made == nullptr || made->length() == cut->length(rank()), "a rank has made its part");
  Distributed d{type, cut, std::move(part), {}};
  const double mean = static_cast<double>(cut->total()) / ranks();
  if (is_long(cut->total())) {
    largest_share_ = std::max(largest_share_, static_cast<double>(cut->longest()) / std::max(mean, 1.0));
    return std::make_shared<const Distributed>(std::move(d));
  }
  return whole(std::make_shared<const Distributed>(std::move(d)));
}

Value Parts::join_balanced(Type type, const CutRef& cut, Vector part) {
  constexpr std::int64_t kEach = 1 << 10;  // elements of a rank below which nothing is worth moving
  const bool even = cut->total() < kEach * ranks() || cut->longest() * ranks() * 4 <= cut->total() * 5;
  if (even || !is_long(cut->total())) return join(type, cut, std::move(part));
  const CutRef to = cut_of(cut->total());
  const Value made = std::make_shared<const Distributed>(Distributed{type, cut, std::move(part), {}});
  return join(type, to, this->part(made, to));
}

Value Parts::spread(Value value) {
  const auto* v = std::get_if<Vector>(&value);
  if (v == nullptr || !is_long(v->length())) return value;
  const CutRef cut = cut_of(v->length());
  Vector mine = v->part(cut->begin(rank()), cut->length(rank()));
  if (ranks() > 1 && mine.length() > 1) {  // not a view: the rest is given up
    Fresh copy(prims_, storage(mine.type()), mine.length());
    write(mine, copy.data());
    mine = copy.take();
  }
  return join(v->type(), cut, std::move(mine));
}

Clipped clip(const PrimContext& prims, const Segdes& s, std::int64_t begin, std::int64_t end) {
  if (begin == end) return {Segdes::regular(0, 0), 0, 0};
  const std::int64_t first = segment_of(s, begin);
  const std::int64_t last = segment_of(s, end - 1);
  const std::int64_t inside = begin - s.offset(first);
  if (first == last) return {Segdes::regular(1, end - begin), first, inside};
  Fresh lengths(prims, wide_int(prims), last - first + 1);
  const std::size_t width = storage_bytes(wide_int(prims));
  for (std::int64_t k = first; k <= last; ++k) {
    const std::int64_t n = std::min(end, s.offset(k + 1)) - std::max(begin, s.offset(k));
    std::memcpy(lengths.at(k - first), &n, width);  // the low bytes come first
  }
  return {Segdes::from_lengths(lengths.take(), end - begin), first, inside};
}

}  // namespace nvm::vm::spmd
