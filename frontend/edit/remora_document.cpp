// Remora for editors.
#include <algorithm>
#include <deque>
#include <map>

#include "bytecode/base/stack.h"
#include "frontend/edit/document.h"
#include "frontend/remora/library.h"
#include "frontend/remora/program.h"

namespace nvm::edit {

namespace {

constexpr std::string_view kForms[] = {
    "array",       "box",     "boxes", "define", "define-index", "define-type", "field", "fn",
    "frame",       "i-app",   "i-fn",  "if",     "let",          "lift",        "over",  "reify-dimension",
    "reify-shape", "reshape", "set",   "t-app",  "t-fn",         "unbox",       "view"};
constexpr std::string_view kTypes[] = {"->", "Forall", "Pi", "Sigma", "bool", "char", "float", "int"};

// What ends a word: blanks, brackets, and what begins a literal or a comment.
bool in_remora_word(char c) {
  constexpr std::string_view kEnds = "()[]{}|;\"'`,";
  return static_cast<unsigned char>(c) > ' ' && kEnds.find(c) == kEnds.npos;
}

class RemoraDocument final : public Document {
 public:
  std::optional<Hover> describe(const std::string& name) override {
    const std::int32_t row = remora::library_row(name);
    if (row < 0) return std::nullopt;
    const remora::LibraryEntry& entry = remora::library()[static_cast<std::size_t>(row)];
    return Hover{{}, name + " : " + std::string(entry.type), std::string(entry.documentation)};
  }
  Formatted formatted() const override {
    return {text_.str(), {{Severity::kError, {0, 0}, "programs in Remora are not formatted", ""}}};
  }

 protected:
  void analyse(std::vector<Problem>& problems) override;
  Index make_index() override;
  std::unique_ptr<Document> another() const override { return open_remora(); }
  std::string word(std::string_view text) const override { return std::string(text); }
  bool in_word(char c) const override { return in_remora_word(c); }
  std::optional<std::string> wrong_name(const std::string& name) const override;
  std::string apart(const std::string& defined, const std::string&) const override { return defined; }
  bool is_text(std::size_t at) const override;
  std::vector<Proposal> builtins() override;
  std::vector<Proposal> locals_at(std::size_t at) override;
  std::optional<Call> call_around(std::size_t at) const override;
  std::optional<Signature> signature_of(const Symbol* symbol, const std::string& name) override;

 private:
  class Indexer;
  [[nodiscard]] Span word_from(std::size_t begin) const {
    Span span{begin, begin};
    while (span.end < text_.size() && in_remora_word(text_.str()[span.end])) ++span.end;
    return span;
  }

