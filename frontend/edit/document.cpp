#include "frontend/edit/document.h"

#include <algorithm>
#include <map>

#include "bytecode/base/ascii.h"
#include "frontend/markdown.h"

namespace nvm::edit {

std::optional<Language> language_of(std::string_view name, std::string_view file) {
  if (name == "nesl" || has_ending(file, ".nesl")) return Language::kNesl;
  if (name == "remora" || has_ending(file, ".remora")) return Language::kRemora;
  if (name == "markdown" || frontend::is_markdown(file)) return Language::kMarkdown;
  return std::nullopt;
}

std::unique_ptr<Document> open_document(Language language, std::string path, ReadFile read) {
  if (language == Language::kRemora) return open_remora();
  return open_nesl(std::move(path), language == Language::kMarkdown, std::move(read));
}

void Document::update(std::string text) {
  index_.reset();
  problems_.clear();
  text_ = Text(std::move(text));
  analyse(problems_);
}

const Index& Document::index() {
  if (!index_) index_ = make_index();
  return *index_;
}

Span Document::word_around(std::size_t at) const {
  const std::string& text = text_.str();
  Span word{std::min(at, text.size()), std::min(at, text.size())};
  while (word.begin > 0 && in_word(text[word.begin - 1])) --word.begin;
  while (word.end < text.size() && in_word(text[word.end])) ++word.end;
  return word;
}

namespace {

const char* role(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kParameter: return "parameter";
    case SymbolKind::kLocal: return "local variable";
    case SymbolKind::kTypeVariable: return "type variable";
    case SymbolKind::kDatatype: return "datatype";
    default: return "";
  }
}

bool is_top_level(SymbolKind kind) {
  return kind == SymbolKind::kFunction || kind == SymbolKind::kVariable || kind == SymbolKind::kDatatype;
}

Proposal::Kind proposal_kind(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kFunction:
    case SymbolKind::kBuiltin: return Proposal::Kind::kFunction;
    case SymbolKind::kDatatype: return Proposal::Kind::kDatatype;
    case SymbolKind::kTypeVariable: return Proposal::Kind::kType;
    default: return Proposal::Kind::kVariable;
  }
}

void append_line(std::string& text, std::string_view line) {
  if (line.empty()) return;
  if (!text.empty()) text += "\n\n";
  text += line;
}

}  // namespace

std::optional<Hover> Document::hover(std::size_t at) {
  if (is_text(at)) return std::nullopt;
  const Occurrence* const found = index().at(at);
  if (found == nullptr) {  // a form with a mistake says little, but built-in names are what they are
    const Span word = word_around(at);
    if (word.begin == word.end) return std::nullopt;
    const std::string name =
        this->word(std::string_view(text_.str()).substr(word.begin, word.end - word.begin));
    if (const Symbol* symbol = top_level(name, at)) return hover_of(*symbol, word, "");
    auto hover = describe(name);
    if (hover) hover->span = word;
    return hover;
  }
  return hover_of(index().symbols[static_cast<std::size_t>(found->symbol)], found->span, found->type);
}

std::optional<Hover> Document::hover_of(const Symbol& symbol, Span span, std::string_view type) {
  std::string parameters(symbol.parameters);
  if (!parameters.empty() && parameters[0] != '(') parameters = "(" + parameters + ")";
  Hover hover{span, std::string(symbol.name) + parameters, ""};
  if (symbol.kind == SymbolKind::kBuiltin) {
    const auto described = describe(std::string(symbol.name));
    if (!described) return std::nullopt;
    hover.code = described->code;
    append_line(hover.text, described->text);
  } else {
    if (!symbol.type.empty()) hover.code += " : " + std::string(symbol.type);
    append_line(hover.text, symbol.documentation);
    append_line(hover.text, role(symbol.kind));
  }
  const std::string here(type);
  if (!here.empty() && symbol.kind != SymbolKind::kLocal && !hover.code.ends_with(" : " + here))
    append_line(hover.text, "here: `" + here + "`");
  if (!symbol.file.empty()) append_line(hover.text, "defined in " + std::string(symbol.file));
  return hover;
}

