// libnvm: load programs and run them, from C++. Everything the nvm command does is done through here.
//
// A Program is immutable and may be run by several Vms at once. A Vm is one machine with its own memory; it
// runs one program at a time, several Vms may work in several threads. See programs/embed/example.cpp.
//
// Errors are values. Whatever fails, memory and threads included, is a Failure or what the function says
// otherwise; what does not depend on it goes on working. Only a function that gives out a std::string or
// std::vector of its own throws, std::bad_alloc, where there is no memory for that.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nvm::lib {

enum class Kind : std::uint8_t { kInt, kFloat, kBool, kSegdes, kPair };

enum class Severity : std::uint8_t { kError, kWarning, kNote };  // a note explains the message before it

// One thing to say about a program's text, for editors.
struct Message {
  std::string file;
  std::uint32_t line = 0, column = 0;  // from 1, columns in bytes; 0 if it has no place
  Severity severity = Severity::kError;
  std::string text;
};

// What went wrong, in words for the user: located, with the source line where there is one.
struct Failure {
  enum class Class : std::uint8_t { kProgram, kRuntime };  // the program is wrong; it failed while it ran
  // Of kRuntime: lengths that do not fit, an index out of range, a negative length, division by zero, ...
  enum class Cause : std::uint8_t {
    kLength,
    kIndex,
    kSegdes,
    kDivide,
    kRandom,
    kMemory,
    kRecursion,
    kDenied,
    kIo,
    kInterrupted,
    kType,
    kTime,
    kDevice,
    kOther
  };
  Class kind = Class::kProgram;
  std::string message;     // complete, ends with a newline
  std::uint32_t line = 0;  // of the first error in the VCODE text, 0 if unknown
  std::uint32_t column = 0;
  std::string reason = {};             // what happened, without the place; "" if `messages` say it
  std::string origin_file = {};        // kRuntime: innermost place in a NESL source, "" if unknown;
  std::uint32_t origin_line = 0;       // 0 if unknown
  std::uint32_t origin_column = 0;     // in characters, 0 if unknown
  std::vector<Message> messages = {};  // kProgram: all that is to be said of the text, in order
  std::optional<bool> line_open = {};  // kRuntime: as Run::line_open
  std::uint64_t origin = 0;            // the place as one number, for sessions
  Cause cause = Cause::kOther;
};

// A T, or why there is none.
template <typename T>
class Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Failure failure) : failure_(std::move(failure)) {}
  [[nodiscard]] explicit operator bool() const { return value_.has_value(); }
  [[nodiscard]] T& operator*() { return *value_; }
  [[nodiscard]] T* operator->() { return &*value_; }
  [[nodiscard]] const Failure& failure() const& { return failure_; }
  [[nodiscard]] Failure failure() && { return std::move(failure_); }

 private:
  std::optional<T> value_;
  Failure failure_;
};

