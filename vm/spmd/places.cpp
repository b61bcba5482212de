#include "vm/spmd/places.h"

#include <cstring>

#include "vm/prims/operands.h"

namespace nvm::vm::spmd {

namespace {

template <typename T>
void pick(const std::byte* from, const Places& places, std::byte* to) {
  const auto* x = reinterpret_cast<const T*>(from);
  auto* y = reinterpret_cast<T*>(to);
  for (std::size_t i = 0; i < places.size(); ++i) y[i] = places[i] == kNowhere ? T{} : x[places[i]];
}

Vector pick_from(Parts& parts, const Vector& v, const Places& places) {
  const Elements e(v, parts.prims());
  const Storage storage = e.storage();
  Fresh out(parts.prims(), storage, static_cast<std::int64_t>(places.size()));
  switch (storage_bytes(storage)) {
    case 1: pick<std::uint8_t>(e.data(), places, out.data()); break;
    case 4: pick<std::uint32_t>(e.data(), places, out.data()); break;
    default: pick<std::uint64_t>(e.data(), places, out.data()); break;
  }
  return out.take();
}

using ByRank = std::vector<std::vector<std::byte>>;

ByRank by_rank(const Parts& parts) { return ByRank(static_cast<std::size_t>(parts.ranks())); }

void append(std::vector<std::byte>& to, const void* bytes, std::size_t n) {
  const auto* from = static_cast<const std::byte*>(bytes);
  to.insert(to.end(), from, from + n);
}

// What each rank sends to each, of lengths that only the sender knows: two rounds.
Pieces trade_unequal(Parts& parts, const ByRank& out) {
  std::vector<std::int64_t> sizes;
  for (const auto& bytes : out) sizes.push_back(static_cast<std::int64_t>(bytes.size()));
  std::vector<std::span<const std::byte>> said;
  for (const std::int64_t& size : sizes) said.push_back(std::as_bytes(std::span(&size, 1)));
  const std::vector<std::int64_t> one(out.size(), sizeof(std::int64_t));
  const Pieces told = parts.exchange().trade(said, one);
  std::vector<std::int64_t> received;
  std::vector<std::span<const std::byte>> bytes;
  for (int r = 0; r < parts.ranks(); ++r) {
    received.emplace_back();
    std::memcpy(&received.back(), told.of(r).data(), sizeof(std::int64_t));
    bytes.emplace_back(out[static_cast<std::size_t>(r)]);
  }
  return parts.exchange().trade(bytes, received);
}

// Values of this width, one after the other.
class Packed {
 public:
  Packed(const Parts& parts, const Vector& v)
      : width_(static_cast<std::size_t>(parts.bytes(v.type()))),
        bytes_(static_cast<std::size_t>(v.length()) * width_) {
    parts.write(v, bytes_.data());
  }
  [[nodiscard]] const std::byte* at(std::size_t i) const { return bytes_.data() + i * width_; }
  [[nodiscard]] std::byte* at(std::size_t i) { return bytes_.data() + i * width_; }
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] Vector take(const Parts& parts, Type type) const {
    const std::span<const std::byte> all(bytes_);
    return parts.read(type, {&all, 1});
  }

 private:
  std::size_t width_;
  std::vector<std::byte> bytes_;
};

Vector fetch_from_all(Parts& parts, const Distributed& d, const Places& places) {
  ByRank asked = by_rank(parts);
  std::vector<std::vector<std::size_t>> asking(asked.size());
  const int me = parts.rank();
  const Packed mine(parts, parts.own(d));
  const auto own = [&](std::int64_t place) {
    return mine.at(static_cast<std::size_t>(place - d.cut->begin(me)));
  };
  Packed found(parts, parts.zeros(d.type, static_cast<std::int64_t>(places.size())));
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] == kNowhere) continue;
    const int owner = d.cut->owner(places[i]);
    if (owner == me) {
      std::memcpy(found.at(i), own(places[i]), found.width());
      continue;
    }
    append(asked[static_cast<std::size_t>(owner)], &places[i], sizeof places[i]);
    asking[static_cast<std::size_t>(owner)].push_back(i);
  }
  const Pieces questions = trade_unequal(parts, asked);
  ByRank answers = by_rank(parts);
  std::vector<std::span<const std::byte>> out;
  std::vector<std::int64_t> received;
  for (int r = 0; r < parts.ranks(); ++r) {
    const auto of = questions.of(r);
    for (std::size_t i = 0; i < of.size(); i += sizeof(std::int64_t)) {
      std::int64_t place = 0;
      std::memcpy(&place, of.data() + i, sizeof place);
      NVM_CHECK(place >= d.cut->begin(me) && place < d.cut->end(me), "a rank is asked for what it has");
      append(answers[static_cast<std::size_t>(r)], own(place), found.width());
    }
    out.emplace_back(answers[static_cast<std::size_t>(r)]);
    received.push_back(static_cast<std::int64_t>(asking[static_cast<std::size_t>(r)].size() * found.width()));
  }
  const Pieces got = parts.exchange().trade(out, received);
  for (int r = 0; r < parts.ranks(); ++r) {
    const std::byte* from = got.of(r).data();
    for (const std::size_t i : asking[static_cast<std::size_t>(r)]) {
      std::memcpy(found.at(i), from, found.width());
      from += found.width();
    }
  }
  return found.take(parts, d.type);
}

}  // namespace

