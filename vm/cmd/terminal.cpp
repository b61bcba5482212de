#include "vm/cmd/terminal.h"

#include <unistd.h>

#include <cerrno>
#include <new>

namespace nvm::cmd {

namespace {

bool is_terminal(std::FILE* file) { return ::isatty(::fileno(file)) == 1; }

int g_lost = 0;  // errno

bool noted(std::FILE* to, bool good) {
  if (!good && to == stdout && g_lost == 0) g_lost = errno == 0 ? EIO : errno;
  return good;
}

bool put(std::FILE* to, std::string_view text) {
  return noted(to, std::fwrite(text.data(), 1, text.size(), to) == text.size());
}

}  // namespace

bool say(std::FILE* to, std::string_view text) noexcept {
  if (!is_terminal(to)) return put(to, text);
  try {
    return put(to, printable(text));
  } catch (const std::bad_alloc&) {
    put(to, "out of memory\n");
    return noted(to, false);
  }
}

namespace {

// What a stream of escaped() writes to.
struct Screen {
  std::FILE* to;
  Printable shown;
};

ssize_t show(void* screen, const char* text, std::size_t n) noexcept {
  auto& [to, shown] = *static_cast<Screen*>(screen);
  try {
    if (put(to, shown({text, n})) && std::fflush(to) == 0) return static_cast<ssize_t>(n);
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
  }
  return 0;
}

std::FILE* open_screen(Screen& screen) {
  cookie_io_functions_t calls{};
  calls.write = show;
  std::FILE* const stream = ::fopencookie(&screen, "w", calls);
  if (stream == nullptr) throw std::bad_alloc();
  std::setvbuf(stream, nullptr, _IONBF, 0);  // in order with what else is shown
  return stream;
}

}  // namespace

std::FILE* escaped(std::FILE* to) {
  if (!is_terminal(to)) return to;
  static Screen out{stdout, {}}, err{stderr, {}};
  static std::FILE* const out_stream = open_screen(out);
  static std::FILE* const err_stream = open_screen(err);
  return to == stderr ? err_stream : out_stream;
}

int output_lost() noexcept { return g_lost; }

void complain(const std::string& text) noexcept {
  say(stderr, "nvm: ");
  say(stderr, text);
  say(stderr, "\n");
}

TerminalBuffer::TerminalBuffer(std::FILE* to) : to_(to), terminal_(is_terminal(to)) {}

std::streambuf::int_type TerminalBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char byte = traits_type::to_char_type(c);
  return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
}

std::streamsize TerminalBuffer::xsputn(const char* text, std::streamsize n) {
  const std::string_view given(text, static_cast<std::size_t>(n));
  return kept(terminal_ ? put(to_, shown_(given)) : put(to_, given)) ? n : 0;
}

int TerminalBuffer::sync() { return kept(noted(to_, std::fflush(to_) == 0)) ? 0 : -1; }

bool TerminalBuffer::kept(bool good) {
  if (!good) error_ = errno;
  return good;
}

}  // namespace nvm::cmd
