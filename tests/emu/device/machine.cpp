#include "tests/emu/device/machine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace emu {

namespace {

// Of the block's words, those that are not as they were.
std::vector<std::size_t> changed(const std::vector<unsigned char>& before, const unsigned char* now) {
  std::vector<std::size_t> words;
  for (std::size_t at = 0; at < before.size(); at += 8)
    if (std::memcmp(before.data() + at, now + at, std::min<std::size_t>(8, before.size() - at)) != 0)
      words.push_back(at / 8);
  return words;
}

// Launches see which of the blocks that their arguments point to were written. A write of what stood there
// before is taken for a read.
int launch(const Deed& deed, std::vector<Touched>& touched) {
  if (deed.bad) return kIllegal;
  std::map<Pointer, std::vector<unsigned char>> before;
  for (std::size_t at = 0; at + 8 <= deed.arguments.size(); at += 8) {
    Pointer p = 0;
    std::memcpy(&p, deed.arguments.data() + at, 8);
    Block* const block = find(p, 0, true);
    if (block == nullptr) continue;
    if (block->freed) fail(deed.kernel->name + " is given memory that has been freed");
    auto it = machine().blocks.upper_bound(p);
    const Pointer begin = (--it)->first;
    const auto* bytes = reinterpret_cast<const unsigned char*>(begin);
    before.try_emplace(begin, bytes, bytes + block->bytes);
  }
  deed.kernel->run(deed.arguments.data(), deed.blocks, deed.threads);
  for (const auto& [begin, bytes] : before) {
    Touched t{begin,
              false,
              machine().blocks.at(begin).cells,
              {changed(bytes, reinterpret_cast<const unsigned char*>(begin)), {}}};
    t.write = !t.words.changed.empty();
    touched.push_back(std::move(t));
  }
  return kGood;
}

// What a copy reads.
Touched reading(Pointer from, std::size_t bytes) {
  Touched t{from, false, false, {}};
  const auto& [begin, block] = *--machine().blocks.upper_bound(from);
  t.by_words = block.cells;
  for (std::size_t word = (from - begin) / 8; t.by_words && word <= (from - begin + bytes - 1) / 8; ++word)
    t.words.read.push_back(word);
  return t;
}

bool step(Stream& s) {
  if (s.work.front().after != nullptr && !s.work.front().after->reached) return false;
  const Work next = std::move(s.work.front());
  s.work.pop_front();
  const int code = next.act == nullptr ? kGood : next.act(next.moment);
  if (code != kGood) machine().lost = code;
  return true;
}

// The most that an order of streams can do that nobody has asked for: all others are as far as they can be.
void run_others(const Stream& but) {
  bool more = true;
  while (more && machine().lost == 0) {
    more = false;
    for (Stream* const s : machine().streams)
      while (s != &but && !s->work.empty() && machine().lost == 0 && step(*s)) more = true;
  }
}

}  // namespace

void fail(const std::string& what) {
  std::fprintf(stderr, "emulated device: %s\n", what.c_str());
  std::abort();
}

Machine::Machine() { set(std::getenv("NVM_EMU")); }
Machine::~Machine() {
  const char* file = std::getenv("NVM_EMU_COUNTS");
  std::FILE* out = file == nullptr ? nullptr : std::fopen(file, "we");
  if (out == nullptr) return;
  const auto n = [](std::uint64_t x) { return static_cast<unsigned long long>(x); };
  std::fprintf(out,
               "launches=%llu uploads=%llu downloads=%llu allocations=%llu live=%llu graphs=%llu joins=%llu "
               "calls=%llu "
               "waits=%llu upload_bytes=%llu download_bytes=%llu\n",
               n(counts.launches), n(counts.uploads), n(counts.downloads), n(counts.allocations),
               n(counts.live), n(counts.graphs), n(counts.joins), n(counts.calls), n(counts.waits),
               n(counts.upload_bytes), n(counts.download_bytes));
  std::fclose(out);
}

void Machine::set(const char* text) {
  settings.clear();
  lost = 0;
  std::string rest = text == nullptr ? "" : text;
  while (!rest.empty()) {
    const std::string word = rest.substr(0, rest.find(','));
    rest.erase(0, word.size() + 1);
    const std::size_t equals = word.find('=');
    settings[word.substr(0, equals)] = std::strtoull(word.c_str() + equals + 1, nullptr, 10);
  }
  const Counts before = counts;
  counts = {};
  counts.live = counts.peak = before.live;
}
std::uint64_t Machine::setting(const char* name, std::uint64_t otherwise) const {
  const auto it = settings.find(name);
  return it == settings.end() ? otherwise : it->second;
}
int Machine::call() {
  ++counts.calls;
  if (counts.calls == setting("lose")) lost = kLost;
  return lost;
}

