// NESL for editors.
#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "bytecode/base/ascii.h"
#include "bytecode/base/stack.h"
#include "frontend/edit/format.h"
#include "frontend/edit/nesl_unit.h"
#include "frontend/markdown.h"
#include "frontend/nesl/examples.h"
#include "frontend/nesl/lexer.h"
#include "frontend/nesl/modules.h"
#include "frontend/nesl/prims.h"
#include "frontend/nesl/program_text.h"

namespace nvm::edit {

using frontend::Binding;
using frontend::BindingKind;
using frontend::Tok;
using frontend::Token;

namespace {

constexpr std::string_view kKeywords[] = {"and",    "closure", "datatype", "else", "function", "if",
                                          "import", "in",      "let",      "load", "nand",     "nor",
                                          "or",     "then",    "time",     "xor"};
constexpr std::string_view kTypes[] = {"any",     "bool",   "char",    "float", "int",
                                       "logical", "number", "ordinal", "scalar"};

bool is_internal(std::string_view name) { return name.find("__") != name.npos || name.starts_with("prim_"); }

// The parts of a part of a text, (x, y) being one.
std::vector<Span> between_commas(std::string_view text, Span part) {
  std::vector<Span> out;
  int depth = 0;
  std::size_t begin = part.begin;
  for (std::size_t at = begin; at <= part.end; ++at) {
    if (at == part.end || (text[at] == ',' && depth == 0)) {
      out.push_back({begin, at});
      begin = at + 2;
    }
    if (at < part.end) depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
  }
  return out;
}

// "(a, (b, c))" and a name as "f(a, (b, c)) : TYPE", with the places of a and (b, c).
Signature signature_text(const std::string& name, std::string_view parameters, std::string_view type) {
  const bool tuple = parameters.starts_with('(');
  Signature out;
  out.label = name + (tuple ? std::string(parameters) : "(" + std::string(parameters) + ")");
  out.parameters = between_commas(out.label, {name.size() + 1, out.label.size() - 1});
  if (!type.empty()) out.label += " : " + std::string(type);
  return out;
}

// "(a, (b, c)) -> d" as "f : (a, (b, c)) -> d", of a function whose parameters have no names.
std::optional<Signature> signature_of_type(const std::string& name, std::string_view type) {
  Signature out;
  out.label = name + " : " + std::string(type);
  const Span all{name.size() + 3, out.label.size()};
  Span argument{all.begin, all.begin};
  for (int depth = 0; argument.end < all.end; ++argument.end) {
    const std::string_view rest = std::string_view(out.label).substr(argument.end);
    if (depth == 0 && rest.starts_with(" -> ")) break;
    depth += rest[0] == '(' ? 1 : rest[0] == ')' ? -1 : 0;
  }
  if (argument.end == all.end) return std::nullopt;
  if (out.label[argument.begin] == '(') argument = {argument.begin + 1, argument.end - 1};
  out.parameters = between_commas(out.label, argument);
  return out;
}

class NeslDocument final : public Document {
 public:
  NeslDocument(std::string path, bool markdown, ReadFile read) : path_(std::move(path)), markdown_(markdown) {
    world_.read = std::move(read);
  }

  std::optional<Hover> describe(const std::string& name) override;
  Formatted formatted() const override {
    return markdown_ ? format_blocks(text_.str()) : format_nesl(text_.str());
  }

 protected:
  void analyse(std::vector<Problem>& problems) override;
  Index make_index() override;
  std::unique_ptr<Document> another() const override {
    return std::make_unique<NeslDocument>(path_, markdown_, world_.read);
  }
  std::string word(std::string_view text) const override { return lower(text); }
  bool in_word(char c) const override { return in_name(c); }
  std::optional<std::string> wrong_name(const std::string& name) const override;
  std::string apart(const std::string& defined, const std::string& used) const override {
    return defined + " in " + used;
  }
  bool is_text(std::size_t at) const override;
  std::vector<Proposal> builtins() override;
  std::vector<Proposal> locals_at(std::size_t at) override;
  std::optional<Call> call_around(std::size_t at) const override;
  std::optional<Signature> signature_of(const Symbol* symbol, const std::string& name) override;

 private:
  class Indexer;
  [[nodiscard]] bool in_block(std::size_t at) const;  // of a Markdown text
  [[nodiscard]] const NeslChunk* chunk_at(std::size_t at) const;
  // The words of a chunk before a place in it; whether the place is within a comment or a literal.
  std::vector<Token> tokens_before(const NeslChunk& chunk, std::size_t at, bool& unfinished) const;

