#include "vm/serve/desk.h"

#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "vm/serve/pages.h"

namespace nvm::serve {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostKept = 8;
constexpr char kTextJson[] = "application/json";
// The page itself has files of its own only, and talks to nobody else.
constexpr char kPagePolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
// What a program left is shown without any rights: it stands in an origin of its own.
constexpr char kResultPolicy[] =
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data:; frame-ancestors 'self'";

std::string examples_text() {
  Json all = Json::array();
  for (const Example& e : examples())
    all.push_back({{"name", e.name}, {"language", e.language}, {"text", e.text}});
  return all.dump();
}

// Takes as long for any two texts of a length.
bool same(std::string_view a, std::string_view b) {
  unsigned char different = a.size() == b.size() ? 0 : 1;
  for (std::size_t k = 0; k < a.size() && k < b.size(); ++k)
    different = static_cast<unsigned char>(different | (a[k] ^ b[k]));
  return different == 0;
}

}  // namespace

Answer refusal(unsigned status, const std::string& why) {
  return {status, kTextJson, Json{{"error", why}}.dump() + "\n", kPagePolicy};
}

std::string secret() {
  constexpr char kDigits[] = "0123456789abcdef";
  std::random_device source;
  std::string out;
  for (int k = 0; k < 32; ++k) out += kDigits[source() & 15];
  return out;
}

Desk::Desk(unsigned short port)
    : token_(secret()),
      host_("127.0.0.1:" + std::to_string(port)),
      name_("localhost:" + std::to_string(port)) {}

std::string Desk::address() const { return "http://" + host_ + "/#" + token_; }

bool Desk::is_ours(std::string_view host) const { return host == host_ || host == name_; }

std::variant<Answer, Task> Desk::answer(const Request& request) const {
  // A name that leads here is not ours: a page of that name would be of the same origin.
  if (!is_ours(request.host))
    return refusal(403, "this server is http://" + host_ + " or " + name_ + ", and nothing else");
  if (request.target == "/run") return task_of(request);
  if (request.method != "GET") return refusal(405, "only GET");
  if (request.target == "/examples.json") return Answer{200, kTextJson, examples_text(), kPagePolicy};
  for (const Page& page : pages())
    if (page.path == request.target)
      return Answer{200, std::string(page.type), std::string(page.text), kPagePolicy};
  for (const Kept& kept : kept_)
    if (kept.path == request.target) return Answer{200, kept.type, kept.text, kResultPolicy};
  return refusal(404, "there is no such page");
}

std::variant<Answer, Task> Desk::task_of(const Request& request) const {
  if (request.method != "POST") return refusal(405, "programs are sent by POST");
  const bool own = request.origin.empty() ||
                   (request.origin.starts_with("http://") && request.origin.substr(7) == request.host);
  if (!own || (!request.site.empty() && request.site != "same-origin"))
    return refusal(403, "only the page of this server may run programs");
  if (!same(request.token, token_))
    return refusal(403, "open the address that nvm serve has printed, with all that stands behind the #");
  if (!request.type.starts_with(kTextJson))
    return refusal(415, "the body must be JSON, and its type application/json");
  const Json body = Json::parse(request.body, nullptr, false);
  if (!body.is_object()) return refusal(400, "the body must be an object of JSON, in UTF-8");
  Task task;
  for (const auto& [key, value] : body.items()) {
    if (key == "program" && value.is_string())
      task.program = value.get<std::string>();
    else if (key == "language" && (value == "nesl" || value == "remora"))
      task.language = value.get<std::string>();
    else if (key == "profile" && value.is_boolean())
      task.profile = value.get<bool>();
    else
      return refusal(400, "expected program (text), language (nesl or remora) and profile (true or false)");
  }
  if (task.language.empty() || !body.contains("program"))
    return refusal(400, "program and language are missing, or one of them");
  if (task.program.size() > kMostProgram)
    return refusal(413, "a program may have " + std::to_string(kMostProgram) + " bytes");
  return task;
}

std::string Desk::keep(std::string_view folder, std::string type, std::string text) {
  if (kept_.size() == kMostKept) kept_.pop_front();
  kept_.push_back({"/" + std::string(folder) + "/" + secret(), std::move(type), std::move(text)});
  return kept_.back().path;
}

}  // namespace nvm::serve
