#include "vm/block/tuning.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "bytecode/ssa/passes.h"

namespace nvm::vm::block {

namespace {

constexpr int kNever = 64;      // no class of sizes is as large
constexpr double kClear = 1.5;  // times as fast
// What the part that was measured gains in kernel mode by lying in a cache, where the whole call does not:
// groups may take so many times as long.
constexpr double kFlattered = 1.5;
constexpr double kFaster = 0.97;  // of kernel mode's time: what is as fast is left as it is

constexpr Tuning::Reach kReaches[] = {Tuning::Reach::kCached, Tuning::Reach::kStreams};

// Sizes within a factor of two are one class.
int class_of(std::int64_t average) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(average, 0))));
}

}  // namespace

Tuning::Tuning(const ssa::Module& module, std::string setting, const DiskCache* cache, bool afresh)
    : module_(module),
      setting_(std::move(setting)),
      cache_(cache),
      afresh_(afresh),
      known_{std::vector<Known>(module.functions.size()), std::vector<Known>(module.functions.size())} {}

Tuning::Verdict Tuning::of(ssa::FunctionId function, std::int64_t average, Reach reach) {
  const Known& k = known(function, reach);
  const int size = class_of(average);
  if (size <= k.pays) return Verdict::kPays;
  return size >= k.loses ? Verdict::kLoses : Verdict::kUnknown;
}

bool Tuning::clear(ssa::FunctionId function) {
  return std::all_of(std::begin(kReaches), std::end(kReaches),
                     [&](Reach reach) { return known(function, reach).loses == kNever; }) &&
         std::any_of(std::begin(kReaches), std::end(kReaches),
                     [&](Reach reach) { return known(function, reach).clear != 0; });
}

void Tuning::learn(ssa::FunctionId function, std::int64_t average, double cut_seconds, double whole_seconds,
                   Reach reach) {
  measured_.push_back({function, average, cut_seconds, whole_seconds});
  Known& k = known(function, reach);
  const int size = class_of(average);
  if (cut_seconds < whole_seconds * (reach == Reach::kStreams ? kFlattered : kFaster)) {
    k.pays = std::max(k.pays, size);
    k.loses = std::max(k.loses, size + 1);
    k.clear = cut_seconds * kClear < whole_seconds ? 1 : 0;
  } else {
    k.loses = std::min(k.loses, size);
    k.pays = std::min(k.pays, size - 1);
    k.clear = 0;
  }
  keep(function, reach);
}

Way Tuning::next(ssa::FunctionId function, std::int64_t average) {
  const std::map<int, Timings>& tried = known(function, Reach::kCached).tried;
  const auto timings = tried.find(class_of(average));
  return timings == tried.end() ? Way::kGroups : timings->second.next(Way::kGroups);
}

void Tuning::note(ssa::FunctionId function, std::int64_t average, Way way, double seconds_per_byte) {
  Known& k = known(function, Reach::kCached);
  Timings& timings = k.tried[class_of(average)];
  timings.note(way, seconds_per_byte);
  if (!timings.settled()) return keep(function, Reach::kCached);
  const Timings compared = timings;
  k.tried.erase(class_of(average));
  const auto best = [&](Way of) { return compared.best[static_cast<std::size_t>(of)]; };
  learn(function, average, best(Way::kGroups), best(Way::kWhole));
}

void Tuning::keep(ssa::FunctionId function, Reach reach) const {
  if (cache_ == nullptr) return;
  const Known& k = known_[static_cast<std::size_t>(reach)][static_cast<std::size_t>(function)];
  char line[128];
  std::snprintf(line, sizeof line, "pays %d loses %d clear %d\n", k.pays, k.loses, k.clear);
  std::string text = line;
  for (const auto& [size, t] : k.tried) {
    std::snprintf(line, sizeof line, "tried %d %d %a %d %a\n", size, t.runs[0], t.best[0], t.runs[1],
                  t.best[1]);
    text += line;
  }
  cache_->add(key(function, reach), std::vector<char>(text.begin(), text.end()));
}

Tuning::Known& Tuning::known(ssa::FunctionId function, Reach reach) {
  Known& k = known_[static_cast<std::size_t>(reach)][static_cast<std::size_t>(function)];
  if (k.read) return k;
  k.read = true;
  if (cache_ == nullptr || afresh_) return k;
  auto content = cache_->find(key(function, reach));
  if (!content) return k;
  content->push_back('\0');
  const char* text = content->data();
  int pays = 0, loses = 0, clear = 0, length = 0;
  if (std::sscanf(text, "pays %d loses %d clear %d\n%n", &pays, &loses, &clear, &length) != 3) return k;
  if (pays < -1 || pays >= loses || loses > kNever) return k;
  k.clear = clear;
  k.pays = pays;
  k.loses = loses;
  Timings t;
  for (int size = 0; std::sscanf(text += length, "tried %d %d %la %d %la\n%n", &size, &t.runs[0], &t.best[0],
                                 &t.runs[1], &t.best[1], &length) == 5;)
    k.tried[size] = t;
  return k;
}

// All code that the function may come to.
std::string Tuning::key(ssa::FunctionId function, Reach reach) const {
  std::vector<ssa::FunctionId> reached = {function};
  std::string text = setting_ + (reach == Reach::kStreams ? " streams\n" : "\n");
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const ssa::Function& f = module_.functions[static_cast<std::size_t>(reached[i])];
    text += ssa::print(module_, f);
    for (const ssa::Block& block : f.blocks)
      for (const ssa::Inst& in : block.insts)
        if (in.op == Op::kCall && std::find(reached.begin(), reached.end(), in.index) == reached.end())
          reached.push_back(in.index);
  }
  return text;
}

}  // namespace nvm::vm::block
