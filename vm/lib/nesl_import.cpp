#include "vm/lib/nesl_import.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "bytecode/base/read_file.h"
#include "bytecode/base/stack.h"
#include "frontend/markdown.h"
#include "frontend/nesl/program_text.h"

namespace nvm::vm {

using frontend::Form;
using frontend::FormKind;
using frontend::Modules;

namespace {

// A path in one spelling: files that texts name differently are one module.
std::string normal(const std::filesystem::path& path) { return path.lexically_normal().string(); }

// What imports what, up to the file that is there already.
std::string chain(const std::vector<std::string>& files, const std::string& last) {
  std::string text;
  for (auto file = std::find(files.begin(), files.end(), last); file != files.end(); ++file)
    text += *file + " imports ";
  return text + last;
}

// The text that imports is among those that do, for as long as it lives.
class Importing {
 public:
  Importing(std::vector<std::string>& files, std::string file) : files_(files) {
    files_.push_back(std::move(file));
  }
  Importing(const Importing&) = delete;
  Importing& operator=(const Importing&) = delete;
  ~Importing() { files_.pop_back(); }

 private:
  std::vector<std::string>& files_;
};

}  // namespace

std::optional<std::string> read_program(const Gate& gate, WayOut way, World* world, std::string& file) {
  const auto outside = [&](const std::string& path) { return gate.read(way, path); };
  const auto read = [&](const std::string& path) {
    auto text = read_file(world, path, outside);
    if (!text && world != nullptr) gate.check(way, path);
    return text;
  };
  auto text = read(file);
  if (text) return text;
  const int why = errno;
  if (file.empty()) return text;
  text = read(file + ".nesl");
  const bool is_there = text || (errno != ENOENT && errno != ENOTDIR);
  if (is_there) file += ".nesl";
  if (!is_there) errno = why;
  return text;
}

bool SessionImports::error(const Form& form, const std::string& message) {
  diagnostics_.error(form.pos, message);
  return false;
}

bool SessionImports::run(const Form& form, Pendings& pending) {
  check_stack();
  const auto import = frontend::read_import(form, diagnostics_);
  if (!import) return false;
  std::optional<std::string> text;
  const auto file = file_of(form, import->file, text);
  Modules modules(s_.environment_);
  if (!file || (!modules.knows(*file) && !compile(form, *file, std::move(*text), pending))) {
    diagnostics_.blame(frontend::all_of_prefix(import->prefix));
    return false;
  }
  const std::string* other = modules.file_of(import->prefix);
  if (other != nullptr && *other != *file)
    return error(form, import->prefix + " is " + *other + " already: import \"" + import->file +
                           "\" as NAME; gives this module another name");
  modules.import(*file, import->prefix);
  if (s_.importing_.empty()) s_.definitions_ += form.text + ";\n";
  return true;
}

std::optional<std::string> SessionImports::file_of(const Form& form, const std::string& name,
                                                   std::optional<std::string>& text) {
  std::string file = normal(std::filesystem::path(s_.source_->file).parent_path() / name);
  const Modules modules(s_.environment_);
  for (const std::string& known : {file, file + ".nesl"})
    if (modules.knows(known)) return known;
  try {
    text = read_program(s_.load_gate(), WayOut::kImport, s_.options_.world, file);
    if (text) return file;
    error(form, "File " + file + " " + unread_because(errno) + ".");
  } catch (const Fault& fault) {
    error(form, fault.message);
  }
  return std::nullopt;
}

bool SessionImports::compile(const Form& form, const std::string& file, std::string text, Pendings& pending) {
  const auto has_errors = [&] { return error(form, "the module " + file + " has errors"); };
  if (s_.faulty_.contains(file)) return has_errors();
  if (constexpr int kMost = 100; s_.open_texts_ > kMost)
    return error(form, "File " + file + " is not loaded: files load each other more than 100 deep.");
  const Importing importing(s_.importing_, normal(s_.source_->file));
  if (std::find(s_.importing_.begin(), s_.importing_.end(), file) != s_.importing_.end())
    return error(form, "modules cannot import each other: " + chain(s_.importing_, file));
  const std::string code = frontend::program_text(std::move(text), frontend::is_markdown(file));
  const frontend::Source source{file, code, 1, false, s_.number_of_text(file)};
  const NeslSession::Quoted quoted(s_.source_, &source, s_.environment_, s_.open_texts_);
  Diagnostics said(file, code);
  Pendings own;
  {
    const Modules::Scope scope(s_.environment_);
    frontend::Parser parser(source, said, s_.options_.int_bits);
    while (!parser.at_end())
      if (auto next = parser.next_form()) definition(std::move(*next), said, own);
    frontend::check_bodies(s_.environment_, said);
    if (!said.failed()) scope.keep(file);
  }
  tell(said, s_.options_, s_.err_);
  if (said.failed()) {
    const NeslSession::Withdrawing all(s_.environment_, own);
    s_.faulty_.insert(file);
    return has_errors();
  }
  std::move(own.begin(), own.end(), std::back_inserter(pending));
  return true;
}

// Expressions are checked and not run: they show what the module does when it is run as a program.
void SessionImports::definition(Form form, Diagnostics& said, Pendings& pending) {
  s_.note_function(form);
  if (frontend::is_import(form)) {
    SessionImports(s_, said).run(form, pending);
  } else if (form.kind == FormKind::kCommand || form.kind == FormKind::kDefconfig ||
             form.kind == FormKind::kBackground) {
    said.error(form.pos, "a module has definitions and imports, no commands of the top level");
  } else {
    const bool runs = form.kind != FormKind::kExpr;
    s_.prepare(std::move(form), said, pending);
    if (!runs && !pending.empty() && pending.back().compiled.form->kind == FormKind::kExpr)
      pending.pop_back();
  }
}

}  // namespace nvm::vm