Vector fetch(Parts& parts, const Value& from, const Places& places) {
  const Distributed* d = distributed(from);
  if (d != nullptr && !d->whole && !parts.gathers(d->type, d->length()))
    return fetch_from_all(parts, *d, places);
  return pick_from(parts, parts.whole(from), places);
}

Vector deliver(Parts& parts, const Vector& values, const Places& places, const Cut& to, const Vector& base) {
  const Packed v(parts, values);
  Packed made(parts, base);
  ByRank out = by_rank(parts);
  const std::size_t each = sizeof(std::int64_t) + v.width();
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] == kNowhere) continue;
    auto& bytes = out[static_cast<std::size_t>(to.owner(places[i]))];
    append(bytes, &places[i], sizeof places[i]);
    append(bytes, v.at(i), v.width());
  }
  const int me = parts.rank();
  const std::vector<std::byte> own = std::exchange(out[static_cast<std::size_t>(me)], {});
  const Pieces in = trade_unequal(parts, out);
  for (int r = 0; r < parts.ranks(); ++r) {
    const std::span<const std::byte> of = r == me ? std::span<const std::byte>(own) : in.of(r);
    for (std::size_t i = 0; i < of.size(); i += each) {
      std::int64_t place = 0;
      std::memcpy(&place, of.data() + i, sizeof place);
      NVM_CHECK(place >= to.begin(me) && place < to.end(me), "a rank is sent what it has");
      std::memcpy(made.at(static_cast<std::size_t>(place - to.begin(me))), of.data() + i + sizeof place,
                  v.width());
    }
  }
  return made.take(parts, values.type());
}

namespace {

// Calls f(rank, begin, end) for the parts of [begin, end) that ranks have.
template <typename F>
void by_owner(const Cut& cut, std::int64_t begin, std::int64_t end, F f) {
  while (begin < end) {
    const int r = cut.owner(begin);
    const std::int64_t until = std::min(end, cut.end(r));
    f(r, begin, until);
    begin = until;
  }
}

// Of each run what a rank's part has of where it comes from, or goes to.
template <typename F>
void runs_within(const Runs& runs, std::int64_t Run::*where, Range part, F f) {
  for (const Run& run : runs) {
    const std::int64_t begin = std::max(run.*where, part.begin);
    const std::int64_t end = std::min(run.*where + run.length, part.end);
    if (begin < end) f(run, begin, end);
  }
}

}  // namespace

Vector deliver(Parts& parts, const Distributed& values, const Runs& runs, const Cut& to, const Vector& base) {
  const int me = parts.rank();
  const Packed mine(parts, parts.own(values));
  Packed made(parts, base);
  const std::size_t width = made.width();
  ByRank out = by_rank(parts);
  runs_within(runs, &Run::from, {values.cut->begin(me), values.cut->end(me)},
              [&](const Run& run, std::int64_t begin, std::int64_t end) {
                const std::int64_t shift = run.to - run.from;
                by_owner(to, begin + shift, end + shift, [&](int r, std::int64_t first, std::int64_t last) {
                  append(out[static_cast<std::size_t>(r)],
                         mine.at(static_cast<std::size_t>(first - shift - values.cut->begin(me))),
                         static_cast<std::size_t>(last - first) * width);
                });
              });
  std::vector<Ranges> coming(out.size());  // from each rank, to which places
  std::vector<std::int64_t> received(out.size(), 0);
  runs_within(
      runs, &Run::to, {to.begin(me), to.end(me)}, [&](const Run& run, std::int64_t begin, std::int64_t end) {
        const std::int64_t shift = run.to - run.from;
        by_owner(*values.cut, begin - shift, end - shift, [&](int r, std::int64_t first, std::int64_t last) {
          coming[static_cast<std::size_t>(r)].push_back({first + shift, last + shift});
          if (r != me)
            received[static_cast<std::size_t>(r)] += (last - first) * static_cast<std::int64_t>(width);
        });
      });
  const std::vector<std::byte> own = std::exchange(out[static_cast<std::size_t>(me)], {});
  const std::vector<std::span<const std::byte>> sent(out.begin(), out.end());
  const Pieces in = parts.exchange().trade(sent, received);
  for (int r = 0; r < parts.ranks(); ++r) {
    const std::byte* from = r == me ? own.data() : in.of(r).data();
    for (const Range& places : coming[static_cast<std::size_t>(r)]) {
      const std::size_t bytes = static_cast<std::size_t>(places.end - places.begin) * width;
      std::memcpy(made.at(static_cast<std::size_t>(places.begin - to.begin(me))), from, bytes);
      from += bytes;
    }
  }
  return made.take(parts, values.type);
}

}  // namespace nvm::vm::spmd