std::optional<Target> Document::definition(std::size_t at) {
  const Occurrence* const found = index().at(at);
  const Symbol* symbol = nullptr;
  if (found != nullptr) {
    symbol = &index().symbols[static_cast<std::size_t>(found->symbol)];
  } else if (!is_text(at)) {
    const Span word = word_around(at);
    symbol =
        top_level(this->word(std::string_view(text_.str()).substr(word.begin, word.end - word.begin)), at);
  }
  if (found != nullptr && found->shared && found->defines)  // of two names the one that is defined elsewhere
    for (const Occurrence& o : index().occurrences)
      if (o.span == found->span && !o.defines) symbol = &index().symbols[static_cast<std::size_t>(o.symbol)];
  if (symbol == nullptr || symbol->kind == SymbolKind::kBuiltin) return std::nullopt;
  if (symbol->declared_only)
    for (const Symbol& other : index().symbols)
      if (other.group == symbol->group && !other.declared_only) {
        symbol = &other;
        break;
      }
  return Target{std::string(symbol->file), symbol->defined};
}

std::vector<Span> Document::references(std::size_t at, bool with_definitions) {
  std::vector<Span> spans;
  const Occurrence* const found = index().at(at);
  if (found == nullptr) return spans;
  const int group = index().symbols[static_cast<std::size_t>(found->symbol)].group;
  for (const Occurrence* o : index().of_group(group))
    if (with_definitions || !o->defines) spans.push_back(o->span);
  return spans;
}

std::optional<Span> Document::renamed_word(std::size_t at, Refusal& refusal) {
  const Occurrence* const found = is_text(at) ? nullptr : index().at(at);
  if (found == nullptr) {
    refusal.reason = "no name stands here that can be renamed";
    return std::nullopt;
  }
  const Symbol& symbol = index().symbols[static_cast<std::size_t>(found->symbol)];
  const std::string name(symbol.name);
  if (symbol.kind == SymbolKind::kBuiltin)
    refusal.reason = name + " is built in, it cannot be renamed";
  else if (!symbol.file.empty())
    refusal.reason = name + " is defined in " + std::string(symbol.file) + "; rename it there";
  else
    return found->span;
  return std::nullopt;
}

std::optional<std::vector<Edit>> Document::rename(std::size_t at, const std::string& name, Refusal& refusal) {
  if (!renamed_word(at, refusal)) return std::nullopt;
  if (auto wrong = wrong_name(name)) {
    refusal.reason = std::move(*wrong);
    return std::nullopt;
  }
  const Occurrence* const found = index().at(at);
  const int group = index().symbols[static_cast<std::size_t>(found->symbol)].group;
  std::vector<Edit> edits;
  for (const Occurrence* o : index().of_group(group)) {
    Edit edit{o->span, name};
    if (o->shared) {  // one word for two names
      const std::string old = text_.str().substr(o->span.begin, o->span.end - o->span.begin);
      edit.text = o->defines ? apart(name, old) : apart(old, name);
    }
    if (edits.empty() || !(edits.back().span == edit.span)) edits.push_back(std::move(edit));
  }
  if (!same_meaning(edits, index())) {
    refusal.reason = "with the name " + name + " something would mean something else than now";
    return std::nullopt;
  }
  return edits;
}

