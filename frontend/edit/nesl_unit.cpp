// Reading: a text to chunks, of which most are those of the text before.
#include "frontend/edit/nesl_unit.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "bytecode/base/ascii.h"
#include "bytecode/base/stack.h"
#include "frontend/nesl/modules.h"
#include "frontend/nesl/parser.h"
#include "frontend/nesl/program_text.h"

namespace nvm::edit {

using frontend::Form;
using frontend::FormKind;

namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words{frontend::all_of_prefix("")};
  for (std::size_t at = 0; at < text.size();) {
    if (!in_name(text[at])) {
      ++at;
      continue;
    }
    std::string word;
    for (; at < text.size() && in_name(text[at]); ++at) word += lower(text[at]);
    if (word[0] >= '0' && word[0] <= '9') continue;
    if (at + 1 < text.size() && text[at] == '.' &&
        in_name(text[at + 1])) {  // of a module, whose prefix counts, too
      words.push_back(word + ".");
      word += '.';
      for (++at; at < text.size() && in_name(text[at]); ++at) word += lower(text[at]);
    }
    words.push_back(std::move(word));
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

void names_in(const frontend::Pattern& pattern, std::vector<std::string>& out) {
  check_stack();
  if (pattern.kind == frontend::Pattern::Kind::kName) out.push_back(pattern.name);
  for (const frontend::Pattern& item : pattern.items) names_in(item, out);
}

std::vector<std::string> declared_by(const Form& form) {
  std::vector<std::string> names;
  switch (form.kind) {
    case FormKind::kFunction:
    case FormKind::kForward:
    case FormKind::kDatatype: names.push_back(form.name); break;
    case FormKind::kBind:
    case FormKind::kFileBind: names_in(form.pattern, names); break;
    default: break;
  }
  return names;
}

std::uint32_t column_behind(std::string_view text, std::size_t at) {
  const std::size_t line = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return static_cast<std::uint32_t>(line == text.npos ? at + 1 : at - line);
}

}  // namespace

std::unique_ptr<NeslChunk> NeslUnit::read_chunk(std::size_t begin, std::uint32_t column,
                                                NeslWorld& world) const {
  const std::string_view rest = std::string_view(code_).substr(begin);
  frontend::Source source{"", rest, 1, false, world.next_source++};
  source.first_column = column;
  Diagnostics diagnostics("", "");
  frontend::Parser parser(source, diagnostics);
  auto chunk = std::make_unique<NeslChunk>();
  chunk->begin = begin;
  chunk->column = column;
  chunk->blank = parser.at_end();
  std::optional<Form> form = parser.next_form();
  chunk->readable = form.has_value();
  std::size_t length = parser.offset();
  if (chunk->blank || length == 0 || (!form && parser.at_end())) length = rest.size();
  chunk->end = begin + length;
  const std::string_view text = rest.substr(0, length);
  constexpr std::size_t kAhead = 10000;  // a word behind a form may be where it shows that it is wrong
  const NeslFactFinder places(form ? text : rest.substr(0, length + kAhead), column);
  for (const Diagnostic& d : diagnostics.all()) {
    const std::size_t at = places.offset(d.pos);
    // What is wrong with the words that are read ahead of a good form is the next chunk's.
    if (at < length || !form) chunk->unread.push_back({d.severity, at, d.message});
  }
  chunk->words = words_of(text);
  if (!form) {
    for (const std::string& word : chunk->words)
      if (diagnostics.blamed(word)) chunk->blamed_read.push_back(word);
    return chunk;
  }
  chunk->kind = form->kind;
  chunk->form_begin = places.offset(form->pos);
  chunk->declares = declared_by(*form);
  chunk->form = std::make_shared<Form>(std::move(*form));
  return chunk;
}

// What is given up is read anew.
struct NeslUnit::Unfinished {
  NeslUnit& unit;
  bool over = false;
  ~Unfinished() {
    if (over) return;
    unit.text_.clear();
    unit.code_.clear();
    unit.chunks_.clear();
  }
};

// From the chunk before the one where the texts begin to differ on, until a chunk begins where one did with
// the same rest.
void NeslUnit::read(std::string text, bool markdown, NeslWorld& world) {
  if (text == text_ && !chunks_.empty()) return;
  std::string code = frontend::program_text(text, markdown);
  const std::size_t shorter = std::min(code.size(), code_.size());
  const auto first =
      std::mismatch(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(shorter), code_.begin());
  const auto same_before = static_cast<std::size_t>(first.first - code.begin());
  std::size_t same_behind = 0;
  while (same_behind < shorter - same_before &&
         code[code.size() - 1 - same_behind] == code_[code_.size() - 1 - same_behind])
    ++same_behind;

  std::size_t keep = 0;  // chunks from the beginning; the reader looks at words behind a chunk's end
  while (keep < chunks_.size() && chunks_[keep]->end < same_before) ++keep;
  if (keep > 0) --keep;
  Chunks old(std::make_move_iterator(chunks_.begin() + static_cast<std::ptrdiff_t>(keep)),
             std::make_move_iterator(chunks_.end()));
  chunks_.resize(keep);
  const std::string before = std::exchange(code_, std::move(code));
  text_ = std::move(text);
  Unfinished unfinished{*this};
  read_rest(old, before, before.size() - same_behind, world);
  unfinished.over = true;
  names_ = 0;
  for (const auto& chunk : chunks_)
    for (const std::string& name : chunk->declares) names_ = names_ * 31 + std::hash<std::string>()(name);
}

void NeslUnit::read_rest(Chunks& old, std::string_view before, std::size_t same_from, NeslWorld& world) {
  const std::size_t grown = code_.size() - before.size();     // wraps where it shrank, as the sums below do
  std::unordered_map<std::string_view, std::size_t> by_text;  // chunks that may have moved
  std::size_t next = 0;
  for (; next < old.size() && old[next]->begin < same_from; ++next)
    by_text.emplace(before.substr(old[next]->begin, old[next]->end - old[next]->begin), next);
  for (std::size_t at = chunks_.empty() ? 0 : chunks_.back()->end; at < code_.size();
       at = chunks_.back()->end) {
    while (next < old.size() && old[next]->begin + grown < at) ++next;
    const std::uint32_t column = column_behind(code_, at);
    const bool meets = next < old.size() && old[next]->begin + grown == at;
    if (meets && old[next]->column == column) {
      chunks_.push_back(std::move(old[next++]));
      chunks_.back()->begin = at;
      chunks_.back()->end += grown;
      continue;
    }
    auto chunk = read_chunk(at, column, world);
    const auto found = by_text.find(std::string_view(code_).substr(at, chunk->end - at));
    const auto same = found == by_text.end() ? nullptr : std::move(old[found->second]);
    if (same != nullptr) by_text.erase(found);
    chunks_.push_back(std::move(chunk));
    if (same != nullptr) take_over(*chunks_.back(), *same);
  }
  for (const auto& chunk : old)
    if (chunk != nullptr) retire(*chunk);
}

// What was found out about a chunk with the same text.
void NeslUnit::take_over(NeslChunk& chunk, NeslChunk& same) {
  if (chunk.readable != same.readable || chunk.column != same.column) return retire(same);
  std::swap(chunk, same);
  std::swap(chunk.unread, same.unread);
  std::swap(chunk.blamed_read, same.blamed_read);
  chunk.begin = same.begin;
  chunk.end = same.end;
}

void NeslUnit::retire(const NeslChunk& chunk) {
  for (frontend::Binding* binding : chunk.bindings) retired_[binding->name] = binding;
}

void NeslUnit::collect(std::vector<frontend::Binding*>& kept) const {
  check_stack();
  for (const auto& chunk : chunks_) {
    kept.insert(kept.end(), chunk->bindings.begin(), chunk->bindings.end());
    if (chunk->loaded) chunk->loaded->collect(kept);
  }
  for (const auto& [name, binding] : retired_) kept.push_back(binding);
}

std::string NeslUnit::first_error(const std::string& file, std::size_t& count) const {
  std::string first;
  const Text text(text_);
  const auto see = [&](const NeslChunk& chunk, const ChunkMessage& m) {
    if (m.severity != Severity::kError || ++count > 1) return;
    const SourcePos pos = text.pos(chunk.begin + m.at);
    first = file + ":" + std::to_string(pos.line) + ":" + std::to_string(pos.column) + ": " + m.text;
  };
  for (const auto& chunk : chunks_) {
    for (const ChunkMessage& m : chunk->unread) see(*chunk, m);
    for (const ChunkMessage& m : chunk->messages) see(*chunk, m);
  }
  for (const auto& [chunk, message] : bodiless_) see(*chunk, message);
  return first;
}

}  // namespace nvm::edit
