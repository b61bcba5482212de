#include "vm/lib/checkpoint.h"

#include <algorithm>
#include <cstring>

#include "bytecode/ssa/checksum.h"
#include "vm/lib/guarded.h"

namespace nvm::lib {

namespace {

constexpr std::size_t kPiece = std::size_t{4} << 20;    // bytes
constexpr std::int64_t kSlice = std::int64_t{1} << 19;  // elements
enum class RunPart : std::uint64_t { kEnded, kValue, kStanding };

constexpr const char* kOtherInput = "standard input is another one than before the checkpoint";

std::string build() { return std::string(version()) + " " + build_name(); }

std::uint64_t number_of(IntBits bits) { return bits == IntBits::k32 ? 32 : 64; }

void write_flag(PartWriter& out, std::optional<bool> flag) { out.number(flag ? (*flag ? 2 : 1) : 0); }
std::optional<bool> read_flag(PartReader& in) {
  const std::uint64_t x = in.number();
  return x == 0 ? std::nullopt : std::optional(x == 2);
}

void write_texts(PartWriter& out, const std::vector<vm::HostState::Text>& texts) {
  out.number(texts.size());
  for (const auto& [stream, text] : texts) {
    out.number(static_cast<std::uint64_t>(stream));
    out.text(text);
  }
}
std::vector<vm::HostState::Text> read_texts(PartReader& in) {
  std::vector<vm::HostState::Text> texts;
  for (std::uint64_t n = in.number(); n > 0 && in.good(); --n) {
    const auto stream = static_cast<std::int64_t>(in.number());
    texts.push_back({stream, in.text()});
  }
  return texts;
}

std::string pack(const Checkpoint::Identity& identity) {
  PartWriter out;
  out.text(build());
  out.number(number_of(identity.bits));
  out.number(identity.words.size());
  for (const std::string& word : identity.words) out.text(word);
  out.number(identity.choices.size());
  for (const std::string& choice : identity.choices) out.text(choice);
  out.number(identity.files.size());
  for (const auto& [name, hash] : identity.files) {
    out.text(name);
    out.number(hash);
  }
  return out.take();
}

// The first part, and that it is of this build.
std::optional<Checkpoint::Identity> unpack(const std::string& bytes) {
  PartReader in(bytes);
  if (in.text() != build()) return std::nullopt;
  Checkpoint::Identity identity;
  identity.bits = in.number() == 32 ? IntBits::k32 : IntBits::k64;
  for (std::uint64_t n = in.number(); n > 0 && in.good(); --n) identity.words.push_back(in.text());
  for (std::uint64_t n = in.number(); n > 0 && in.good(); --n) identity.choices.push_back(in.text());
  for (std::uint64_t n = in.number(); n > 0 && in.good(); --n) {
    std::string name = in.text();
    identity.files.emplace_back(std::move(name), in.number());
  }
  return in.good() && in.at_end() ? std::optional(std::move(identity)) : std::nullopt;
}

// What the second makes of the first, "" if that is the same.
std::string other_choice(const std::vector<std::string>& was, const std::vector<std::string>& is) {
  const auto [a, b] = std::mismatch(was.begin(), was.end(), is.begin(), is.end());
  if (a != was.end()) return "with " + *a + (b != is.end() ? ", not " + *b : "");
  return b != is.end() ? "without " + *b : "";
}

// Slices of a value, each with the number of those that follow.
void write_value(RecordWriter& file, const vm::Value& value) {
  const auto* v = std::get_if<vm::Vector>(&value);
  const std::int64_t n = v == nullptr ? 1 : v->length();
  const std::int64_t slices = std::max<std::int64_t>(1, (n + kSlice - 1) / kSlice);
  for (std::int64_t i = 0; i < slices; ++i) {
    PartWriter out;
    out.number(static_cast<std::uint64_t>(RunPart::kValue));
    out.number(static_cast<std::uint64_t>(slices - 1 - i));
    if (v == nullptr || slices == 1)
      out.value(value);
    else
      out.value(v->part(i * kSlice, std::min(kSlice, n - i * kSlice)));
    file.write(PartKind::kRun, out.take());
  }
}

vm::Vector joined(vm::Pool& pool, const std::vector<vm::Vector>& slices) {
  std::int64_t n = 0;
  for (const vm::Vector& slice : slices) n += slice.length();
  vm::Vector all = pool.vector(slices.front().storage(), n);
  auto* to = all.mutable_data<std::byte>();
  for (const vm::Vector& slice : slices) {
    if (slice.storage() != all.storage()) return {};
    std::memcpy(to, slice.raw(), static_cast<std::size_t>(slice.bytes()));
    to += slice.bytes();
  }
  return all;
}

// As long as others follow; `next` is then behind them.
std::optional<vm::Value> read_value(const std::vector<std::string>& packed, std::size_t& next,
                                    vm::Pool& pool) {
  std::vector<vm::Vector> slices;
  for (;;) {
    if (next == packed.size()) return std::nullopt;
    PartReader in(packed[next++]);
    if (in.number() != static_cast<std::uint64_t>(RunPart::kValue)) return std::nullopt;
    const std::uint64_t more = in.number();
    vm::Value value = in.value(pool);
    if (!in.good()) return std::nullopt;
    if (more == 0 && slices.empty()) return value;
    const auto* v = std::get_if<vm::Vector>(&value);
    if (v == nullptr) return std::nullopt;
    slices.push_back(*v);
    if (more == 0) return joined(pool, slices);
  }
}

}  // namespace

Checkpoint::Checkpoint(std::string path, When when, Identity identity)
    : path_(std::move(path)), when_(when), identity_(std::move(identity)) {}

Result<std::string> Checkpoint::read_file(const std::string& path) {
  RecordReader file(path, kCheckpointHead);
  PartWriter contents;
  bool whole = false, first = true;
  while (const auto part = file.next()) {
    if (first && (part->kind != PartKind::kWords || !unpack(part->bytes)))
      return refusal(path + " was made by another build of nvm");
    first = false;
    whole = part->kind == PartKind::kEnd;
    if (part->kind == PartKind::kWords || part->kind == PartKind::kRun) contents.text(part->bytes);
  }
  if (!file.reason().empty()) return refusal(file.reason());
  if (!whole) return refusal(path + " is cut off behind one of its parts");
  return contents.take();
}

std::vector<std::string> Checkpoint::words_in(const std::string& contents) {
  const auto identity = unpack(PartReader(contents).text());
  return identity ? identity->words : std::vector<std::string>();
}

std::string Checkpoint::go_on(const std::string& path, const std::string& contents) {
  PartReader in(contents);
  const auto of = unpack(in.text());
  if (!of) return path + " was made by another build of nvm";
  if (of->bits != identity_.bits)
    return path + " is of a program with integers of " + std::to_string(number_of(of->bits)) + " bits";
  if (of->files.size() != identity_.files.size()) return path + " is of another program";
  for (std::size_t i = 0; i < of->files.size(); ++i)
    if (of->files[i] != identity_.files[i])
      return path + " is of another program, or of other input: " + identity_.files[i].first +
             " is not what it was";
  if (const std::string other = other_choice(of->choices, identity_.choices); !other.empty())
    return path + " is of a run " + other;
  while (!in.at_end() && in.good()) {
    const std::string bytes = in.text();
    PartReader part(bytes);
    switch (static_cast<RunPart>(part.number())) {
      case RunPart::kEnded: {
        Ended& run = ended_.emplace_back();
        run.code = part.number();
        run.line_open = read_flag(part);
        run.host.written = read_texts(part);
        run.host.taken = static_cast<std::int64_t>(part.number());
        for (std::uint64_t n = part.number(); n > 0 && part.good(); --n)
          run.host.random.push_back(part.number());
        break;
      }
      case RunPart::kValue:
        if (!ended_.empty()) ended_.back().packed.push_back(bytes);
        break;
      case RunPart::kStanding: {
        StandingRun& now = standing_.emplace();
        now.code = part.number();
        now.host.written = read_texts(part);
        now.host.taken = static_cast<std::int64_t>(part.number());
        const std::uint64_t nanoseconds = part.number();
        now.host.timer = static_cast<double>(nanoseconds) / 1e9;
        now.host.last_error = part.text();
        now.host.line_open = read_flag(part);
      }
    }
    if (!part.good()) return path + " makes no sense";
  }
  from_.emplace(path, kCheckpointHead);
  return "";
}

std::optional<Result<Run>> Checkpoint::again(const std::shared_ptr<const Program::Impl>& program,
                                             const std::shared_ptr<vm::Pool>& pool, const Options& options) {
  if (again_ == ended_.size() || program == nullptr) return std::nullopt;
  Ended& ended = ended_[again_];
  if (ended.code != ssa::checksum(program->loaded.module))
    return refusal("the checkpoint is of another program");
  std::size_t next = 0;
  while (next < ended.packed.size()) {
    auto value = read_value(ended.packed, next, *pool);
    if (!value) return refusal("the checkpoint makes no sense");
    ended.values.emplace_back(std::make_shared<Value::Impl>(Value::Impl{program, pool, std::move(*value)}));
  }
  ended.packed.clear();
  ++again_;
  std::FILE* const streams[] = {options.in, options.out, options.err};
  if (options.in != nullptr && ended.host.taken > 0 && ::fseeko(options.in, ended.host.taken, SEEK_SET) != 0)
    return refusal(kOtherInput);
  for (const auto& [stream, text] : ended.host.written) {
    std::FILE* const file = stream < 3 ? streams[stream] : nullptr;
    if (file == nullptr) continue;
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), file));
    std::fflush(file);
  }
  Run run;
  run.line_open = ended.line_open;
  run.values = ended.values;
  return run;
}