// What stands where, with symbols numbered as they occur; a word that is two names counts as both.
bool Document::same_meaning(const std::vector<Edit>& edits, const Index& before) {
  std::string text = text_.str();
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
    text = replaced(text, edit->span, edit->text);
  const auto after = another();
  after->update(std::move(text));
  const auto shape = [](const Index& index) {
    std::map<int, int> numbers;
    std::vector<int> out;
    std::vector<std::string_view> builtins;
    for (std::size_t k = 0; k < index.occurrences.size(); ++k) {
      const Occurrence& o = index.occurrences[k];
      const auto number = static_cast<int>(numbers.size());
      out.push_back(numbers.try_emplace(o.symbol, number).first->second);
      const Symbol& symbol = index.symbols[static_cast<std::size_t>(o.symbol)];
      builtins.push_back(symbol.kind == SymbolKind::kBuiltin ? symbol.name : std::string_view());
    }
    return std::pair(out, builtins);
  };
  const auto words = [](const std::vector<Problem>& problems) { return problems.size(); };
  return shape(before) == shape(after->index()) && words(problems_) == words(after->problems());
}

std::vector<Proposal> Document::complete(std::size_t at) {
  std::vector<Proposal> proposals;
  if (is_text(at)) return proposals;
  const std::string& text = text_.str();
  std::size_t begin = std::min(at, text.size());
  while (begin > 0 && in_word(text[begin - 1])) --begin;
  const std::string prefix = word(std::string_view(text).substr(begin, std::min(at, text.size()) - begin));
  std::size_t outer = begin;  // of the name of a module, if a dot follows it
  if (begin > 0 && text[begin - 1] == '.')
    for (--outer; outer > 0 && in_word(text[outer - 1]);) --outer;
  const std::string module = word(std::string_view(text).substr(outer, begin - outer));
  std::map<std::string, Proposal, std::less<>> found;  // what is nearer comes first
  const auto propose = [&](Proposal&& p) {
    if (!p.name.starts_with(module + prefix)) return;
    p.name.erase(0, module.size());
    found.try_emplace(p.name, std::move(p));
  };
  for (Proposal& p : locals_at(begin)) propose(std::move(p));
  const Index& index = this->index();
  for (auto symbol = index.symbols.rbegin(); symbol != index.symbols.rend(); ++symbol) {
    const bool visible = !symbol->file.empty() || symbol->defined.begin < at;
    if (is_top_level(symbol->kind) && visible)
      propose({std::string(symbol->name), proposal_kind(symbol->kind), std::string(symbol->type), false});
  }
  for (Proposal& p : builtins()) propose(std::move(p));
  for (auto& [name, p] : found) proposals.push_back(std::move(p));
  return proposals;
}

const Symbol* Document::top_level(std::string_view name, std::size_t at) {
  const Symbol* found = nullptr;
  for (const Symbol& s : index().symbols)
    if (s.name == name && is_top_level(s.kind) && (!s.file.empty() || s.defined.begin < at)) found = &s;
  return found;
}

std::optional<Signature> Document::signature(std::size_t at) {
  if (is_text(at)) return std::nullopt;
  const auto call = call_around(at);
  if (!call) return std::nullopt;
  const Occurrence* const found = index().at(call->at);
  const Symbol* symbol =
      found != nullptr ? &index().symbols[static_cast<std::size_t>(found->symbol)] : nullptr;
  if (symbol == nullptr) symbol = top_level(call->function, at);  // in a form with a mistake
  auto signature = signature_of(symbol, call->function);
  if (!signature) return std::nullopt;
  const std::size_t most = signature->parameters.empty() ? 0 : signature->parameters.size() - 1;
  signature->active = std::min(call->argument, most);
  return signature;
}

std::vector<Inlay> Document::inlays(Span part) {
  std::vector<Inlay> found;
  for (const Inlay& inlay : index().inlays)
    if (inlay.at >= part.begin && inlay.at <= part.end && !inlay.type.empty()) found.push_back(inlay);
  return found;
}

std::vector<Symbol> Document::symbols() {
  std::vector<Symbol> found;
  for (const Symbol& s : index().symbols)
    if (is_top_level(s.kind) && s.file.empty() && s.form.end > s.form.begin) found.push_back(s);
  return found;
}

}  // namespace nvm::edit