  std::string path_;
  bool markdown_;
  NeslWorld world_;
  NeslUnit unit_;
  std::deque<std::string> qualified_;  // names of the index
};

void NeslDocument::analyse(std::vector<Problem>& problems) {
  unit_.read(text_.str(), markdown_, world_);
  std::vector<Binding*> kept;
  unit_.collect(kept);
  for (auto& [path, module] : world_.modules) {
    module.checked = false;
    if (module.unit) module.unit->collect(kept);
  }
  world_.environment.start_over(kept);
  world_.blamed.clear();
  world_.texts.clear();
  world_.jobs.clear();
  world_.redefined.clear();
  world_.files = {path_};
  world_.in_module = false;
  unit_.check(world_);
  unit_.check_bodies(world_);
  std::erase_if(world_.modules, [](const auto& module) { return !module.second.checked; });
  const auto add = [&](const NeslChunk& chunk, const ChunkMessage& m) {
    if (problems.size() >= kMostProblems) return;
    Span span{chunk.begin + m.at, chunk.begin + m.at};
    const bool told =
        std::any_of(problems.rbegin(), problems.rbegin() + std::min<std::ptrdiff_t>(2, std::ssize(problems)),
                    [&](const Problem& p) { return p.span.begin == span.begin && p.text == m.text; });
    if (told) return;  // of a word that was read ahead of a form with a mistake
    const std::string& text = text_.str();
    while (span.end < text.size() && in_name(text[span.end])) ++span.end;
    if (span.end == span.begin && span.end < text.size() && text[span.end] != '\n') ++span.end;
    problems.push_back({m.severity, span, m.text, ""});
  };
  for (const auto& chunk : unit_.chunks()) {
    for (const ChunkMessage& m : chunk->unread) add(*chunk, m);
    for (const ChunkMessage& m : chunk->messages) add(*chunk, m);
  }
  for (const auto& [chunk, message] : unit_.bodiless()) add(*chunk, message);
}

std::optional<Hover> NeslDocument::describe(const std::string& name) {
  if (name.empty() || is_internal(name)) return std::nullopt;
  const Binding* const b = world_.environment.find(name, true);
  if (b == nullptr || b->type == nullptr) return std::nullopt;
  const auto signature = signature_of(nullptr, name);
  Hover hover{{}, signature ? signature->label : name + " : " + frontend::print_type(b->type), ""};
  if (b->kind == BindingKind::kPrimitive)
    hover.text = frontend::primitive(static_cast<frontend::core::Prim>(b->prim)).doc;
  else if (b->form)
    hover.text = b->form->doc;
  if (const frontend::Example* example = frontend::example_of(name); example != nullptr)
    hover.text += "\n\n" + frontend::markdown(*example);
  return hover;
}

std::optional<Signature> NeslDocument::signature_of(const Symbol* symbol, const std::string& name) {
  if (symbol != nullptr && symbol->kind != SymbolKind::kBuiltin) {
    if (symbol->parameters.empty()) return signature_of_type(std::string(symbol->name), symbol->type);
    Signature out = signature_text(std::string(symbol->name), symbol->parameters, symbol->type);
    out.documentation = symbol->documentation;
    return out;
  }
  const Binding* const b = is_internal(name) ? nullptr : world_.environment.find(name, true);
  if (b == nullptr || b->type == nullptr || !in_name(name[0])) return std::nullopt;
  std::string parameters, documentation;
  if (b->kind == BindingKind::kPrimitive) {
    const frontend::Primitive& info = frontend::primitive(static_cast<frontend::core::Prim>(b->prim));
    parameters = "(" + std::string(info.parameters) + ")";
    documentation = info.doc;
  } else if (b->kind == BindingKind::kFunction && b->form) {
    parameters = frontend::print_pattern(b->form->pattern);
    documentation = b->form->doc;
  } else {
    return std::nullopt;
  }
  Signature out = signature_text(name, parameters, frontend::print_type(b->type));
  out.documentation = std::move(documentation);
  return out;
}

std::optional<std::string> NeslDocument::wrong_name(const std::string& name) const {
  const bool letters = std::all_of(name.begin(), name.end(), in_name);
  if (name.empty() || !letters || (name[0] >= '0' && name[0] <= '9'))
    return name + " is no name: names are made of letters, digits and _, and begin with no digit";
  const bool truth = name == "t" || name == "f";  // where a local variable may be called so, the meaning says
  if (!truth && frontend::is_reserved(lower(name)))
    return name + " is a word of the language, it cannot be a name";
  if (is_internal(lower(name))) return "names with __ or prim_ are nvm's own";
  return std::nullopt;
}

bool NeslDocument::in_block(std::size_t at) const {
  const auto blocks = frontend::code_blocks(text_.str(), frontend::kNeslBlocks);
  return std::any_of(blocks.begin(), blocks.end(),
                     [&](const frontend::CodeBlock& b) { return at >= b.begin && at < b.end; });
}

const NeslChunk* NeslDocument::chunk_at(std::size_t at) const {
  const auto& chunks = unit_.chunks();
  const auto it = std::lower_bound(chunks.begin(), chunks.end(), at,
                                   [](const auto& chunk, std::size_t offset) { return chunk->end < offset; });
  return it == chunks.end() ? nullptr : it->get();
}

std::vector<Token> NeslDocument::tokens_before(const NeslChunk& chunk, std::size_t at,
                                               bool& unfinished) const {
  std::vector<Token> tokens;
  const std::string_view text =
      std::string_view(unit_.code()).substr(chunk.begin, at - std::min(at, chunk.begin));
  Diagnostics ignored("", "");
  const frontend::Source source{"", text};
  frontend::Lexer lexer(source, ignored);
  for (Token t = lexer.next(); t.kind != Tok::kEnd; t = lexer.next()) tokens.push_back(std::move(t));
  unfinished = lexer.unfinished();
  return tokens;
}

bool NeslDocument::is_text(std::size_t at) const {
  if (markdown_ && !in_block(at)) return true;
  const NeslChunk* const chunk = chunk_at(at);
  if (chunk == nullptr) return false;
  bool unfinished = false;
  static_cast<void>(tokens_before(*chunk, at, unfinished));
  return unfinished;
}

std::vector<Proposal> NeslDocument::builtins() {
  std::vector<Proposal> found;
  for (const std::string_view word : kKeywords)
    found.push_back({std::string(word), Proposal::Kind::kKeyword, "", true});
  for (std::string& name : world_.environment.names()) {
    const bool user = world_.environment.defined(name) != nullptr;
    if (!user && in_name(name[0]) && !is_internal(name))
      found.push_back({std::move(name), Proposal::Kind::kFunction, "", true});
  }
  for (const std::string_view type : kTypes)
    found.push_back({std::string(type), Proposal::Kind::kType, "", true});
  return found;
}

std::vector<Proposal> NeslDocument::locals_at(std::size_t at) {
  std::vector<Proposal> found;
  const NeslChunk* const chunk = chunk_at(at);
  if (chunk == nullptr) return found;
  for (const NeslFacts::Local& local : chunk->facts.locals)
    if (chunk->begin + local.defined.begin < at && local.kind != SymbolKind::kTypeVariable)
      found.push_back({local.name, Proposal::Kind::kVariable, local.type, false});
  if (chunk->checked) return found;
  bool unfinished = false;
  const std::vector<Token> tokens = tokens_before(*chunk, at, unfinished);
  for (std::size_t k = 0; k + 1 < tokens.size();
       ++k) {  // where variables are bound, a name stands before one of these
    const Token& next = tokens[k + 1];
    const bool binds =
        next.is(",") || next.is(")") || next.is("=") || next.is("=>") || next.is(":=") || next.is_word("in");
    const bool names = k > 0 && tokens[k - 1].is_word("function");
    if (tokens[k].kind == Tok::kName && binds && !names && !frontend::is_reserved(tokens[k].text))
      found.push_back({tokens[k].text, Proposal::Kind::kVariable, "", false});
  }
  return found;
}

std::optional<Document::Call> NeslDocument::call_around(std::size_t at) const {
  const NeslChunk* const chunk = chunk_at(at);
  if (chunk == nullptr) return std::nullopt;
  bool unfinished = false;
  const std::vector<Token> tokens = tokens_before(*chunk, at, unfinished);
  std::size_t closed = 0, commas = 0;
  for (std::size_t k = tokens.size(); k-- > 0;) {
    const Token& t = tokens[k];
    if (t.is(")") || t.is("]") || t.is("}")) ++closed;
    if (t.is(",") && closed == 0) ++commas;
    if (!t.is("(") && !t.is("[") && !t.is("{")) continue;
    if (closed > 0) {
      --closed;
      continue;
    }
    const Token* const before = k > 0 ? &tokens[k - 1] : nullptr;
    const bool word = before != nullptr && before->kind == Tok::kName;
    const bool truth = word && (before->text == "t" || before->text == "f");  // or a local variable
    const bool name = word && (truth || !frontend::is_reserved(before->text));
    const bool defines = k > 1 && tokens[k - 2].is_word("function");
    if (t.is("(") && name && !defines) return Call{before->text, commas, chunk->begin + before->begin};
    commas = 0;
  }
  return std::nullopt;
}

// Symbols in the order in which the text is read, so that a name's is the last one.
class NeslDocument::Indexer {
 public:
  explicit Indexer(NeslDocument& document) : document_(document) {
    frontend::Environment& environment = document.world_.environment;
    for (std::string& name : environment.names())
      if (environment.defined(name) == nullptr || environment.find(name, true) != nullptr)
        builtin_names_.insert(std::move(name));
  }

