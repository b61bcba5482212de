#include "frontend/markdown.h"

#include <algorithm>

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
  std::string_view info;

  [[nodiscard]] bool closes(const Fence& opening) const {
    return mark == opening.mark && length >= opening.length && info.empty();
  }
};

// A line in four columns from the left or more is code, or a list's.
bool at_margin(std::string_view line, std::size_t& indent) {
  indent = std::min(line.find_first_not_of(' '), line.size());
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

// `nesl`, `nesl title`, `{nesl}` and `{.nesl #id}` name nesl.
std::string_view language_of(std::string_view info) {
  if (info.starts_with('{')) info.remove_prefix(1);
  if (info.starts_with('.')) info.remove_prefix(1);
  return info.substr(0, info.find_first_of(" \t,}"));
}

bool begins_comment(std::string_view line) {
  std::size_t indent = 0;
  return at_margin(line, indent) && line.substr(indent).starts_with("<!--");
}

}  // namespace

bool is_markdown(std::string_view file) { return file.ends_with(".md") || file.ends_with(".markdown"); }

std::vector<CodeBlock> code_blocks(std::string_view text, std::string_view language) {
  std::vector<CodeBlock> blocks;
  Fence open;
  bool wanted = false, in_comment = false;
  std::size_t next = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  while (next < text.size()) {
    const std::size_t begin = next;
    next = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string_view line = text.substr(begin, next - begin - (text[next - 1] == '\n' ? 1 : 0));
    const Fence fence = fence_of(line);
    if (open.mark != '\0') {
      if (!fence.closes(open)) continue;
      if (wanted) blocks.back().end = begin;
      if (wanted) blocks.back().closed = true;
      open = {};
      continue;
    }
    in_comment |= begins_comment(line);
    if (in_comment) {
      in_comment = line.find("-->") == line.npos;
      continue;
    }
    open = fence;
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
