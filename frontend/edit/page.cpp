#include "frontend/edit/page.h"

#include <algorithm>

#include "frontend/nesl/program_text.h"

namespace nvm::edit {

namespace {

std::size_t line_end(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size() - 1) + 1;
}

std::size_t line_begin(std::string_view text, std::size_t at) {
  return at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
}

bool blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

// Behind the last of the lines from `at` on, blank ones aside, that show pictures; `at` if there are none.
std::size_t pictures_end(std::string_view text, std::size_t at, std::string_view pictures) {
  const std::string begin = "![](" + std::string(pictures) + "-";
  std::size_t end = at;
  while (at < text.size()) {
    const std::size_t next = line_end(text, at);
    std::string_view line = text.substr(at, next - at);
    at = next;
    if (blank(line)) continue;
    line = line.substr(0, line.find_last_not_of(" \t\r\n") + 1);
    if (!line.starts_with(begin) || !line.ends_with(".svg)")) break;
    end = next;
  }
  return end;
}

std::string fence_around(std::string_view text) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  return std::string(std::max<std::size_t>(3, longest + 1), '`');
}

}  // namespace

std::string picture_name(std::string_view pictures, std::size_t number) {
  return std::string(pictures) + "-" + std::to_string(number) + ".svg";
}

std::vector<PagePart> page_parts(std::string_view text, std::string_view pictures) {
  std::vector<PagePart> parts;
  const std::vector<frontend::CodeBlock> results = frontend::code_blocks(text, kResultBlocks);
  auto result = results.begin();
  for (const frontend::CodeBlock& code : frontend::code_blocks(text, frontend::kNeslBlocks)) {
    PagePart part{code, text.size(), text.size()};
    if (code.closed) part.begin = part.end = line_end(text, code.end);
    while (result != results.end() && result->begin <= part.begin) ++result;
    if (result != results.end() && result->closed) {
      const std::size_t fence = line_begin(text, result->begin - 1);
      if (fence >= part.begin && blank(text.substr(part.begin, fence - part.begin)))
        part.end = line_end(text, result->end);
    }
    part.end = pictures_end(text, part.end, pictures);
    parts.push_back(part);
  }
  return parts;
}

PageResult page_result(std::string_view printed, std::string_view pictures, std::size_t first) {
  constexpr std::string_view kPicture = "<svg ", kPictureEnd = "</svg>\n";
  PageResult result;
  std::string text, links;
  for (std::size_t at = 0; at < printed.size();) {
    const std::size_t end = printed.find(kPictureEnd, at);
    if (printed.substr(at).starts_with(kPicture) && end != printed.npos) {
      const std::size_t next = end + kPictureEnd.size();
      links += "\n![](" + picture_name(pictures, first + result.pictures.size()) + ")\n";
      result.pictures.emplace_back(printed.substr(at, next - at));
      at = next;
      continue;
    }
    const std::size_t next = line_end(printed, at);
    text += printed.substr(at, next - at);
    at = next;
  }
  if (!text.empty()) {
    if (text.back() != '\n') text += '\n';
    const std::string fence = fence_around(text);
    result.text = "\n" + fence + std::string(kResultBlocks) + "\n" + text + fence + "\n";
  }
  result.text += links;
  return result;
}

}  // namespace nvm::edit
