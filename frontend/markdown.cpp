#include "frontend/markdown.h"

#include <algorithm>
#include <array>
#include <optional>

#include "bytecode/base/ascii.h"

namespace nvm::frontend {

namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

struct Fence {
  char mark = '\0';  // ` or ~; none for other lines
  std::size_t length = 0, indent = 0;
  std::size_t content = 0;  // where the item of a list begins that begins with it; all in it is as far right
  std::string_view info;

  [[nodiscard]] bool closes(const Fence& opening) const {
    return mark == opening.mark && length >= opening.length && info.empty();
  }
};

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// A line in four columns from the left or more is code, or a list's.
bool at_margin(std::string_view line, std::size_t& indent) {
  indent = indent_of(line);
  return indent < 4 && indent < line.size();
}

Fence fence_of(std::string_view line) {
  Fence fence;
  if (!at_margin(line, fence.indent)) return {};
  line.remove_prefix(fence.indent);
  if (line[0] != '`' && line[0] != '~') return {};
  fence.length = std::min(line.find_first_not_of(line[0]), line.size());
  fence.info = trimmed(line.substr(fence.length));
  const bool in_text = line[0] == '`' && fence.info.find('`') != fence.info.npos;
  if (fence.length < 3 || in_text) return {};
  fence.mark = line[0];
  return fence;
}

// Behind "- ", "2. " and their kin, the column where an item of a list begins; 0 if none does.
std::size_t item_of(std::string_view line) {
  std::size_t at = 0;
  if (!at_margin(line, at)) return 0;
  const std::size_t digits = std::min(line.find_first_not_of("0123456789", at), line.size()) - at;
  const std::string_view marks = digits == 0 ? "-+*" : ".)";
  at += digits;
  if (digits > 9 || at == line.size() || marks.find(line[at]) == marks.npos) return 0;
  const std::size_t content = std::min(line.find_first_not_of(' ', at + 1), line.size());
  return content > at + 1 && content <= at + 5 ? content : 0;
}

// The fence that opens a block, alone in its line or as the first that an item of a list has.
Fence opening(std::string_view line) {
  std::size_t content = 0;
  while (const std::size_t item = item_of(line.substr(content))) content += item;
  Fence fence = fence_of(line.substr(content));
  fence.indent += content;
  fence.content = content;
  return fence;
}

// The line ends an item of a list that begins in column `content`.
bool ends_item(std::string_view line, std::size_t content) {
  return indent_of(line) < content && !trimmed(line).empty();
}

// `nesl`, `nesl title`, `{nesl}` and `{.nesl #id}` name nesl.
std::string_view language_of(std::string_view info) {
  if (info.starts_with('{')) info.remove_prefix(1);
  if (info.starts_with('.')) info.remove_prefix(1);
  return info.substr(0, info.find_first_of(" \t,}"));
}

// What ends a block of HTML.
struct Html {
  std::array<std::string_view, 4> ends;  // a line that has one of these; if there are none, an empty line
  [[nodiscard]] bool ended_by(const std::string& line) const {
    if (ends[0].empty()) return trimmed(line).empty();
    return std::any_of(ends.begin(), ends.end(),
                       [&](std::string_view end) { return !end.empty() && line.find(end) != line.npos; });
  }
};

constexpr std::string_view kRaw = " pre script style textarea ";
constexpr std::string_view kTags =
    " address article aside base basefont blockquote body caption center col colgroup dd details dialog dir "
    "div "
    "dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html "
    "iframe "
    "legend li link main menu menuitem nav noframes ol optgroup option p param search section summary table "
    "tbody td tfoot th thead title tr track ul ";

// The block of HTML that a line, in lower case, begins. A single tag that may stand in a line of text begins
// none.
std::optional<Html> begun_by(const std::string& lower_line) {
  std::size_t indent = 0;
  if (!at_margin(lower_line, indent)) return std::nullopt;
  std::string_view line = std::string_view(lower_line).substr(indent);
  if (line.starts_with("<!--")) return Html{{"-->"}};
  if (line.starts_with("<?")) return Html{{"?>"}};
  if (line.starts_with("<![cdata[")) return Html{{"]]>"}};
  if (line.starts_with("<!") && line.size() > 2 && line[2] >= 'a' && line[2] <= 'z') return Html{{">"}};
  if (!line.starts_with('<')) return std::nullopt;
  line.remove_prefix(1);
  const bool closing = line.starts_with('/');
  if (closing) line.remove_prefix(1);
  const std::size_t size = std::min(line.find_first_of(" \t\r/>"), line.size());
  const std::string name = " " + std::string(line.substr(0, size)) + " ";
  const std::string_view rest = line.substr(size);
  if (name.size() == 2) return std::nullopt;
  if (!closing && kRaw.find(name) != kRaw.npos && !rest.starts_with('/'))
    return Html{{"</pre>", "</script>", "</style>", "</textarea>"}};
  const bool whole = !rest.starts_with('/') || rest.starts_with("/>");
  return whole && kTags.find(name) != kTags.npos ? std::optional(Html{}) : std::nullopt;
}

}  // namespace

bool is_markdown(std::string_view file) { return has_ending(file, ".md") || has_ending(file, ".markdown"); }

std::vector<CodeBlock> code_blocks(std::string_view text, std::string_view language) {
  std::vector<CodeBlock> blocks;
  Fence open;
  std::optional<Html> html;
  bool wanted = false;
  std::size_t next = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  const auto close = [&](std::size_t end) {
    open = {};
    if (!wanted) return;
    blocks.back().end = end;
    blocks.back().closed = true;
  };
  while (next < text.size()) {
    const std::size_t begin = next;
    next = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string_view line = text.substr(begin, next - begin - (text[next - 1] == '\n' ? 1 : 0));
    if (open.mark != '\0' && ends_item(line, open.content)) close(begin);
    if (open.mark != '\0') {
      if (fence_of(line.substr(std::min(open.content, line.size()))).closes(open)) close(begin);
      continue;
    }
    const std::string lower_line = lower(line);
    if (!html) html = begun_by(lower_line);
    if (html) {
      if (html->ended_by(lower_line)) html.reset();
      continue;
    }
    open = opening(line);
    wanted = open.mark != '\0' && language_of(open.info) == language;
    if (wanted) blocks.push_back({next, text.size(), open.indent > 0, false});
  }
  return blocks;
}

std::string only_blocks(std::string text, const std::vector<CodeBlock>& blocks) {
  std::size_t at = 0;
  const auto blank_until = [&](std::size_t end) {
    for (; at < end; ++at)
      if (text[at] != '\n') text[at] = ' ';
  };
  for (const CodeBlock& block : blocks) {
    blank_until(block.begin);
    at = block.end;
  }
  blank_until(text.size());
  return text;
}

}  // namespace nvm::frontend
