// Run-time errors in the language's own terms: the line of the text that failed, and the function around it.
#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "bytecode/program/origin.h"
#include "vm/lib/nesl_session.h"

namespace nvm::vm {

namespace {

// The text of a line, without blanks around it.
std::string line_of(const frontend::Source& source, std::uint32_t line) {
  std::string_view text = source.text;
  for (std::uint32_t at = source.first_line; at < line && !text.empty(); ++at)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find('\n'));
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == std::string_view::npos ? "" : std::string(text.substr(begin));
}

// The difference of two INTs need not be one: of a range that is too long it comes out negative.
bool may_be_of_a_range(std::string_view reason, std::string_view line) {
  const std::size_t bracket = line.find('[');
  return reason.starts_with("negative length") && bracket != std::string_view::npos &&
         line.find(':', bracket) != std::string_view::npos;
}

}  // namespace

// "index out of range in EXTRACT: index 9 at position 0, segment 0 has 2 elements" without what only VCODE
// has: the instruction, and segments, which are the sequences of a nest.
std::string in_nesl_terms(std::string reason) {
  if (const std::size_t at = reason.find(" in "); at != std::string::npos) {
    const std::size_t end = reason.find_first_of(" :,", at + 4);
    const std::string word = reason.substr(at + 4, end == std::string::npos ? end : end - at - 4);
    const bool mnemonic = std::any_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (mnemonic) reason.erase(at, word.size() + 4);
    if (word == "%") reason.replace(at + 4, 1, "rem");
  }
  constexpr std::string_view kGiven = " given to MAKE_SEGDES";
  if (const std::size_t at = reason.find(kGiven); at != std::string::npos) reason.erase(at, kGiven.size());
  if (const std::size_t at = reason.find("segment "); at != std::string::npos)
    reason.replace(at, 7, "sequence");
  return reason;
}

std::string fold_result(const std::string& name, const std::string& value, const std::string& type,
                        std::size_t width) {
  std::vector<std::string> lines{type};
  const std::string pieces[] = {name, " = ", value, " : "};
  for (std::size_t k = 4; k-- > 0;) {
    if (width > 0 && pieces[k].size() + lines[0].size() > width) {
      lines.insert(lines.begin(), pieces[k]);
    } else {
      lines[0] = pieces[k] + lines[0];
      for (std::size_t i = 1; i < lines.size(); ++i) lines[i].insert(0, pieces[k].size(), ' ');
    }
  }
  std::string text = lines[0];
  for (std::size_t i = 1; i < lines.size(); ++i) text += "\n" + lines[i];
  return text;
}

void NeslSession::report(const ProgramRunner::Result& result, const frontend::CompiledForm& compiled,
                         const std::string& file) {
  const std::uint32_t line = result.line > 0 ? origin_line_of(result.line) : compiled.form->pos.line;
  std::uint32_t source = result.line > 0 ? origin_source_of(result.line) : compiled.form->source;
  if (source == 0) source = emit_options(compiled).own;
  const bool own = source_ != nullptr && source_->number == source && source_->file == file;
  const std::string text = own ? line_of(*source_, line) : "";
  RunFault fault{"",         in_nesl_terms(result.reason), source == 0 ? file : sources_[source - 1], line, 0,
                 result.kind};
  if (result.line > 0) fault.column = origin_column_of(result.line);
  if (may_be_of_a_range(result.reason, text))
    fault.reason += ", or a range of more elements than INT can count";
  fault.message = fault.file + ":" + std::to_string(line) + ": " +
                  (fault.reason.empty() ? "the program stopped" : "run-time error: " + fault.reason) + "\n";
  if (source_ == nullptr || source_->number != source) {
    fault.message += lines_elsewhere(source, line);
  } else if (source_->file == file) {
    if (!text.empty()) fault.message += "  " + text + "\n";
    if (const std::string name = function_around(line); !name.empty()) fault.message += "  in " + name + "\n";
  }
  out_ << std::flush;
  end_line();
  if (options_.report_fault)
    options_.report_fault(std::move(fault));
  else
    err_ << fault.message << std::flush;
}

std::string NeslSession::lines_elsewhere(std::uint32_t source, std::uint32_t at) const {
  const auto found = std::find_if(functions_.rbegin(), functions_.rend(), [&](const Lines& f) {
    return f.source == source && f.begin <= at && at <= f.last;
  });
  if (found == functions_.rend()) return "";
  const std::string text = line_of({"", found->text, found->begin}, at);
  return (text.empty() ? "" : "  " + text + "\n") +
         (found->first < at ? "  in " + found->function + "\n" : "");
}

void NeslSession::note_function(const frontend::Form& form) {
  if (form.kind != frontend::FormKind::kFunction) return;
  const auto lines = static_cast<std::uint32_t>(std::count(form.text.begin(), form.text.end(), '\n'));
  functions_.push_back(
      {form.source, form.pos.line, form.name_pos.line, form.pos.line + lines, form.name, form.text});
}

std::string NeslSession::function_around(std::uint32_t line) const {
  const auto found = std::find_if(functions_.rbegin(), functions_.rend(), [&](const Lines& f) {
    return f.source == source_->number && f.first < line && line <= f.last;
  });
  return found == functions_.rend() ? "" : found->function;
}

}  // namespace nvm::vm