  Index run() {
    unit(document_.unit_, "");
    index_.sort();
    return std::move(index_);
  }

 private:
  using Parameters = std::map<std::string_view, int>;

  int add(Symbol symbol) {
    index_.symbols.push_back(symbol);
    return static_cast<int>(index_.symbols.size()) - 1;
  }

  // `prefix`: what stands before the names of a module.
  void unit(const NeslUnit& unit, std::string_view file, const std::string& prefix = "") {
    check_stack();
    for (const auto& chunk : unit.chunks()) {
      if (chunk->loaded) this->unit(*chunk->loaded, chunk->loaded_path);
      if (prefix.empty() && !chunk->module.empty())
        this->unit(*document_.world_.modules.at(chunk->module).unit, chunk->module,
                   frontend::all_of_prefix(chunk->prefix));
      this->chunk(*chunk, file, prefix);
    }
  }

  void chunk(const NeslChunk& chunk, std::string_view file, const std::string& prefix) {
    const NeslFacts& facts = chunk.facts;
    const auto moved = [&](Span s) { return Span{s.begin + chunk.begin, s.end + chunk.begin}; };
    std::vector<int> locals;
    for (const NeslFacts::Local& local : facts.locals) {
      Symbol symbol{local.kind, local.name, local.type, {}, {}, file, moved(local.defined), {}, false, 0};
      symbol.group = static_cast<int>(index_.symbols.size());
      locals.push_back(add(symbol));
    }
    std::map<std::string_view, int> defined;
    for (const NeslFacts::Defined& d : facts.defined) {
      const auto next = static_cast<int>(index_.symbols.size());
      const std::string_view name =
          prefix.empty() ? d.name : document_.qualified_.emplace_back(prefix + d.name);
      Symbol symbol{d.kind,          name, d.type,        d.documentation,
                    d.parameters,    file, moved(d.span), {chunk.begin + chunk.form_begin, chunk.end},
                    d.declared_only, 0};
      symbol.group = groups_.try_emplace(name, next).first->second;
      defined[name] = add(symbol);
    }
    if (file.empty())
      for (const NeslFacts::Use& use : facts.uses) {
        const int symbol = meant(chunk, use, locals, defined);
        if (symbol >= 0)
          index_.occurrences.push_back({moved(use.span), symbol, use.defines, false, use.type});
      }
    for (const auto& [name, symbol] : defined) {
      latest_[name] = symbol;
      for (std::size_t k = 0; k < locals.size(); ++k)
        if (facts.locals[k].kind == SymbolKind::kParameter)
          parameters_[symbol][facts.locals[k].name] = locals[k];
    }
    for (const NeslFacts::Hint& hint : facts.hints)
      if (file.empty()) index_.inlays.push_back({chunk.begin + hint.at, hint.type});
  }

