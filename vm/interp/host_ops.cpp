#include "vm/interp/host_ops.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <vector>

#include "vm/interp/elements.h"
#include "vm/interp/text_io.h"
#include "vm/interp/work.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kNullStream = -1, kStandardError = 2;
constexpr std::size_t kLongestName = 4096;

std::string text(Op op) { return std::string(op_info(op).text); }

const char* prompt_for(TypeWord word) {
  switch (word) {
    case TypeWord::kFloat: return "float vector, in form (1.0 2.0 3.0)";
    case TypeWord::kBool: return "boolean vector, in form (T F)";
    case TypeWord::kChar: return "string vector, in form \"string\"";
    case TypeWord::kSegdes: return "segment descriptor vector, in form [1 2 3]";
    default: return "integer vector, in form (1 2 3)";
  }
}

}  // namespace

// One execution: operands, results and what every I/O instruction ends with, error text and status.
struct Host::Io {
  Host& host;
  Op op;
  TypeWord word;
  SourcePos pos;
  std::span<Value> operands;
  std::span<Value> results;

  // Operand i as a vector, and the value of one that must have length one.
  [[nodiscard]] const Vector& vector(std::size_t i) const { return std::get<Vector>(operands[i]); }
  [[nodiscard]] std::int64_t single(std::size_t i) const {
    if (vector(i).length() != 1)
      throw Fault{Fault::Kind::kLength, "operand " + std::to_string(i) + " of " + text(op) + " has length " +
                                            std::to_string(vector(i).length()) + ", expected 1"};
    return vector(i).scalar_int();
  }

  // Results that another run tells, as this one makes them: of the instruction's kinds, and as wide as INT
  // is.
  void admit() const {
    for (std::size_t i = 0; i < results.size(); ++i)
      results[i] = admitted(results[i], op_info(op).results[i]);
  }
  [[nodiscard]] Value admitted(const Value& told, char letter) const {
    const Type type = letter_type(letter, word);
    std::vector<std::int64_t> ints;
    if (const auto* s = std::get_if<Segdes>(&told); s != nullptr && type == Type::kSegdes) {
      if (host.bits_ == IntBits::k64) return told;
      for (std::int64_t k = 0; k < s->segments(); ++k) ints.push_back(s->length(k));
      return make_segdes(host.pool_, ints, host.bits_);
    }
    const auto* v = std::get_if<Vector>(&told);
    if (v == nullptr || v->type() != type || (letter_is_single(letter) && v->length() != 1))
      throw Fault{Fault::Kind::kIo, "what another run tells of " + text(op) + " makes no sense"};
    if (type != Type::kInt || host.bits_ == IntBits::k64) return told;
    with_ints(*v, [&](const auto* p) { ints.assign(p, p + v->length()); });
    return make_ints(host.pool_, ints, host.bits_);
  }

  void set(std::size_t i, Value value) const { results[i] = std::move(value); }
  void set_int(std::size_t i, std::int64_t value) const { results[i] = Vector::of_int(value); }
  // The last two results.
  void finish(const std::string& error, bool good) const {
    if (!error.empty()) host.last_error_ = error;
    set(results.size() - 2, make_text(host.pool_, error));
    set(results.size() - 1, Vector::of_bool(good));
  }
  void finish(const std::string& error) const { finish(error, error.empty()); }

  [[nodiscard]] std::string bad_slot(std::int64_t slot) const {
    return "vinterp: line " + std::to_string(pos.line) + ": illegal VCODE file descriptor for " + text(op) +
           ": " + std::to_string(slot);
  }