Machine& machine() {
  static auto* const m = [] {
    auto* made = new Machine;
    std::atexit([] { machine().~Machine(); });
    return made;
  }();
  return *m;
}

Moment ask(Stream& s, std::function<int(const Moment&)> act, std::shared_ptr<Record> after) {
  if (after != nullptr) join(s.clock, after->clock);
  join(s.clock, machine().host);
  s.clock[s.id] = ++s.asked;
  Moment m{s.id, s.asked, s.clock};
  s.work.push_back({m, std::move(act), std::move(after)});
  return m;
}

int run(Stream& s, const Record* until) {
  if (machine().setting("others_first") != 0 && until == nullptr) run_others(s);
  while (!s.work.empty() && machine().lost == 0 && (until == nullptr || !until->reached)) {
    if (step(s)) continue;
    const std::shared_ptr<Record> first = s.work.front().after;
    if (run(*first->stream, first.get()) == 0 && !first->reached) fail("streams wait for each other");
  }
  return machine().lost;
}

Block* find(Pointer p, std::size_t bytes, bool any) {
  auto it = machine().blocks.upper_bound(p);
  if (it == machine().blocks.begin()) return nullptr;
  --it;
  Block& b = it->second;
  const std::size_t at = p - it->first;
  const bool within =
      bytes == 0 ? at < std::max<std::size_t>(b.bytes, 1) : at <= b.bytes && bytes <= b.bytes - at;
  return within && (any || !b.freed) ? &b : nullptr;
}

bool usable(Pointer p, std::size_t bytes, const char* doing) {
  if (find(p, bytes) != nullptr) return true;
  if (find(p, bytes, true) != nullptr) fail(std::string(doing) + " uses memory that has been freed");
  return false;
}

void touch(Pointer p, const Moment& m, bool write, const char* doing) {
  Block* const block = find(p, 0);
  if (block == nullptr) return;
  const std::string wrong = block->history.touch(m, write, nullptr);
  if (!wrong.empty()) fail(std::string(doing) + " " + wrong);
}

void note(const std::vector<Touched>& touched, const Moment& m, const char* doing) {
  for (const Touched& t : touched) {
    Block* const block = find(t.block, 0);
    if (block == nullptr) continue;
    const std::string wrong = block->history.touch(m, t.write, t.by_words ? &t.words : nullptr);
    if (!wrong.empty()) fail(std::string(doing) + " " + wrong);
  }
}

const char* name(const Deed& deed) {
  if (deed.kind == Deed::Kind::kLaunch) return deed.kernel->name.c_str();
  return deed.kind == Deed::Kind::kFill ? "a fill" : "a copy on the device";
}

bool make_launch(Deed& deed, void* kernel, unsigned blocks, unsigned threads, void** parameters) {
  if (blocks == 0 || threads == 0 || threads > 1024) return false;
  deed.kernel = static_cast<const Kernel*>(kernel);
  deed.blocks = blocks;
  deed.threads = threads;
  const auto* from = static_cast<const unsigned char*>(parameters[0]);
  deed.arguments.assign(from, from + deed.kernel->bytes);
  Pointer first = 0;
  if (deed.arguments.size() >= 8) std::memcpy(&first, deed.arguments.data(), 8);
  if (const auto it = machine().blocks.find(first); it != machine().blocks.end()) it->second.cells = true;
  return true;
}
void count_launch(Deed& deed) {
  ++machine().counts.launches;
  deed.bad = machine().counts.launches == machine().setting("bad_launch");
}

int perform(const Deed& deed, std::vector<Touched>& touched) {
  if (deed.kind == Deed::Kind::kLaunch) return launch(deed, touched);
  if (!usable(deed.to, deed.bytes, name(deed))) return kIllegal;
  touched.push_back({deed.to, true, false, {}});
  if (deed.kind == Deed::Kind::kFill) {
    std::memset(reinterpret_cast<void*>(deed.to), deed.value, deed.bytes);
    return kGood;
  }
  if (!usable(deed.from, deed.bytes, name(deed))) return kIllegal;
  touched.push_back(reading(deed.from, deed.bytes));
  std::memcpy(reinterpret_cast<void*>(deed.to), reinterpret_cast<const void*>(deed.from), deed.bytes);
  return kGood;
}

int perform(const Deed& deed, const Moment& m) {
  std::vector<Touched> touched;
  const int code = perform(deed, touched);
  note(touched, m, name(deed));
  return code;
}

}  // namespace emu