  remora::Program program_;
  std::deque<std::string> strings_;  // of the index
};

void RemoraDocument::analyse(std::vector<Problem>& problems) {
  strings_.clear();
  remora::Checked checked = remora::check_program(text_.str());
  const std::string readable = remora::readable(text_.str());
  program_ = readable == text_.str() ? std::move(checked.program) : remora::check_program(readable).program;
  for (const remora::Error& e : checked.errors) {
    if (problems.size() >= kMostProblems) return;
    Span span = word_from(text_.offset(e.pos, Units::kCodePoints));
    if (span.end == span.begin && span.end < text_.size() && text_.str()[span.end] != '\n') ++span.end;
    problems.push_back({Severity::kError, span, e.text, e.kind});
  }
}

std::optional<std::string> RemoraDocument::wrong_name(const std::string& name) const {
  const bool word = !name.empty() && std::all_of(name.begin(), name.end(), in_remora_word);
  const bool number = word && name.find_first_not_of("+-.0123456789") == std::string::npos;
  if (!word || number || name[0] == '#' || name[0] == '@') return name + " cannot name a value";
  for (const std::string_view form : kForms)
    if (name == form) return name + " begins a form";
  return std::nullopt;
}

// Behind a ; of its line, or within a string.
bool RemoraDocument::is_text(std::size_t at) const {
  const std::string& text = text_.str();
  bool in_string = false, in_comment = false;
  for (std::size_t k = 0; k < std::min(at, text.size()); ++k) {
    const char c = text[k];
    if (in_comment) {
      in_comment = c != '\n';
    } else if (in_string) {
      if (c == '\\') ++k;
      in_string = c != '"';
    } else if (c == '#' && k + 2 < text.size() && text[k + 1] == '\\') {
      k += 2;  // a character
    } else {
      in_string = c == '"';
      in_comment = c == ';';
    }
  }
  return in_string || in_comment;
}

std::vector<Proposal> RemoraDocument::builtins() {
  std::vector<Proposal> found;
  for (const std::string_view form : kForms)
    found.push_back({std::string(form), Proposal::Kind::kKeyword, "", true});
  for (const std::string_view name : remora::library_names())
    found.push_back({std::string(name), Proposal::Kind::kFunction, "", true});
  for (const std::string_view type : kTypes)
    found.push_back({std::string(type), Proposal::Kind::kType, "", true});
  return found;
}

// Names that stand in the same top-level form before the place.
std::vector<Proposal> RemoraDocument::locals_at(std::size_t at) {
  std::vector<Proposal> found;
  const std::string& text = text_.str();
  std::size_t begin = std::min(at, text.size());
  while (begin > 0 && !(text[begin - 1] == '\n' && begin < text.size() && text[begin] == '(')) --begin;
  const Index& index = this->index();
  for (const Symbol& s : index.symbols) {
    const bool local = s.kind == SymbolKind::kParameter || s.kind == SymbolKind::kLocal;
    if (local && s.defined.begin >= begin && s.defined.begin < at)
      found.push_back({std::string(s.name), Proposal::Kind::kVariable, std::string(s.type), false});
  }
  for (std::size_t k = begin; k < at;) {  // [name type], while the form has mistakes
    if (text[k] == '[') {
      const Span word = word_from(k + 1);
      const bool name = word.end > word.begin && (text[word.begin] < '0' || text[word.begin] > '9');
      if (name && word.end < at)
        found.push_back(
            {text.substr(word.begin, word.end - word.begin), Proposal::Kind::kVariable, "", false});
    }
    ++k;
  }
  return found;
}

std::optional<Document::Call> RemoraDocument::call_around(std::size_t at) const {
  const std::string& text = text_.str();
  std::size_t closed = 0, k = std::min(at, text.size());
  while (k > 0) {
    const char c = text[--k];
    if (c == ')' || c == ']' || c == '}') ++closed;
    if (c != '(' && c != '[' && c != '{') continue;
    if (closed == 0) break;
    --closed;
  }
  if (k >= text.size() || text[k] != '(') return std::nullopt;
  const Span head = word_from(k + 1);
  if (head.begin == head.end || at < head.end) return std::nullopt;
  std::size_t words = 0, depth = 0;  // that begin between the head and the place
  for (std::size_t i = head.end; i < at; ++i) {
    const bool bracket = text[i] == '(' || text[i] == '[' || text[i] == '{';
    const bool begins = in_remora_word(text[i]) && !in_remora_word(text[i - 1]);
    if (depth == 0 && (bracket || begins)) ++words;
    if (bracket) ++depth;
    if ((text[i] == ')' || text[i] == ']' || text[i] == '}') && depth > 0) --depth;
  }
  const bool inside = words > 0 && at > 0 && in_remora_word(text[at - 1]);
  return Call{text.substr(head.begin, head.end - head.begin), inside ? words - 1 : words, head.begin};
}

// The types of the parameters in a type of a function.
std::vector<Span> parameters_in(std::string_view label) {
  constexpr std::string_view kArrow = "(-> (";
  std::vector<Span> found;
  const std::size_t arrow = label.find(kArrow);
  if (arrow == label.npos) return found;
  std::size_t begin = arrow + kArrow.size(), depth = 0;
  for (std::size_t at = begin; at < label.size(); ++at) {
    const char c = label[at];
    const bool closes = c == ')' || c == ']' || c == '}';
    if (depth == 0 && (closes || c == ' ')) {
      if (at > begin) found.push_back({begin, at});
      begin = at + 1;
      if (closes) break;
    }
    if (closes) --depth;
    if (c == '(' || c == '[' || c == '{') ++depth;
  }
  return found;
}

std::optional<Signature> RemoraDocument::signature_of(const Symbol* symbol, const std::string& name) {
  Signature out;
  if (symbol != nullptr && symbol->kind != SymbolKind::kBuiltin) {
    if (symbol->type.find("->") == std::string_view::npos) return std::nullopt;
    out.label = std::string(symbol->name) + " : " + std::string(symbol->type);
  } else {
    const auto described = describe(name);
    if (!described) return std::nullopt;
    out.label = described->code;
    out.documentation = described->text;
  }
  out.parameters = parameters_in(out.label);
  return out;
}

class RemoraDocument::Indexer {
 public:
  explicit Indexer(RemoraDocument& document) : document_(document), program_(document.program_) {}