  void srand() const {
    host.random_->seed(single(0));
    set(0, Vector::of_bool(true));
  }
  void stop_timer() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - host.timer_;
    set(0, Vector::of_float(passed.count()));
  }

  [[nodiscard]] bool limited() const { return host.output_ != nullptr && host.output_->limited(); }
  void take_output(std::size_t bytes) const {
    if (limited() && !host.output_->take(bytes))
      throw Fault{Fault::Kind::kIo, "output limit: more bytes of output than allowed (--output-limit)"};
  }
  [[nodiscard]] bool print_counted(std::FILE* file, std::int64_t slot) const;
  void keep(std::int64_t slot, std::string_view text) const {
    if (host.keeps_ && Streams::given(slot)) host.written_.push_back({slot, std::string(text)});
  }
  [[nodiscard]] bool write_text(std::FILE* file, std::int64_t slot, std::string_view text) const {
    keep(slot, text);
    return std::fwrite(text.data(), 1, text.size(), file) == text.size();
  }
  // WRITE and FWRITE.
  void write(std::FILE* file, std::int64_t slot) const {
    errno = 0;
    bool good = false;
    if (word == TypeWord::kChar) {
      const std::string bytes = text_of(vector(0));
      take_output(bytes.size());
      good = write_text(file, slot, bytes);
      good = std::fflush(file) == 0 && good;
      if (file == host.streams_.at(kStandardError) && !bytes.empty()) host.line_open_ = bytes.back() != '\n';
    } else {
      const bool first = limited() || host.keeps_;
      good = first ? print_counted(file, slot) : print_value(file, operands[0]);
      if (file == host.streams_.at(kStandardError)) host.line_open_ = false;
    }
    finish(good ? "" : std::strerror(errno));
  }
  void write_slot(std::int64_t slot) const {
    if (slot == kNullStream) return finish(host.last_error_, false);
    std::FILE* file = host.streams_.at(slot);
    if (file == nullptr) return finish(bad_slot(slot));
    if (Streams::given(slot)) return write(file, slot);
    const PipesMayBreak held;
    write(file, slot);
  }

  // READ and FREAD.
  void read(std::FILE* file) const {
    if (::isatty(::fileno(file)) != 0) std::fprintf(stderr, "vinterp: input %s: ", prompt_for(word));
    ReadResult got = read_value(file, word, host.pool_, host.bits_);
    set(0, std::move(got.value));
    finish(got.error);
  }
  void set_empty(bool failed) const {
    if (word == TypeWord::kSegdes) return set(0, failed ? Segdes::unread() : Segdes());
    set(0, word == TypeWord::kFloat  ? make_floats(host.pool_, {})
           : word == TypeWord::kBool ? make_bools(host.pool_, {})
                                     : make_text(host.pool_, ""));
  }
  void read_slot(std::int64_t slot) const {
    host.has_read_ |= slot == 0;
    if (std::FILE* file = host.streams_.at(slot)) return read(file);
    const bool null = slot == kNullStream && word != TypeWord::kChar;
    set_empty(!null);
    finish(null ? "" : bad_slot(slot));
  }

  void read_chars() const;
  void open_file() const;
  void close_slot() const {
    const std::int64_t slot = single(0);
    if (slot == kNullStream) return finish("");
    if (host.streams_.at(slot) == nullptr) return finish(bad_slot(slot));
    finish(host.streams_.close(slot) ? "" : std::strerror(errno));
  }
  void spawn_process() const;
  // Throws what is an error before anything happens: a mode that is none, what is not allowed.
  void check_legal() const;
};

// Written to memory first, if it is not too much by the number of its elements already.
bool Host::Io::print_counted(std::FILE* file, std::int64_t slot) const {
  if (limited() && !host.output_->has(static_cast<std::uint64_t>(length_of(operands[0]))))
    take_output(~std::size_t{0});
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* memory = ::open_memstream(&text, &size);
  if (memory == nullptr) return false;
  bool good = print_value(memory, operands[0]);
  good = std::fclose(memory) == 0 && good;
  const std::unique_ptr<char, void (*)(void*)> bytes(text, std::free);
  take_output(size);
  return good && write_text(file, slot, {text, size}) && std::fflush(file) == 0;
}

void Host::Io::read_chars() const {
  const std::int64_t asked = single(1);
  const std::int64_t most = asked < 0 ? std::int64_t{1} << 30 : asked;
  host.has_read_ |= single(2) == 0;
  std::FILE* file = host.streams_.at(single(2));
  if (file == nullptr) {
    set(0, make_text(host.pool_, ""));
    set(1, make_text(host.pool_, ""));
    return finish("illegal VCODE file descriptor in FREAD");
  }
  bool ends[256] = {};
  for (const char c : text_of(vector(0))) ends[static_cast<unsigned char>(c)] = true;
  std::string bytes;
  std::int64_t why = -2;
  std::string error;
  while (static_cast<std::int64_t>(bytes.size()) < most) {
    const int c = next_byte(file);
    if (c == EOF || ends[c]) {
      why = c == EOF ? -1 : c;
      if (c == EOF && std::ferror(file) != 0) error = std::strerror(errno);  // of a folder, say
      break;
    }
    bytes += static_cast<char>(c);
  }
  set(0, make_bytes(host.pool_, bytes));
  set_int(1, why);
  finish(error);
}

void Host::Io::check_legal() const {
  if (op == Op::kSpawn) host.gate_->check(WayOut::kProcess, text_of(vector(0)));
  if (op != Op::kFopen) return;
  const std::int64_t mode = single(1);
  if (mode < 1 || mode > 3)
    throw Fault{Fault::Kind::kIo, "FOPEN: top of stack (" + std::to_string(mode) + ") not legal mode."};
  host.gate_->check(mode == 1 ? WayOut::kReadFile : WayOut::kWriteFile, text_of(vector(0)));
}

void Host::Io::open_file() const {
  check_legal();
  const std::int64_t mode = single(1);
  const std::string name = text_of(vector(0));
  set_int(0, -1);
  if (name.size() >= kLongestName) return finish("file name too long");
  if (name.find('\0') != std::string::npos) return finish("a file name has no character 0");
  std::FILE* file = mode == 1   ? host.gate_->open(WayOut::kReadFile, name, FileMode::kRead)
                    : mode == 2 ? host.gate_->open(WayOut::kWriteFile, name, FileMode::kWrite)
                                : host.gate_->open(WayOut::kWriteFile, name, FileMode::kAppend);
  if (file == nullptr) return finish(std::strerror(errno));
  set_int(0, host.streams_.add(file));
  finish("");
}

