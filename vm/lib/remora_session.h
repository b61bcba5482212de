// What is behind a Remora: its text so far, and the values of definitions that ran.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/emit.h"
#include "frontend/remora/program.h"
#include "frontend/remora/top_level.h"
#include "frontend/remora/translate.h"
#include "vm/data/value.h"
#include "vm/lib/remora.hpp"
#include "vm/lib/remora_files.h"
#include "vm/lib/session_core.h"

namespace nvm::lib {

// What a failed check says goes to standard error, where nothing else goes.
class Said {
 public:
  Said();
  Said(const Said&) = delete;
  Said& operator=(const Said&) = delete;
  ~Said();
  [[nodiscard]] std::FILE* file() const { return file_; }
  // What was said since it was asked before.
  [[nodiscard]] std::string text();

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0, taken_ = 0;
  std::FILE* file_;
};

struct SaidFirst {  // is made before the machine
  Said said;
};

// Each text is a program of what it uses of the session and of itself. What it defines stays as long as a
// name or another definition leads to it: a value that is known without what made it, else its form and text.
struct Remora::Impl : SaidFirst, SessionCore {
  Impl(const LanguageOptions& options, std::ostream& o, std::ostream& e);

  LanguageStatus run(std::string_view text, const std::string& name);
  LanguageStatus run_file(const std::string& path, bool shown);
  LanguageStatus check(std::string_view text, const std::string& name,
                       std::vector<LanguageMessage>* messages);
  // The text of a file; nothing, reported, if it cannot be read.
  [[nodiscard]] std::optional<std::string> read(const std::string& path);
  std::optional<std::string> bind_file(const std::string& name, const std::string& word);
  std::optional<std::string> bind(const std::string& name, const std::string& type, const lib::Value& atoms);
  std::optional<std::string> save(const std::string& name, ValueFile& file);
  std::optional<std::string> refuses(const Texts& texts, const std::string& name, const ValueFile& file);
  // Of an expression, "" for the last one so far; nothing, reported, if there is none.
  [[nodiscard]] std::optional<std::string> compile(const std::string& text);
  [[nodiscard]] std::optional<std::string> listing(const std::string& text, std::string_view stages);
  [[nodiscard]] std::optional<Nesl::Prepared> prepare(const std::string& text);
  [[nodiscard]] std::vector<std::string> names();
  // Carries out a text that is a command; false if it is none.
  bool command(std::string_view text);

  struct Chunk {  // a text
    std::string name;
    std::uint32_t first = 1;  // the number of its first line; no other text that is in use has it
    std::string text;
  };
  using ChunkRef = std::shared_ptr<const Chunk>;
  struct Definition {
    std::vector<vm::Value> slots;  // if its value is known
    std::string place;             // "FILE:LINE:COLUMN", "" of a value from outside
    ChunkRef text;                 // unless its value is known
  };
  struct Value {  // of an expression
    remora::Type type;
    const frontend::core::Type* core = nullptr;
    std::vector<vm::Value> slots;
  };
  LanguageOptions options;
  std::vector<RemoraInput> inputs;  // their slots are in `definitions`
  remora::TopLevel top;
  std::map<remora::ValueId, Definition> definitions;
  std::optional<std::string> own_file;  // the name of the first text
  std::vector<ChunkRef> whole;          // if texts are compiled only: all
  std::optional<Value> last;            // of the last expression
  bool shows = true, compiles = false;

 private:
  // What is wrong with the name of an input that is made, or nothing: then it is bound.
  template <typename Make>
  std::optional<std::string> bound(const std::string& name, Make make);
  // A program whose forms know what they are for.
  struct Ready {
    std::vector<ChunkRef> texts;  // that it has places in, by line; the last one is new
    std::unique_ptr<remora::TopLevel::Text> text;
    // Of the texts, as far as code can tell them apart.
    std::vector<std::string> files;
    std::vector<std::uint32_t> first_lines;
    std::uint32_t own = 0;  // the number of the session's first text, 0 if code has no places in it
    [[nodiscard]] const Chunk& more() const { return *texts.back(); }
    [[nodiscard]] const std::vector<remora::Error>& errors() const { return text->errors(); }
    [[nodiscard]] remora::Program& program() const { return text->program(); }
    // Where a line is; that of the new text if it is unknown.
    [[nodiscard]] const Chunk& chunk_at(std::uint32_t line) const;
    // In all texts, of what emit_options() made of a place; line 0 if it is not known.
    [[nodiscard]] SourcePos whole(Origin o) const;
  };
  [[nodiscard]] Ready ready(std::string_view text, const std::string& name);
  // The same for one expression.
  [[nodiscard]] std::optional<Ready> ready_for(const std::string& text);
  // Its definitions are the session's from now on; values in `kept`, by form.
  void accept(Ready& ready, std::map<std::size_t, std::vector<vm::Value>> kept);
  void carry_out(const remora::TopLevel::Change& change, std::map<remora::ValueId, Definition> by_form);
  // False, reported, if there are errors.
  bool good(const Ready& ready);
  [[nodiscard]] std::vector<LanguageMessage> located(const Ready& ready,
                                                     const std::vector<remora::Error>& errors) const;
  void report(const Ready& ready, const std::vector<remora::Error>& errors);
  // f(), or nothing, reported, if something cannot be run.
  template <typename F>
  bool translating(const Ready& ready, F f);
  [[nodiscard]] frontend::EmitOptions emit_options(const Ready& ready) const;
  [[nodiscard]] std::vector<vm::Value> values_of(const Ready& ready,
                                                 const std::vector<frontend::VariableSlot>& slots) const;
  // The slots of the results; nothing, reported, if it fails.
  [[nodiscard]] std::optional<std::vector<vm::Value>> results(const Ready& ready,
                                                              const remora::Translated& translated);
  // The slots of definitions that are kept, by form; expressions are shown in `text`.
  [[nodiscard]] std::map<std::size_t, std::vector<vm::Value>> kept(
      const remora::Program& program, const std::vector<remora::Translated::Result>& results,
      const std::vector<vm::Value>& slots, std::string& text);
  [[nodiscard]] std::string describe(const std::string& name) const;

  std::map<std::uint32_t, std::weak_ptr<const Chunk>> in_use_;  // texts by their first lines
  std::size_t sweep_at_ = 16;                                   // how many with those that are not any more
};

}  // namespace nvm::lib
