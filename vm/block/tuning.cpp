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
constexpr double kNano = 1e9;
constexpr std::int64_t kPartOf = 32;  // this part of a call is made both ways to find what pays
constexpr std::int64_t kTrialOf = 10;

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

Choice Tuning::tried(ssa::FunctionId function, std::int64_t average, Reach reach) {
  const std::map<int, Choice>& all = known(function, reach).tried;
  const auto it = all.find(class_of(average));
  return it == all.end() ? Choice() : it->second;
}

void Tuning::note(ssa::FunctionId function, std::int64_t average, Way way, double seconds, std::int64_t bytes,
                  Reach reach) {
  known(function, reach).tried[class_of(average)].note(way, seconds * kNano / static_cast<double>(bytes));
  settle(function, average, bytes, reach);
}

void Tuning::note(ssa::FunctionId function, std::int64_t average, double whole_seconds, double cut_seconds,
                  std::int64_t bytes, Reach reach) {
  Choice& choice = known(function, reach).tried[class_of(average)];
  choice.note(Way::kBaseline, whole_seconds * kNano / static_cast<double>(bytes));
  choice.note(Way::kCandidate, cut_seconds * kNano / static_cast<double>(bytes));
  settle(function, average, bytes, reach);
}

void Tuning::settle(ssa::FunctionId function, std::int64_t average, std::int64_t bytes, Reach reach) {
  Known& k = known(function, reach);
  const auto it = k.tried.find(class_of(average));
  if (it->second.settled()) {
    const Choice settled = it->second;
    k.tried.erase(it);
    const auto took = [&](Way of) { return settled.best(of) * static_cast<double>(bytes) / kNano; };
    measured_.push_back({function, average, took(Way::kCandidate), took(Way::kBaseline)});
    learn(k, class_of(average), settled, reach);
  }
  keep(function, reach);
}

void Tuning::learn(Known& k, int size, const Choice& settled, Reach reach) {
  const double groups = settled.best(Way::kCandidate), whole = settled.best(Way::kBaseline);
  if (groups < whole * (reach == Reach::kStreams ? kFlattered : kFaster)) {
    k.pays = std::max(k.pays, size);
    k.loses = std::max(k.loses, size + 1);
    k.clear = groups * kClear < whole ? 1 : 0;
  } else {
    k.loses = std::min(k.loses, size);
    k.pays = std::min(k.pays, size - 1);
    k.clear = 0;
  }
}

void Tuning::keep(ssa::FunctionId function, Reach reach) {
  if (cache_ == nullptr) return;
  const Known& k = known_[static_cast<std::size_t>(reach)][static_cast<std::size_t>(function)];
  char line[128];
  std::snprintf(line, sizeof line, "pays %d loses %d clear %d\n", k.pays, k.loses, k.clear);
  std::string text = line;
  for (const auto& [size, choice] : k.tried) {
    choice.print(size, line, sizeof line);
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
  Choice choice;
  int size = 0;
  for (const char* rest = text + length; (rest = choice.read(rest, size)) != nullptr;) k.tried[size] = choice;
  return k;
}

// All code that the function may come to.
const std::string& Tuning::key(ssa::FunctionId function, Reach reach) {
  std::string& text = known_[static_cast<std::size_t>(reach)][static_cast<std::size_t>(function)].key;
  if (!text.empty()) return text;
  std::vector<ssa::FunctionId> reached = {function};
  text = setting_ + (reach == Reach::kStreams ? " streams\n" : "\n");
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

PartTrial::PartTrial(std::int64_t bytes, std::int64_t groups, int threads)
    : each_(std::max<std::int64_t>(bytes / groups, 1)),
      part_(std::max<std::int64_t>(groups / kPartOf, threads)),
      allowance_(kTrialOf) {
  allowance_.earn(bytes);
}

bool PartTrial::begin(const Choice& tried, std::int64_t more) {
  const bool known = tried.runs(Way::kBaseline) > 0 && tried.runs(Way::kCandidate) > 0;
  const double cost = static_cast<double>((part_ + more) * each_) * (1 + (known ? tried.ratio() : 1.0));
  return allowance_.spend(static_cast<std::int64_t>(cost));
}

StepTuning::Kind::Kind(ssa::FunctionId f, std::int64_t count, std::int64_t size)
    : function(f), instances(class_of(count)), bytes(class_of(size)) {}

}  // namespace nvm::vm::block
