// The text of a NESL program in chunks, one for each form with the blanks and comments in front of it. A
// chunk that a change does not touch is neither read nor checked again; one is checked again whose names mean
// something else than before.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "frontend/edit/document.h"
#include "frontend/edit/nesl_facts.h"
#include "frontend/nesl/compile.h"

namespace nvm::edit {

class NeslUnit;

// A message of the front end, and where, in bytes from the beginning of its chunk.
struct ChunkMessage {
  Severity severity;
  std::size_t at;
  std::string text;
};

struct NeslChunk {
  std::size_t begin = 0, end = 0;
  std::uint32_t column = 1;
  bool blank = false;                    // no form: the rest of the text
  bool readable = false;                 // its form was read
  std::shared_ptr<frontend::Form> form;  // as it was read; null once it is checked
  frontend::FormKind kind = frontend::FormKind::kExpr;
  std::size_t form_begin = 0;            // in the chunk
  std::vector<ChunkMessage> unread;      // the reader's messages
  std::vector<std::string> words;        // all that can be names, each once
  std::vector<std::string> declares;     // the names that it defines
  std::vector<std::string> blamed_read;  // those that it would, were it readable

  // Since it was checked:
  bool checked = false;
  bool faulty = false;
  bool evaluates = false;           // code was made, of all that it calls
  std::size_t names = 0;            // NeslUnit::names_ then
  std::vector<std::uint64_t> seen;  // what the words meant
  std::vector<ChunkMessage> messages;
  std::vector<std::string> blamed;
  std::vector<frontend::Binding*> bindings;  // what it defines
  NeslFacts facts;
  std::optional<std::string> known;                   // the string that its variable is
  std::shared_ptr<const frontend::CompiledForm> job;  // NAME &= EXP
  std::unique_ptr<NeslUnit> loaded;
  std::string loaded_path;
  std::string module, prefix;  // that it imports, "" if it does not
};

struct NeslModule {
  std::unique_ptr<NeslUnit> unit;
  bool checked = false;  // in this pass
  std::string error;     // the first one; "" if there is none
};

// What all units of a program share: what names mean where the checker is.
struct NeslWorld {
  frontend::Environment environment;
  ReadFile read;
  std::unordered_set<std::string> blamed;
  std::unordered_map<std::string, std::string> texts;  // variables whose string is known
  std::unordered_map<std::string, std::shared_ptr<const frontend::CompiledForm>> jobs;
  std::unordered_set<const frontend::Binding*> redefined;  // functions whose bodies are new
  std::vector<std::string> files;                          // those that load each other here
  std::map<std::string, NeslModule> modules;               // by path
  bool in_module = false;                                  // what is checked is the text of one
  std::uint32_t next_source = 1;
  std::size_t checks = 0;  // forms that were checked so far
};

class NeslUnit {
 public:
  // Finds the chunks that differ. Of Markdown the blocks of NESL are the program.
  void read(std::string text, bool markdown, NeslWorld& world);
  // What must outlive the next pass.
  void collect(std::vector<frontend::Binding*>& kept) const;
  // Checks what must be, in order; names mean what the text says from here on.
  void check(NeslWorld& world);
  // Functions of this text that are declared and have no body.
  void check_bodies(NeslWorld& world);

  [[nodiscard]] const std::vector<std::unique_ptr<NeslChunk>>& chunks() const { return chunks_; }
  // The text with blanks in place of what is no program.
  [[nodiscard]] const std::string& code() const { return code_; }
  [[nodiscard]] const std::vector<std::pair<const NeslChunk*, ChunkMessage>>& bodiless() const {
    return bodiless_;
  }
  // The first error of the text, for who loads it: "FILE:LINE:COLUMN: ..."; "" if there is none.
  [[nodiscard]] std::string first_error(const std::string& file, std::size_t& count) const;

 private:
  struct Unfinished;
  using Chunks = std::vector<std::unique_ptr<NeslChunk>>;

  void read_rest(Chunks& old, std::string_view before, std::size_t same_from, NeslWorld& world);
  void take_over(NeslChunk& chunk, NeslChunk& same);
  [[nodiscard]] std::unique_ptr<NeslChunk> read_chunk(std::size_t begin, std::uint32_t column,
                                                      NeslWorld& world) const;
  void retire(const NeslChunk& chunk);
  [[nodiscard]] bool must_check(const NeslChunk& chunk, const NeslWorld& world) const;
  void check_chunk(NeslChunk& chunk, NeslWorld& world);
  void define(NeslChunk& chunk, frontend::CompiledForm& compiled, NeslWorld& world);
  [[nodiscard]] frontend::Binding* kept_for(const NeslChunk& chunk, const std::string& name) const;
  void command(NeslChunk& chunk, const frontend::Form& form, const frontend::CompiledForm* compiled,
               NeslWorld& world);
  // False, said, if the module has errors or is none.
  static bool import(NeslChunk& chunk, const frontend::Form& form, Diagnostics& diagnostics,
                     NeslWorld& world);
  void publish(NeslChunk& chunk, NeslWorld& world);

  std::string text_;
  std::string code_;
  Chunks chunks_;
  std::size_t names_ = 0;                                        // tells apart what the text defines
  std::unordered_map<std::string, frontend::Binding*> retired_;  // of chunks that are gone
  std::vector<std::pair<const NeslChunk*, ChunkMessage>> bodiless_;
};

}  // namespace nvm::edit
