#include "vm/lib/record.hpp"

#include <cerrno>
#include <cstring>
#include <deque>
#include <map>

#include "bytecode/ssa/checksum.h"
#include "bytecode/table/op_info.h"
#include "vm/interp/observer.h"
#include "vm/interp/world.h"
#include "vm/lib/guarded.h"
#include "vm/lib/impl.h"
#include "vm/lib/record_file.h"

namespace nvm::lib {

namespace {

// Checksums of the decisions of conditionals and of the code that has them: those of other code, as that of
// --optimise off, are others. Groups of block mode decide on their own, unseen.
class Branches final : public vm::Observer {
 public:
  Branches() : Observer(false, Recorded::kNothing) {
    see_calls(false);
    see_branches(true);
  }
  void begin_run(const ssa::Module& module, const vm::Pool&) override {
    code = hash_step(ssa::checksum(module), code);
  }
  void branch(bool taken) override {
    ++count;
    hash = hash_step(taken ? 1 : 2, hash);
  }
  void begin_groups(const vm::CallStart&, std::int64_t, std::size_t) override { complete = false; }

  std::uint64_t count = 0, hash = kHashStart, code = kHashStart;
  bool complete = true;
};

// What runs came to.
struct End {
  std::uint64_t branches = 0, branch_hash = 0, code = 0, results = 0, result_hash = kHashStart;
  bool branches_complete = true;
};

}  // namespace

struct Recording::Impl final : vm::World {
  RecordWriter file;
  Branches branches;
  End end;
  bool closed = false;

  explicit Impl(const std::string& path) : file(path, kRecordHead, OutFile::Kind::kLog) {}

