#include "vm/lsp/server.h"

namespace nvm::lsp {

namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 32);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool stands_for_itself(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || c == '/' || c == '-' || c == '.' || c == '_' || c == '~';
}

}  // namespace

std::string path_of(const std::string& uri) {
  constexpr std::string_view kFile = "file://";
  if (!uri.starts_with(kFile)) return "";
  std::size_t at = uri.find('/', kFile.size());  // behind a host, which is this one
  if (at == std::string::npos) return "";
  std::string path;
  for (; at < uri.size(); ++at) {
    const bool escaped =
        uri[at] == '%' && at + 2 < uri.size() && digit(uri[at + 1]) >= 0 && digit(uri[at + 2]) >= 0;
    path += escaped ? static_cast<char>(digit(uri[at + 1]) * 16 + digit(uri[at + 2])) : uri[at];
    if (escaped) at += 2;
  }
  return path.find('\0') == std::string::npos ? path : "";
}

std::string uri_of(const std::string& path) {
  static const char* hex = "0123456789ABCDEF";
  std::string uri = "file://";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    uri += stands_for_itself(c) ? std::string(1, c) : std::string{'%', hex[byte >> 4], hex[byte & 15]};
  }
  return uri;
}

}  // namespace nvm::lsp