  Index run() {
    for (std::size_t k = 0; k < program_.values.size(); ++k) value(k);
    for (const remora::Form& form : program_.forms) {
      if (form.defines >= 0) {
        Symbol& symbol = index_.symbols[static_cast<std::size_t>(form.defines)];
        const auto& type = program_.values[static_cast<std::size_t>(form.defines)].type;
        const bool function =
            type.array == remora::kNoVar && type.atom != nullptr && type.shape.empty() &&
            type.atom->kind != remora::AtomKind::kInt && type.atom->kind != remora::AtomKind::kFloat &&
            type.atom->kind != remora::AtomKind::kBool && type.atom->kind != remora::AtomKind::kChar;
        symbol.kind = function ? SymbolKind::kFunction : SymbolKind::kVariable;
        symbol.form = form_around(symbol.defined);
      }
      if (form.body != nullptr) visit(*form.body);
    }
    index_.sort();
    return std::move(index_);
  }

 private:
  std::string_view keep(std::string text) { return document_.strings_.emplace_back(std::move(text)); }
  [[nodiscard]] std::size_t offset(SourcePos pos) const {
    return document_.text_.offset(pos, Units::kCodePoints);
  }

  void value(std::size_t k) {
    const remora::Value& v = program_.values[k];
    Symbol symbol;
    symbol.kind = SymbolKind::kLocal;
    symbol.name = v.name;
    symbol.group = static_cast<int>(k);
    if (v.type.array != remora::kNoVar || v.type.atom != nullptr)
      symbol.type = keep(remora::print(program_.variables.resolved(v.type), program_.variables));
    const std::size_t begin = name_at(offset(v.pos));
    if (v.pos.line != 0 && document_.text_.str().compare(begin, v.name.size(), v.name) == 0) {
      symbol.defined = {begin, begin + v.name.size()};
      index_.occurrences.push_back({symbol.defined, static_cast<int>(k), true, false, {}});
    }
    index_.symbols.push_back(symbol);
  }

  // The name of a definition that begins at a place: (define name ...) or (define (name ...) ...).
  [[nodiscard]] std::size_t name_at(std::size_t at) const {
    const std::string& text = document_.text_.str();
    const auto skip = [&](auto what) {
      while (at < text.size() && what(text[at])) ++at;
    };
    if (at >= text.size() || text[at] != '(') return at;
    const auto between = [](char c) { return c == '(' || c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
    skip(between);
    skip(in_remora_word);
    skip(between);
    return at;
  }

  // From the bracket before a name to the one that closes it.
  [[nodiscard]] Span form_around(Span name) const {
    const std::string& text = document_.text_.str();
    std::size_t begin = name.begin;
    while (begin > 0 && !(text[begin] == '(' && (begin == 0 || text[begin - 1] == '\n'))) --begin;
    std::size_t end = name.end;
    for (int depth = 1; end < text.size() && depth > 0; ++end)
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    return {begin, std::max(end, name.end)};
  }

  void use(SourcePos pos, std::string_view name, int symbol) {
    const std::size_t begin = offset(pos);
    if (pos.line != 0 && document_.text_.str().compare(begin, name.size(), name) == 0)
      index_.occurrences.push_back({{begin, begin + name.size()}, symbol, false, false, {}});
  }

  void visit(const remora::Expr& e) {
    check_stack();
    if (e.kind == remora::ExprKind::kValue && e.value >= 0)
      use(e.pos, program_.values[static_cast<std::size_t>(e.value)].name, e.value);
    if (e.kind == remora::ExprKind::kLibrary) library(e);
    if (e.kind == remora::ExprKind::kLambda)
      for (const remora::ValueId p : e.parameters)
        index_.symbols[static_cast<std::size_t>(p)].kind = SymbolKind::kParameter;
    if (e.kind == remora::ExprKind::kLet)
      for (const remora::ValueId p : e.parameters) {
        const Symbol& s = index_.symbols[static_cast<std::size_t>(p)];
        if (s.defined.end > s.defined.begin) index_.inlays.push_back({s.defined.end, s.type});
      }
    for (const remora::ExprRef& kid : e.kids)
      if (kid != nullptr) visit(*kid);
  }

  void library(const remora::Expr& e) {
    const Span word = document_.word_from(offset(e.pos));
    const std::string name = document_.text_.str().substr(word.begin, word.end - word.begin);
    if (remora::library_row(name) != e.library) return;
    const auto known = library_.find(name);
    int symbol = known == library_.end() ? -1 : known->second;
    if (symbol < 0) {
      Symbol made;
      made.kind = SymbolKind::kBuiltin;
      made.name = keep(name);
      symbol = made.group = library_[name] = static_cast<int>(index_.symbols.size());
      index_.symbols.push_back(made);
    }
    use(e.pos, name, symbol);
  }

  RemoraDocument& document_;
  const remora::Program& program_;
  Index index_;
  std::map<std::string, int> library_;
};

Index RemoraDocument::make_index() { return Indexer(*this).run(); }

}  // namespace

std::unique_ptr<Document> open_remora() { return std::make_unique<RemoraDocument>(); }

}  // namespace nvm::edit
