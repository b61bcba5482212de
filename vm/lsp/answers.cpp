// Questions about a document, and their answers in the protocol's terms.
#include <algorithm>

#include "vm/lsp/server.h"

namespace nvm::lsp {

using edit::Document;
using edit::Proposal;
using edit::SymbolKind;

namespace {

int completion_kind(Proposal::Kind kind) {
  switch (kind) {
    case Proposal::Kind::kFunction: return 3;
    case Proposal::Kind::kVariable: return 6;
    case Proposal::Kind::kDatatype: return 22;
    case Proposal::Kind::kType: return 25;
    case Proposal::Kind::kKeyword: return 14;
  }
  return 1;
}

int symbol_kind(SymbolKind kind) {
  return kind == SymbolKind::kFunction ? 12 : kind == SymbolKind::kDatatype ? 23 : 13;
}

Json markdown(const edit::Hover& hover) {
  std::string text = "```nesl\n" + hover.code + "\n```";
  if (!hover.text.empty()) text += "\n\n" + hover.text;
  return {{"kind", "markdown"}, {"value", text}};
}

std::string reason(const edit::Refusal& refusal) { return refusal.reason; }

}  // namespace

Json Server::position(const edit::Text& text, std::size_t offset) const {
  const edit::Place place = text.place(offset, units_);
  return {{"line", place.line}, {"character", place.column}};
}

Json Server::range(const edit::Text& text, edit::Span span) const {
  return {{"start", position(text, span.begin)}, {"end", position(text, span.end)}};
}

std::size_t Server::place(const Document& document, const Json& params) const {
  const Json& at = object_at(params, "position");
  return document.text().offset(edit::Place{number_at(at, "line"), number_at(at, "character")}, units_);
}

edit::Span Server::span(const Document& document, const Json& range) const {
  const auto at = [&](const char* which) {
    const Json& place = object_at(range, which);
    return document.text().offset(edit::Place{number_at(place, "line"), number_at(place, "character")},
                                  units_);
  };
  return {at("start"), at("end")};
}

Json Server::hover(const Json& params) {
  Document& d = document(params);
  const auto hover = d.hover(place(d, params));
  if (!hover) return nullptr;
  return {{"contents", markdown(*hover)}, {"range", range(d.text(), hover->span)}};
}

Json Server::definition(const Json& params) {
  Document& d = document(params);
  const auto target = d.definition(place(d, params));
  if (!target) return nullptr;
  if (target->file.empty())
    return {{"uri", string_at(object_at(params, "textDocument"), "uri")},
            {"range", range(d.text(), target->span)}};
  std::string path = target->file, why;
  const auto text = reader(open_at(params).path)(path, why);
  if (!text) return nullptr;
  return {{"uri", uri_of(path)}, {"range", range(edit::Text(*text), target->span)}};
}

Json Server::references(const Json& params) {
  Document& d = document(params);
  const Json context = params.value("context", Json::object());
  const Json all = context.is_object() ? context.value("includeDeclaration", Json(true)) : Json(true);
  const bool declared = all != Json(false);
  const std::string uri = string_at(object_at(params, "textDocument"), "uri");
  Json list = Json::array();
  for (const edit::Span span : d.references(place(d, params), declared))
    list.push_back({{"uri", uri}, {"range", range(d.text(), span)}});
  Json defined = declared ? definition(params) : Json(nullptr);
  if (!defined.is_null() && defined["uri"] != uri) list.push_back(std::move(defined));  // in another file
  return list;
}

Json Server::highlights(const Json& params) {
  Document& d = document(params);
  Json list = Json::array();
  for (const edit::Span span : d.references(place(d, params), true))
    list.push_back({{"range", range(d.text(), span)}, {"kind", 1}});
  return list;
}

Json Server::completion(const Json& params) {
  Document& d = document(params);
  Json items = Json::array();
  for (const Proposal& p : d.complete(place(d, params))) {
    Json item = {{"label", p.name}, {"kind", completion_kind(p.kind)}};
    if (!p.type.empty()) item["detail"] = p.type;
    // What the program itself defines comes first; built-in names are described when one is looked at.
    item["sortText"] = (p.builtin ? "1" : "0") + p.name;
    if (p.builtin) item["data"] = string_at(object_at(params, "textDocument"), "uri");
    items.push_back(std::move(item));
  }
  return {{"isIncomplete", false}, {"items", std::move(items)}};
}

Json Server::described(const Json& params) {
  Json item = params;
  const std::string& name = string_at(params, "label");
  if (!params.contains("data")) return item;
  const auto found = open_.find(string_at(params, "data"));
  if (found == open_.end()) return item;
  const auto hover = found->second.document->describe(name);
  if (!hover) return item;
  const std::size_t type = hover->code.find(" : ");
  item["detail"] = type == std::string::npos ? hover->code : hover->code.substr(type + 3);
  item["documentation"] = markdown(*hover);
  return item;
}

Json Server::signature(const Json& params) {
  Document& d = document(params);
  const auto signature = d.signature(place(d, params));
  if (!signature) return nullptr;
  const edit::Text label(signature->label);
  Json parameters = Json::array();
  for (const edit::Span p : signature->parameters) {
    // Offsets in labels are UTF-16 whatever positions are.
    const auto at = [&](std::size_t offset) { return label.place(offset, edit::Units::kUtf16).column; };
    parameters.push_back({{"label", {at(p.begin), at(p.end)}}});
  }
  Json found = {{"label", signature->label}, {"parameters", std::move(parameters)}};
  if (!signature->documentation.empty()) found["documentation"] = signature->documentation;
  return {{"signatures", Json::array({std::move(found)})},
          {"activeSignature", 0},
          {"activeParameter", signature->active}};
}

Json Server::symbols(const Json& params) {
  Document& d = document(params);
  Json list = Json::array();
  for (const edit::Symbol& s : d.symbols())
    list.push_back({{"name", s.name},
                    {"detail", s.type},
                    {"kind", symbol_kind(s.kind)},
                    {"range", range(d.text(), s.form)},
                    {"selectionRange", range(d.text(), s.defined)}});
  return list;
}

Json Server::inlays(const Json& params) {
  Document& d = document(params);
  Json list = Json::array();
  for (const edit::Inlay& inlay : d.inlays(span(d, object_at(params, "range"))))
    list.push_back({{"position", position(d.text(), inlay.at)},
                    {"label", ": " + std::string(inlay.type)},
                    {"kind", 1},
                    {"paddingLeft", true}});
  return list;
}

// One edit, of the lines that differ.
Json Server::formatting(const Json& params) {
  Document& d = document(params);
  const edit::Formatted formatted = d.formatted();
  if (!formatted.problems.empty()) {
    const edit::Problem& p = formatted.problems.front();
    log("line " + std::to_string(d.text().pos(p.span.begin).line) + " is left as it is: " + p.text);
  }
  const std::string &before = d.text().str(), &after = formatted.text;
  if (before == after) return Json::array();
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t same = 0, behind = 0;
  while (same < shorter && before[same] == after[same]) ++same;
  same = same == 0 ? 0 : before.rfind('\n', same - 1) + 1;  // the beginning of a line; 0 behind npos
  while (behind < shorter - same && before[before.size() - 1 - behind] == after[after.size() - 1 - behind])
    ++behind;
  while (behind > 0 && before[before.size() - behind - 1] != '\n') --behind;
  return Json::array({{{"range", range(d.text(), {same, before.size() - behind})},
                       {"newText", after.substr(same, after.size() - behind - same)}}});
}

Json Server::prepare_rename(const Json& params) {
  Document& d = document(params);
  edit::Refusal refusal;
  const auto word = d.renamed_word(place(d, params), refusal);
  if (!word) throw Fault{ErrorCode::kFailed, reason(refusal)};
  return range(d.text(), *word);
}

Json Server::rename(const Json& params) {
  Document& d = document(params);
  edit::Refusal refusal;
  const auto edits = d.rename(place(d, params), string_at(params, "newName"), refusal);
  if (!edits) throw Fault{ErrorCode::kFailed, reason(refusal)};
  Json list = Json::array();
  for (const edit::Edit& e : *edits)
    list.push_back({{"range", range(d.text(), e.span)}, {"newText", e.text}});
  return {{"changes", {{string_at(object_at(params, "textDocument"), "uri"), std::move(list)}}}};
}

}  // namespace nvm::lsp