std::string Checkpoint::begin_run(const Program::Impl& program, vm::Host& host, std::FILE* err) {
  code_ = ssa::checksum(program.loaded.module);
  host_ = &host;
  err_ = err;
  taken_ = 0;
  if (!continues()) return "";
  if (standing_->code != code_) return "the checkpoint is of another program";
  return host.set_state(std::move(standing_->host)) ? "" : kOtherInput;
}

void Checkpoint::leave_run(vm::Host& host) {
  state_ = host.state(true);
  lost_ |= !state_;
  host_ = nullptr;
}

void Checkpoint::end_run(Run& run) {
  run.counters.checkpoints = taken_;
  standing_.reset();
  const bool first = state_.has_value();
  ended_.push_back({code_, run.line_open, std::move(state_).value_or(vm::HostState()), {}, {}});
  if (first) ended_.back().values = run.values;
  state_.reset();
  ++again_;
  if (!first || lost_ || run.exited || !due(static_cast<std::int64_t>(run.counters.rounds))) return;
  open();
  close(static_cast<std::int64_t>(run.counters.rounds));
}

bool Checkpoint::due(std::int64_t rounds) {
  if (rounds < last_rounds_) last_rounds_ = 0;  // of ranks that have just begun
  if (when_.rounds > 0) return rounds >= last_rounds_ + when_.rounds;
  return std::chrono::steady_clock::now() - last_ >= std::chrono::duration<double>(when_.seconds);
}