  std::optional<std::string> read_file(const std::string& path, const Reader& outside) override {
    auto text = outside(path);
    if (!text) return std::nullopt;
    PartWriter part;
    part.text(path);
    part.text(*text);
    file.write(PartKind::kFile, part.take());
    return text;
  }
  bool play(Op, vm::Pool&, std::span<vm::Value>) override { return false; }
  void note(Op op, std::span<const vm::Value> values) override {
    PartWriter part;
    part.number(static_cast<std::uint64_t>(op));
    part.number(values.size());
    for (const vm::Value& v : values) part.value(v);
    file.write(PartKind::kHost, part.take());
  }
};

Made<Recording> Recording::open(const std::string& path, const std::vector<std::string>& words) {
  return make_watcher<Recording>([&] {
    auto impl = std::make_unique<Impl>(path);
    if (!impl->file.opened()) throw refusal(impl->file.error());
    PartWriter part;
    part.text(version());
    part.number(words.size());
    for (const std::string& word : words) part.text(word);
    impl->file.write(PartKind::kWords, part.take());
    return impl;
  });
}
Recording::Recording(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Recording::~Recording() = default;
vm::Observer& Recording::observer() { return impl_->branches; }
vm::World* Recording::world() { return impl_.get(); }
void Recording::results(std::span<const Value> values) {
  impl_->end.results += values.size();
  for (const Value& v : values)
    impl_->end.result_hash = hash_values({&v.impl()->value, 1}, impl_->end.result_hash);
}

std::string Recording::close() {
  if (!impl_->closed) {
    PartWriter part;
    part.number(impl_->branches.count);
    part.number(impl_->branches.hash);
    part.number(impl_->branches.code);
    part.number(impl_->branches.complete ? 1 : 0);
    part.number(impl_->end.results);
    part.number(impl_->end.result_hash);
    impl_->file.write(PartKind::kEnd, part.take());
    impl_->file.finish();
    impl_->closed = true;
  }
  return impl_->file.error();
}

struct Replay::Impl final : vm::World {
  std::vector<std::string> words;
  std::map<std::string, std::string> files;
  std::deque<std::string> host;
  std::optional<End> recorded;
  Branches branches;
  End now;
  std::string lost;  // where the run left the recorded way

  void take(const Part& part, const std::string& path) {
    PartReader in(part.bytes);
    switch (part.kind) {
      case PartKind::kWords: {
        const std::string made_by = in.text();
        for (std::uint64_t n = in.number(); n > 0 && in.good(); --n) words.push_back(in.text());
        break;
      }
      case PartKind::kFile: {
        const std::string name = in.text();
        files[name] = in.text();
        break;
      }
      case PartKind::kHost: host.push_back(part.bytes); return;
      case PartKind::kEnd: {
        End end;
        end.branches = in.number();
        end.branch_hash = in.number();
        end.code = in.number();
        end.branches_complete = in.number() != 0;
        end.results = in.number();
        end.result_hash = in.number();
        recorded = end;
        break;
      }
      default: throw refusal(path + " has a part of an unknown kind");
    }
    if (!in.good() || !in.at_end()) throw refusal(path + " has a part that makes no sense");
  }

  [[nodiscard]] bool plays() const override { return true; }
  std::optional<std::string> read_file(const std::string& path, const Reader&) override {
    const auto found = files.find(path);
    if (found == files.end()) return std::nullopt;
    return found->second;
  }
  [[nodiscard]] bool compares_branches() const {
    return recorded->branches_complete && branches.complete && recorded->code == branches.code;
  }
  [[nodiscard]] bool ended() const override { return host.empty() && recorded.has_value(); }
  bool play(Op op, vm::Pool& pool, std::span<vm::Value> results) override {
    if (host.empty()) {
      // The recorded run did not come so far: it was cut off.
      if (recorded) leave("the recorded run did nothing more outside");
      return !recorded ? throw vm::Fault{vm::Fault::Kind::kIo, "the record ends here"} : false;
    }
    PartReader in(host.front());
    const auto what = static_cast<Op>(in.number());
    if (what != op) leave("the recorded run did " + std::string(op_info(what).text) + " here");
    if (in.number() != results.size()) leave("another number of results was recorded");
    for (vm::Value& v : results) v = in.value(pool);
    if (!in.good()) leave("the recorded results make no sense");
    host.pop_front();
    return true;
  }
  void note(Op, std::span<const vm::Value>) override {}

  [[noreturn]] void leave(const std::string& why) {
    lost = why;
    throw vm::Fault{vm::Fault::Kind::kIo, "the replay has left the recorded way: " + why};
  }
};

Made<Replay> Replay::open(const std::string& path) {
  return make_watcher<Replay>([&] {
    auto impl = std::make_unique<Impl>();
    std::string error;
    const auto parts = read_record(path, error);
    if (!parts) throw refusal(error);
    for (const Part& part : *parts) impl->take(part, path);
    if (impl->words.empty()) throw refusal(path + " has no command line");
    return impl;
  });
}
Replay::Replay(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Replay::~Replay() = default;
const std::vector<std::string>& Replay::words() const { return impl_->words; }
vm::Observer& Replay::observer() { return impl_->branches; }
vm::World* Replay::world() { return impl_.get(); }
void Replay::results(std::span<const Value> values) {
  impl_->now.results += values.size();
  for (const Value& v : values)
    impl_->now.result_hash = hash_values({&v.impl()->value, 1}, impl_->now.result_hash);
}

std::string Replay::difference() const {
  if (!impl_->lost.empty()) return "left the recorded way: " + impl_->lost;
  if (!impl_->recorded) return "";
  const End& then = *impl_->recorded;
  if (!impl_->host.empty())
    return std::to_string(impl_->host.size()) + " recorded results from outside were not asked for";
  if (then.results != impl_->now.results || then.result_hash != impl_->now.result_hash)
    return "the results differ";
  if (impl_->compares_branches() &&
      (then.branches != impl_->branches.count || then.branch_hash != impl_->branches.hash))
    return "the decisions of conditionals differ: " + std::to_string(impl_->branches.count) + " now, " +
           std::to_string(then.branches) + " then";
  return "";
}

std::string Replay::summary() const {
  if (!impl_->recorded) return "replayed a run that had not ended";
  const bool branches = impl_->compares_branches();
  return "replayed: the same " + std::to_string(impl_->now.results) + " results" +
         (branches ? " and " + std::to_string(impl_->branches.count) + " decisions" : "");
}

}  // namespace nvm::lib
