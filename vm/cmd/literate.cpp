// nvm literate: what the blocks of a document print, in the document.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "bytecode/base/disk_cache.h"
#include "bytecode/base/out_file.h"
#include "bytecode/base/read_file.h"
#include "frontend/edit/document.h"
#include "frontend/edit/page.h"
#include "vm/cmd/commands.h"
#include "vm/cmd/interrupt.h"
#include "vm/cmd/language.h"
#include "vm/cmd/machine.h"
#include "vm/cmd/terminal.h"
#include "vm/cmd/watch.h"

namespace nvm::cmd {

namespace {

using edit::PagePart;
using Printed = std::vector<std::string>;  // of each block

// What goes to a stream of stdio, in memory.
class Paper {
 public:
  Paper() : file_(::open_memstream(&text_, &size_)) {
    if (!file_) throw std::bad_alloc();
  }
  ~Paper() {
    file_.reset();
    std::free(text_);
  }
  Paper(const Paper&) = delete;
  Paper& operator=(const Paper&) = delete;
  [[nodiscard]] std::FILE* stream() const { return file_.get(); }
  // What came since it was asked last.
  std::string rest() {
    std::fflush(file_.get());
    std::string text(text_ + at_, size_ - at_);
    at_ = size_;
    return text;
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0, at_ = 0;
  File file_;
};

// The page up to the end of a block, without the blocks before.
std::string block_alone(const std::string& page, const PagePart& part) {
  std::string text = page.substr(0, part.begin);
  const std::size_t fence = part.code.begin < 2 ? 0 : text.rfind('\n', part.code.begin - 2) + 1;
  std::replace_if(
      text.begin(), text.begin() + static_cast<std::ptrdiff_t>(fence), [](char c) { return c != '\n'; }, ' ');
  return text;
}

// The file and line of a block, for a message.
std::string block_name(const std::string& path, const std::string& page, const PagePart& part) {
  const auto code = page.begin() + static_cast<std::ptrdiff_t>(part.code.begin);
  return path + ":" + std::to_string(1 + std::count(page.begin(), code, '\n')) + ": ";
}

int run_blocks(const std::string& path, const std::string& page, const std::vector<PagePart>& parts,
               const Arguments& arguments, Printed& printed) {
  lib::LanguageOptions options = language_options(arguments, lib::LanguageKind::kNesl);
  options.folder = (std::filesystem::path(path).parent_path() / ".").string();  // the page's own
  options.vm = options_of(arguments);
  options.vm.cancelled = Interruptible::asked();
  options.print_length = arguments.count_or_all(Option::kPrintLength);
  options.charts_as_svg = arguments.choice(Option::kCharts) == 1;
  Paper paper, said;  // what blocks print, and messages
  const File nothing(std::fopen("/dev/null", "re"));
  options.vm.out = options.vm.err = paper.stream();
  options.vm.in = nothing.get();
  TerminalBuffer buffer(options.vm.out), messages(said.stream());
  std::ostream out(&buffer), err(&messages);
  const auto session = open_session(lib::LanguageKind::kNesl, options, out, err);
  bind_inputs(*session, arguments);
  const Interruptible guard(&session->machine());
  for (const PagePart& part : parts) {
    const auto status = session->run_script(block_alone(page, part), path);
    out.flush();
    err.flush();
    printed.push_back(paper.rest());
    const bool ended = status != lib::LanguageStatus::kOk;
    if (ended) say(stderr, printed.back());  // no page shows it
    say(stderr, said.rest());
    if (status == lib::LanguageStatus::kExit)
      complain(block_name(path, page, part) +
               "this block ends the program (exit), and the page stays as it is");
    if (ended) return std::max<int>(status_of(status), kFault);
  }
  return kGood;
}

// What the blocks print follows from this; nothing if it follows from other files, too.
std::optional<std::string> determined_by(const std::string& page, const std::vector<PagePart>& parts,
                                         const Arguments& arguments) {
  std::string code;
  for (const PagePart& part : parts)
    code += page.substr(part.code.begin, part.code.end - part.code.begin) + '\0';
  if (code.find("load") != code.npos || code.find("import") != code.npos || arguments.given(Option::kAllow))
    return std::nullopt;
  std::string key = lib::version();
  struct stat self {};
  if (::stat("/proc/self/exe", &self) == 0)
    key += " " + std::to_string(self.st_size) + " " + std::to_string(self.st_mtim.tv_sec);
  constexpr Option kNoMatter[] = {Option::kCheckOnly, Option::kTimeLimit, Option::kMemory, Option::kThreads};
  for (const std::string& word : arguments.words_without(kNoMatter)) key += '\0' + word;
  for (const std::string& word : arguments.all(Option::kIn)) {
    const std::string name = word.substr(word.find('=') + 1);
    std::error_code unknown;
    const auto bytes = std::filesystem::is_regular_file(name, unknown) ? read_all(name) : std::nullopt;
    if (!bytes) return std::nullopt;
    key += '\0' + std::to_string(bytes->size()) + '\0' + *bytes;
  }
  return key + '\0' + code;
}

// Each text with its length in front.
std::vector<char> packed(const Printed& printed) {
  std::string all;
  for (const std::string& text : printed) all += std::to_string(text.size()) + "\n" + text;
  return {all.begin(), all.end()};
}

Printed unpacked(std::string_view all) {
  Printed printed;
  while (!all.empty()) {
    const std::size_t begin = all.find('\n') + 1;
    std::size_t size = 0;
    std::from_chars(all.data(), all.data() + begin, size);
    printed.emplace_back(all.substr(begin, size));
    all.remove_prefix(begin + size);
  }
  return printed;
}

int printed_by(const std::string& path, const std::string& page, const std::vector<PagePart>& parts,
               const Arguments& arguments, Printed& printed) {
  const DiskCache cache(cache_folder(), "page 1");
  const auto key = determined_by(page, parts, arguments);
  if (const auto kept = key ? cache.find(*key) : std::nullopt)
    printed = unpacked({kept->data(), kept->size()});
  if (printed.size() == parts.size()) return kGood;
  printed.clear();
  const int status = run_blocks(path, page, parts, arguments, printed);
  if (status == kGood && key) cache.add(*key, packed(printed));
  return status;
}

struct Picture {
  std::string path, text;
};

// The page with its results.
std::string renewed(const std::string& path, const std::string& page, const std::vector<PagePart>& parts,
                    const Printed& printed, std::vector<Picture>& pictures) {
  const std::filesystem::path place(path);
  const std::string stem = place.stem().string();
  std::string text;
  std::size_t at = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    text += page.substr(at, parts[k].begin - at);
    auto result = edit::page_result(printed[k], stem, pictures.size() + 1);
    for (std::string& picture : result.pictures) {
      const std::string name = edit::picture_name(stem, pictures.size() + 1);
      pictures.push_back({(place.parent_path() / name).string(), std::move(picture)});
    }
    text += result.text;
    at = parts[k].end;
  }
  return text + page.substr(at);
}

// Where the page is no longer what its blocks print.
void say_difference(const std::string& path, const std::string& page, const std::string& fresh) {
  const auto is = lines_of(page), should_be = lines_of(fresh);
  std::size_t k = 0;
  while (k < is.size() && k < should_be.size() && is[k] == should_be[k]) ++k;
  const auto shown = [&](const std::vector<std::string_view>& lines) {
    return k < lines.size() ? std::string(lines[k]) : std::string("(nothing)");
  };
  complain(path + ":" + std::to_string(k + 1) + ": the page says\n  " + shown(is) + "\nand its program\n  " +
           shown(should_be));
}

bool write_file(const std::string& path, const std::string& text) {
  OutFile out(path);
  out.write(text);
  if (out.finish()) return true;
  complain(out.why());
  return false;
}

// Writes a file, or with --check says that it is to be.
int renew(const std::string& path, const std::string& text, const std::string& fresh, bool check_only) {
  if (text == fresh) return kGood;
  if (!check_only) return write_file(path, fresh) ? kGood : kFault;
  say_difference(path, text, fresh);
  return kRefused;
}

int renew_page(const std::string& path, const Arguments& arguments) {
  if (edit::language_of("", path) != edit::Language::kMarkdown)
    throw UsageError{path + ": expected a document, .md"};
  const auto page = read_all(path);
  if (!page) throw UsageError{path + ": " + unread_because(errno)};
  const std::string stem = std::filesystem::path(path).stem().string();
  const auto parts = edit::page_parts(*page, stem);
  for (const PagePart& part : parts) {
    const std::string name = block_name(path, *page, part);
    if (!part.code.closed) throw UsageError{name + "this block does not end"};
    if (part.code.indented)
      throw UsageError{name + "a block in a list, or indented, has no place for its results"};
  }
  if (parts.empty()) throw UsageError{path + ": has no blocks of NESL (```nesl)"};
  Printed printed;
  if (const int status = printed_by(path, *page, parts, arguments, printed); status != kGood) return status;
  std::vector<Picture> pictures;
  const std::string fresh = renewed(path, *page, parts, printed, pictures);
  const bool check_only = arguments.given(Option::kCheckOnly);
  int worst = kGood;
  for (const Picture& picture : pictures)
    worst =
        std::max(worst, renew(picture.path, read_all(picture.path).value_or(""), picture.text, check_only));
  return std::max(worst, renew(path, *page, fresh, check_only));
}

}  // namespace

int literate_command(const Words& words) {
  const Arguments arguments("literate", words);
  const lib::Limits limits = limits_of(arguments);
  if (arguments.operands().empty()) throw UsageError{"expected documents, .md"};
  int worst = kGood;
  for (const std::string& path : arguments.operands()) worst = std::max(worst, renew_page(path, arguments));
  return worst;
}

}  // namespace nvm::cmd