void Host::Io::spawn_process() const {
  // Operands are command, in, out, errs; results errs, out, in.
  check_legal();
  std::int64_t slots[3];
  std::FILE* files[3] = {nullptr, nullptr, nullptr};
  std::string error;
  for (std::size_t i = 0; i < 3; ++i) {
    slots[i] = single(i + 1);
    files[i] = host.streams_.at(slots[i]);
    if (files[i] == nullptr && slots[i] != kNullStream) {
      error = bad_slot(slots[i]);
      slots[i] = -2;
    }
  }
  if (error.empty()) {
    reap(host.children_);
    const Spawned child = host.gate_->spawn(WayOut::kProcess, text_of(vector(0)), files);
    error = child.error;
    if (child.pid >= 0) host.children_.push_back(child.pid);
    for (std::size_t i = 0; i < 3; ++i)
      if (child.ends[i] != nullptr) slots[i] = host.streams_.add(child.ends[i]);
  }
  for (std::size_t i = 0; i < 3; ++i) set_int(i, slots[2 - i]);
  finish(error);
}

namespace {
const Gate kClosed;
}

Host::Host(const HostOptions& options, Pool& pool, IntBits bits)
    : pool_(pool),
      bits_(bits),
      gate_(options.gate != nullptr ? options.gate : &kClosed),
      world_(options.world),
      output_(options.output),
      random_(make_random(options.random)),
      streams_(options.in, options.out, options.err),
      keeps_(options.keeps) {}

std::optional<HostState> Host::state(bool ended) {
  reap(children_);
  if (!ended && (!children_.empty() || !streams_.only_given())) return std::nullopt;
  HostState state;
  state.taken = streams_.at(0) != nullptr ? ::ftello(streams_.at(0)) : -1;
  if (state.taken < 0 && has_read_) return std::nullopt;
  state.taken = std::max<std::int64_t>(state.taken, 0);
  state.written = written_;
  state.timer = std::chrono::duration<double>(std::chrono::steady_clock::now() - timer_).count();
  state.last_error = last_error_;
  state.line_open = line_open_;
  state.random = random_->state();
  return state;
}

bool Host::set_state(HostState state) {
  if (state.taken > 0 && ::fseeko(streams_.at(0), state.taken, SEEK_SET) != 0) return false;
  for (const HostState::Text& kept : state.written) {
    std::FILE* const file = streams_.at(kept.stream);
    if (output_ != nullptr) static_cast<void>(output_->take(kept.text.size()));
    if (file != nullptr) static_cast<void>(std::fwrite(kept.text.data(), 1, kept.text.size(), file));
    if (file != nullptr) std::fflush(file);
  }
  written_ = std::move(state.written);
  const std::chrono::duration<double> timed(state.timer);
  timer_ = std::chrono::steady_clock::now() - std::chrono::duration_cast<std::chrono::nanoseconds>(timed);
  last_error_ = std::move(state.last_error);
  line_open_ = state.line_open;
  return true;
}

// Seeding and starting the timer have no results, and what is written to the three given streams is the
// program's output.
bool Host::looks_outside(Op op, std::span<const Value> operands) const {
  if (op == Op::kSrand || op == Op::kStartTimer) return false;
  if (world_->sees_output()) return true;
  if (op == Op::kWrite) return false;
  if (op != Op::kFwrite && op != Op::kFclose) return true;
  const auto* slot = std::get_if<Vector>(&operands[op == Op::kFwrite ? 1 : 0]);
  return slot == nullptr || !slot->is_scalar() || slot->scalar_int() > 2;
}

void Host::run(Op op, TypeWord word, SourcePos pos, std::span<Value> operands, std::span<Value> results) {
  const bool outside = world_ != nullptr && looks_outside(op, operands);
  const Io io{*this, op, word, pos, operands, results};
  if (outside && world_->ended()) io.check_legal();
  if (outside && world_->play(op, pool_, results)) {
    io.admit();
  } else {
    execute(io);
    if (outside) world_->note(op, results);
  }
  for (Value& operand : operands) operand = Value();
}

void Host::execute(const Io& io) {
  switch (io.op) {
    case Op::kSrand: io.srand(); break;
    case Op::kStartTimer: timer_ = std::chrono::steady_clock::now(); break;
    case Op::kStopTimer: io.stop_timer(); break;
    case Op::kRead: io.read_slot(0); break;
    case Op::kWrite: io.write_slot(kStandardError); break;
    case Op::kFopen: io.open_file(); break;
    case Op::kFclose: io.close_slot(); break;
    case Op::kFread: io.read_slot(io.single(0)); break;
    case Op::kFreadChar: io.read_chars(); break;
    case Op::kFwrite: io.write_slot(io.single(1)); break;
    case Op::kSpawn: io.spawn_process(); break;
    default: NVM_CHECK(false, "not a host instruction");
  }
}

}  // namespace nvm::vm