  // The symbol of a use; -1 if it has none.
  int meant(const NeslChunk& chunk, const NeslFacts::Use& use, const std::vector<int>& locals,
            const std::map<std::string_view, int>& defined) {
    if (use.local >= 0) return locals[static_cast<std::size_t>(use.local)];
    const auto own = defined.find(use.owner.empty() ? use.name : use.owner);
    const bool calls_itself = own != defined.end() && chunk.kind == frontend::FormKind::kFunction;
    if (!use.owner.empty()) {
      if (calls_itself) {  // its parameters are not known by name yet
        for (std::size_t k = 0; k < locals.size(); ++k)
          if (chunk.facts.locals[k].name == use.name) return locals[k];
        return -1;
      }
      const auto function = latest_.find(use.owner);
      if (function == latest_.end()) return -1;
      const Parameters& known = parameters_[function->second];
      const auto found = known.find(use.name);
      return found == known.end() ? -1 : found->second;
    }
    if (own != defined.end() && (use.defines || calls_itself)) return own->second;
    if (const auto found = latest_.find(use.name); found != latest_.end()) return found->second;
    const auto name = builtin_names_.find(use.name);
    if (name == builtin_names_.end() || is_internal(use.name)) return -1;
    const auto known = builtins_.find(use.name);
    if (known != builtins_.end()) return known->second;
    Symbol symbol{SymbolKind::kBuiltin, use.name, {}, {}, {}, {}, {}, {}, false, 0};
    symbol.group = static_cast<int>(index_.symbols.size());
    return builtins_[use.name] = add(symbol);
  }

  NeslDocument& document_;
  Index index_;
  std::set<std::string, std::less<>> builtin_names_;
  std::map<std::string_view, int> groups_, latest_, builtins_;  // by name
  std::map<int, Parameters> parameters_;                        // of functions
};

Index NeslDocument::make_index() {
  qualified_.clear();
  return Indexer(*this).run();
}

}  // namespace

std::unique_ptr<Document> open_nesl(std::string path, bool markdown, ReadFile read) {
  return std::make_unique<NeslDocument>(std::move(path), markdown, std::move(read));
}

}  // namespace nvm::edit