// A vector, descriptor or pair; a cheap handle that keeps what it needs alive.
class Value {
 public:
  struct Impl;
  explicit Value(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

  // False for a vector that could not be made, for want of memory; it has no elements, and no run takes it.
  [[nodiscard]] explicit operator bool() const { return impl_ != nullptr; }
  [[nodiscard]] Kind kind() const;
  [[nodiscard]] std::int64_t size() const;  // elements, or segments of a descriptor; 2 for a pair
  // Where there is no such element, zero.
  [[nodiscard]] std::int64_t int_at(std::int64_t i) const;  // Int, or a segment's length
  [[nodiscard]] double float_at(std::int64_t i) const;
  [[nodiscard]] bool bool_at(std::int64_t i) const;
  // The elements where they lie, valid while this handle or a copy lives. Int may be stored in 1, 4 or 8
  // bytes, Float takes 8, Bool 1; null for descriptors and pairs.
  [[nodiscard]] const void* data() const;
  [[nodiscard]] int element_bytes() const;
  // The elements as T (std::int8_t, int32_t, int64_t, double, uint8_t) without copying; nothing if they are
  // stored otherwise.
  template <typename T>
  [[nodiscard]] std::optional<std::span<const T>> view() const {
    if (data() == nullptr || element_bytes() != static_cast<int>(sizeof(T))) return std::nullopt;
    return std::span(static_cast<const T*>(data()), static_cast<std::size_t>(size()));
  }
  [[nodiscard]] std::vector<std::int64_t> ints() const;  // a copy; Int or descriptor
  [[nodiscard]] std::string text() const;                // as a program's result is printed, with newline
  [[nodiscard]] bool print(std::FILE* file) const;
  [[nodiscard]] const std::shared_ptr<const Impl>& impl() const { return impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

// Inputs. A vector has 0 to 2^46 - 1 elements; foreign() gives a Value without contents otherwise.
// Elements are copied, except by foreign(): there `release(user)` is called when no run and no result
// needs the memory any more, on any thread; it must stay unchanged until then. Memory that ends less than 64
// bytes before the end of a page is copied, too, since vector loads read so far behind the last element.
// Where a value cannot be made `release` is not called.
[[nodiscard]] Value make_ints(std::span<const std::int64_t> elements);
[[nodiscard]] Value make_floats(std::span<const double> elements);
[[nodiscard]] Value make_bools(std::span<const std::uint8_t> elements);
[[nodiscard]] Value make_text(std::string_view text);
[[nodiscard]] Result<Value> make_segdes(std::span<const std::int64_t> lengths);
[[nodiscard]] Result<Value> make_segdes(std::int64_t segments, std::int64_t length);  // all of one length
[[nodiscard]] Value foreign(const std::int64_t* elements, std::int64_t n, void (*release)(void*), void* user);
[[nodiscard]] Value foreign(const std::int32_t* elements, std::int64_t n, void (*release)(void*), void* user);
[[nodiscard]] Value foreign(const std::int8_t* elements, std::int64_t n, void (*release)(void*), void* user);
[[nodiscard]] Value foreign(const double* elements, std::int64_t n, void (*release)(void*), void* user);

class Watcher;  // of loading and running: watch.hpp

// Files of values are named as on a command line: KIND:PATH with npy, csv, tsv or text, or a path that ends
// in .npy, .csv, .tsv or .txt, in letters of any case, or in none of these kinds for text; others are
// refused.
//
// What a file holds, as values for a function of VCODE: .npy a vector, tables a vector of numbers, text its
// characters. Rows of a table, of any number of dimensions: the descriptors come first, outermost first. What
// becomes of the file afterwards changes nothing.
[[nodiscard]] Result<std::vector<Value>> read_values(const std::string& word,
                                                     std::span<const std::shared_ptr<Watcher>> watchers = {});
// The same, a vector of integers, as the lengths of a descriptor.
[[nodiscard]] Result<Value> read_segdes(const std::string& word,
                                        std::span<const std::shared_ptr<Watcher>> watchers = {});

// A file for one value, opened at once: what will not do is known before there is a value. It has its name
// only when it is written as a whole; a file of this name stays as it is until then.
class ValueFile {
 public:
  struct Impl;
  explicit ValueFile(const std::string& word) noexcept;
  ValueFile(ValueFile&&) noexcept;
  ValueFile& operator=(ValueFile&&) noexcept;
  ~ValueFile();

  // Why it cannot be written, "" if it can.
  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  // Of the file, without its kind; "" if it cannot be written.
  [[nodiscard]] std::string path() const;
  // Why no value of this kind can be written to it, or nothing.
  [[nodiscard]] std::optional<std::string> refuses(Kind kind) const;
  // Writes a vector, or the lengths of a descriptor: tables a number per line, text characters. What is
  // wrong, or nothing. Once only.
  [[nodiscard]] std::optional<std::string> write(const Value& value);
  [[nodiscard]] Impl* impl() const { return impl_.get(); }

 private:
  std::string wrong_;
  std::unique_ptr<Impl> impl_;
};
// Opens and writes.
[[nodiscard]] std::optional<std::string> write_value(const std::string& word, const Value& value);

struct LoadOptions {
  int int_bits = 64;               // bits of INT: 32 or 64
  bool legacy = false;             // as the legacy interpreter: what the verifier refuses runs checked
  bool optimise = true;            // run the SSA passes
  bool check = false;              // check the SSA form after every pass
  std::uint32_t legacy_trace = 0;  // as Options::legacy_trace
  std::string function;            // start here instead of at MAIN or the first function
  std::vector<Kind> inputs;        // what the start function finds on the stack, deepest first
  std::vector<std::shared_ptr<Watcher>> watchers;
  const std::atomic<bool>* cancelled = nullptr;  // as Options::cancelled
};

class Program {
 public:
  struct Impl;
  explicit Program(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  Program(const Program&) = default;  // there is none without a program: to move is to copy
  Program& operator=(const Program&) = default;
  ~Program() = default;

  // Whether a text begins as VCODE does, and no NESL.
  [[nodiscard]] static bool looks_like_vcode(std::string_view text);
  // Loads VCODE; `name` stands in messages.
  [[nodiscard]] static Result<Program> from_text(std::string_view text, std::string name,
                                                 const LoadOptions& options = {});
  [[nodiscard]] static Result<Program> from_file(const std::string& path, const LoadOptions& options = {});

  [[nodiscard]] std::string warnings() const;           // rendered, "" if there are none
  [[nodiscard]] std::vector<Message> messages() const;  // the same, one by one
  // "QSORT : INT SEGDES -> INT SEGDES", a line for each function that can be reached: what it takes from the
  // stack and leaves there, deepest first. Where that depends on data, "dynamic stack" instead.
  [[nodiscard]] std::string signatures() const;
  // Of the start function: what it leaves on the stack, deepest first; nothing where that depends on data.
  [[nodiscard]] std::optional<std::vector<Kind>> results() const;
  [[nodiscard]] std::string ssa_text() const;  // the lowered form
  // Its recursive functions as loop nests, or why they are none.
  [[nodiscard]] std::string nests_text() const;
  [[nodiscard]] std::string vcode_text() const;  // as VCODE; "" if it was made of NESL (Nesl::compile)
  [[nodiscard]] const std::shared_ptr<const Impl>& impl() const { return impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

enum class Random : std::uint8_t { kPhilox, kLibc, kLcg48 };
enum class InstructionSet : std::uint8_t { kBest, kPortable, kAvx2, kAvx512 };
enum class Jit : std::uint8_t { kOff, kHot, kAlways, kCompare };  // kCompare: aborts where tiers differ
enum class Fusion : std::uint8_t { kOff, kGreedy, kExact };
enum class Engine : std::uint8_t { kCpu, kCuda, kAuto };  // kAuto: CUDA where there is a device
enum class Perf : std::uint8_t { kOff, kMap, kDump };  // how Linux perf learns the names of compiled kernels

// What the text of a program may do besides computing and using the three given streams: nothing by default.
// A file is below a folder if its name leads there, links and ".." included, when it is opened. Folders are
// looked up when a machine or session is made; one that is not there grants nothing.
struct Capabilities {
  std::vector<std::string> read, write;  // files below these folders; "/": any file
  bool spawn = false;                    // start processes, which may do all that their user may
};

class Carrier;     // vm/lib/carrier.h
class Checkpoint;  // vm/lib/checkpoint.h

constexpr int kMostRanks = 256;  // as threads, which wait for each other by asking; launchers start more

struct Options {
  Random random = Random::kPhilox;
  std::optional<std::int64_t> seed;  // as if the program began with SRAND
  int threads = 0;                   // 0: all processors
  // Bytes, 0: what the machine has. Of vectors, and of the heap beyond 32 MB: where operator new is not
  // replaced by one that counts (bytecode/base/budget.h), what the process's grew by since the call began.
  std::uint64_t memory = 0;
  // Programs are executed by so many ranks together, which are threads of this process, each with memory,
  // threads and limits of its own, of `memory` and `threads` a share where they are 0; 0: by none but this
  // machine; at most kMostRanks. Nothing that a program gives depends on it.
  int ranks = 0;
  std::shared_ptr<Carrier> carrier;  // of this process, where a launcher started several, instead of `ranks`
  std::shared_ptr<Checkpoint> checkpoint;  // is taken of runs, on one rank at least; or gone on from
  std::int64_t spread = 1 << 15;  // elements from which on each rank has a part of a vector only, 1 or more
  std::int64_t max_depth = 0;     // open calls, 0: as many as memory holds
  double time_limit = 0;          // seconds, 0: none; of a run, or of a call of a session
  Capabilities allow;
  // Work that all runs of the machine may do, together: one for each instruction, call and turn of a loop,
  // and one for each element that it computes, as the cost model counts them. A program ends at the same
  // instruction on every machine, with any threads, jit and block_threshold: it is executed as written,
  // neither compiled nor in groups. 0: no limit.
  std::uint64_t fuel = 0;
  std::uint64_t output_limit = 0;  // bytes that runs, and results of NESL, may write together; 0: no limit
  // For programs of strangers: nothing may be allowed; NESL can change no limits and no checks, and sees
  // nothing of the environment; limits that are 0 are those of untrusted_limits().
  bool untrusted = false;
  InstructionSet isa = InstructionSet::kBest;
  Jit jit = Jit::kHot;
  Fusion fusion = Fusion::kExact;
  Engine engine = Engine::kCpu;
  std::string devices;                  // that share compiled kernels, as --devices has them; empty: none
  std::int64_t region_limit = 200;      // most instructions of a region, 1 or more
  std::int64_t region_variants = 4096;  // most regions that are kept, 1 or more
  // A region is continued past a conditional that went the same way so many times, guarded by a check; 0: it
  // ends there.
  std::int64_t guard_after = 0;
  std::uint64_t code_memory = std::uint64_t{64} << 20;  // bytes of machine code
  Perf perf = Perf::kOff;  // kMap: /tmp/perf-<pid>.map; kDump: jit-<pid>.dump in the current folder
  // Instances from which on a call of a lifted function is cut into groups: 0 never, -1 where it pays.
  std::int64_t block_threshold = -1;
  // block_threshold -1: measure again where it pays, in spite of what is remembered, and say here what was
  // found.
  std::FILE* tune = nullptr;
  std::string
      explain;  // stages (letters of vm/tier/explain.h) to describe in Run::explanation; "-" for a summary
  // Of programs that were read as VCODE:
  bool legacy_checks = false;      // vinterp -c: execute with run-time checks and legacy messages
  bool legacy_memory = false;      // vinterp -m: `memory` is for vectors; what is beside them is for free
  std::uint32_t legacy_trace = 0;  // vinterp -d: bits by rows of vm/lib/trace_words.def
  bool count = false;              // fill Counters::instructions, work and bytes
  bool cost = false;               // fill instructions and work
  std::vector<std::shared_ptr<Watcher>> watchers;
  // May be set at any time, also by a signal handler: then nothing begins to run, and compiling NESL ends
  // soon with a failure. A run that has begun is ended by Vm::cancel.
  const std::atomic<bool>* cancelled = nullptr;
  std::FILE* in = stdin;
  std::FILE* out = stdout;
  std::FILE* err = stderr;
};

// The same options with the limits that they mean: with `untrusted` 1 GiB of memory, 60 seconds, 16 MiB of
// output and a fuel of 1e10.
[[nodiscard]] Options untrusted_limits(Options options);

struct Counters {
  // Vector instructions executed, also on scalars: the depth. Groups run beside each other.
  std::uint64_t instructions = 0;
  // Elements, as the cost model counts them. With Options::cost the same however calls are cut; else groups
  // of functions whose costs do not add up (ssa/lifted_costs.cpp) count what they do.
  std::uint64_t work = 0;
  // Further instructions, which only deal out instances; not in groups.
  std::uint64_t uncharged = 0;
  std::uint64_t bytes = 0;         // of operands and results, of regions as a whole; not in groups
  std::uint64_t peak_bytes = 0;    // largest amount of live vectors
  std::uint64_t mapped_bytes = 0;  // largest amount of memory taken from the system for vectors
  double seconds = 0;
  std::uint64_t regions = 0;   // recorded sequences of instructions, executed
  std::uint64_t fused = 0;     // of these, as compiled kernels
  std::uint64_t kernels = 0;   // of these, run; without work on single numbers
  std::uint64_t compiled = 0;  // compilations
  double compile_seconds = 0;
  std::uint64_t block_calls = 0;   // calls executed in groups
  std::uint64_t block_groups = 0;  // of these calls
  std::uint64_t block_levels = 0;  // of tail-parallel recursion that was made as a loop, in all groups
  std::uint64_t masked_loops = 0;  // calls executed as masked loops
  // Of each device that shares kernels: the parts that it ran, and their iterations.
  struct Device {
    std::string name;
    std::uint64_t parts = 0, iterations = 0;
  };
  std::vector<Device> devices;
  // What ranks did together: rounds, and of the first one messages and bytes to others, and seconds that it
  // waited for them; the longest part of a vector, by the mean of its parts.
  std::uint64_t rounds = 0, messages = 0, bytes_sent = 0;
  double waited_seconds = 0, largest_share = 0;
  std::uint64_t checkpoints = 0;  // that were written
  // How often each way to execute was taken that is faster than the plain one; only those that were, by
  // their names in vm/data/fast_paths.def.
  std::vector<std::pair<std::string_view, std::uint64_t>> fast_paths;
};

struct Run {
  bool exited = false;            // the program ended by EXIT: nothing is to be printed
  std::uint32_t exit_line = 0;    // innermost line of the NESL source where it did, 0 if unknown
  std::uint64_t exit_origin = 0;  // as Failure::origin
  bool out_closed = false;        // the program closed its standard output
  std::optional<bool> line_open;  // whether what it wrote to standard error ends inside of a line, if it did
  std::vector<Value> values;      // the final stack, deepest first
  Counters counters;
  std::string explanation;  // what the compiling tier did, if Options::explain asked
};

// While it lives, all that its thread does with this library shares this memory and time: loading, files,
// sessions, runs, showing. Machines and sessions made meanwhile have no memory beyond it. What takes more
// ends with a failure.
class Limits {
 public:
  // As Options::memory and Options::time_limit, 0: no limit.
  Limits(std::uint64_t memory, double seconds);
  Limits(const Limits&) = delete;
  Limits& operator=(const Limits&) = delete;
  ~Limits();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class Vm {
 public:
  explicit Vm(const Options& options = {});
  // Another one in its place: cancel() of either ends what either runs, one at a time.
  Vm(const Options& options, const Vm& first);
  Vm(Vm&&) noexcept;
  Vm& operator=(Vm&&) noexcept;
  ~Vm();

  // Runs from a fresh state. `inputs` are those of LoadOptions::inputs. What was compiled for a program
  // serves its next run, unless another one ran in between. While it runs, another call fails: "busy"; it may
  // be destroyed, and so may what it was given, by what the run calls back: they live until the run has
  // ended.
  [[nodiscard]] Result<Run> run(const Program& program, std::span<const Value> inputs = {});
  // A run that begins from now on goes on with the random numbers where the last one that ended well left
  // them, rather than with those of Options::seed.
  void keep_random() noexcept;
  // For what is written of results: counts so many bytes as output. False if that is more than
  // Options::output_limit has left; then nothing more may be written.
  [[nodiscard]] bool may_write(std::uint64_t bytes);
  // Runs that begin from now on write nothing and start no process, whatever Options::allow says.
  void forbid_effects() noexcept;
  // Makes a run end soon with a failure; from any thread or a signal handler. A Vm at rest ignores it.
  void cancel() noexcept;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

[[nodiscard]] const char* version();
// For bug reports, one fact a line: compiler, flags, packages, processor, and describe_devices().
[[nodiscard]] std::string describe_build();
// Driver, run-time compiler and GPUs, one a line, with what is missing and how to get it.
[[nodiscard]] std::string describe_devices();
// Whether Options::devices may be that; if not, why in words.
[[nodiscard]] bool are_devices(const std::string& list, std::string& why);

}  // namespace nvm::lib