bool Checkpoint::possible() {
  state_ = host_ == nullptr || lost_ ? std::nullopt : host_->state();
  return state_.has_value();
}

void Checkpoint::open() {
  to_.emplace(path_, kCheckpointHead, OutFile::Kind::kWhole);
  to_->write(PartKind::kWords, pack(identity_));
  for (const Ended& run : ended_) write_ended(run);
}

void Checkpoint::write_ended(const Ended& run) {
  PartWriter out;
  out.number(static_cast<std::uint64_t>(RunPart::kEnded));
  out.number(run.code);
  write_flag(out, run.line_open);
  write_texts(out, run.host.written);
  out.number(static_cast<std::uint64_t>(run.host.taken));
  out.number(run.host.random.size());
  for (const std::uint64_t word : run.host.random) out.number(word);
  to_->write(PartKind::kRun, out.take());
  for (const Value& value : run.values) write_value(*to_, value.impl()->value);
  for (const std::string& packed : run.packed) to_->write(PartKind::kRun, packed);
}

void Checkpoint::begin() {
  open();
  PartWriter out;
  out.number(static_cast<std::uint64_t>(RunPart::kStanding));
  out.number(code_);
  write_texts(out, state_->written);
  out.number(static_cast<std::uint64_t>(state_->taken));
  out.number(static_cast<std::uint64_t>(state_->timer * 1e9));
  out.text(state_->last_error);
  write_flag(out, state_->line_open);
  to_->write(PartKind::kRun, out.take());
  state_.reset();
}

void Checkpoint::write(std::span<const std::byte> bytes) {
  buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (buffer_.size() >= kPiece) flush();
}

void Checkpoint::flush() {
  if (!buffer_.empty()) to_->write(PartKind::kState, buffer_);
  buffer_.clear();
}

void Checkpoint::end(std::int64_t rounds) { close(rounds); }

// One that cannot be written is said once, and the run goes on.
void Checkpoint::close(std::int64_t rounds) {
  flush();
  to_->write(PartKind::kEnd, "");
  if (to_->finish()) {
    ++taken_;
  } else if (!complained_ && err_ != nullptr) {
    complained_ = true;
    std::fprintf(err_, "nvm: the checkpoint %s cannot be written: %s\n", path_.c_str(),
                 std::strerror(to_->error_number()));
  }
  to_.reset();
  last_ = std::chrono::steady_clock::now();
  last_rounds_ = rounds;
}

std::size_t Checkpoint::read(std::span<std::byte> to) {
  std::size_t done = 0;
  while (done < to.size() && from_) {
    if (at_ == piece_.size()) {
      auto part = from_->next();
      while (part && part->kind != PartKind::kState) part = from_->next();
      if (!part) break;
      piece_ = std::move(part->bytes);
      at_ = 0;
    }
    const std::size_t some = std::min(to.size() - done, piece_.size() - at_);
    std::memcpy(to.data() + done, piece_.data() + at_, some);
    at_ += some;
    done += some;
  }
  return done;
}

}  // namespace nvm::lib
