#include "vm/profile/html_report.h"

#include <set>
#include <sstream>

#include "bytecode/base/read_file.h"
#include "vm/profile/json.h"
#include "vm/profile/page.h"

namespace nvm::vm {

namespace {

std::string columns_json() {
  JsonArray out;
  for (std::size_t c = 0; c < kColumns; ++c) {
    const ColumnInfo& info = column_info(static_cast<Column>(c));
    JsonObject column;
    column.add("name", info.name).add("text", std::string_view(&info.text, 1)).add("help", info.help);
    out.raw(column.text());
  }
  return out.text();
}

// "" if it may not, or cannot be read.
std::string source_text(const std::string& file, const Gate& gate) {
  try {
    return gate.read(WayOut::kPageSource, file).value_or("");
  } catch (const Fault&) {
    return "";
  }
}

std::string sources_json(const Report& report, const Gate& gate) {
  constexpr std::size_t kMostBytes = 1 << 20;
  std::set<std::string> files;
  for (const Row& row : report.table("line").rows)
    if (row.line > 0) files.insert(row.file);
  JsonArray out;
  for (const std::string& file : files) {
    const std::string text = source_text(file, gate).substr(0, kMostBytes);
    if (!text.empty()) out.raw(JsonObject().add("file", file).add("text", text).text());
  }
  return out.text();
}

// Frames with the seconds that they spent themselves, by mode: calls, and below each its lines.
std::string flame_json(const Profile& profile) {
  std::map<std::string, std::size_t> numbers;
  JsonArray names, frames;
  const auto name = [&](const std::string& text) {
    const auto [at, fresh] = numbers.try_emplace(text, numbers.size());
    if (fresh) names.raw(json_text(text));
    return std::to_string(at->second);
  };
  std::size_t count = 0;
  const auto frame = [&](std::int64_t parent, const std::string& text, const Spent& spent) {
    JsonArray f;
    f.raw(std::to_string(parent)).raw(name(text));
    for (const std::int64_t t : spent.ticks)
      f.raw(json_number(static_cast<double>(t) * profile.seconds_per_tick(), 5));
    frames.raw(f.text());
    return count++;
  };
  std::vector<std::size_t> number_of;
  for (const CallNode& node : profile.nodes()) {
    const std::int64_t parent =
        node.parent < 0 ? -1 : static_cast<std::int64_t>(number_of[static_cast<std::size_t>(node.parent)]);
    number_of.push_back(frame(parent, profile.source().name(node.function), {}));
    for (const auto& [place, spent] : node.lines)
      if (spent->all_ticks() > 0)
        frame(static_cast<std::int64_t>(number_of.back()),
              place == 0 ? "(start and end)" : profile.source().text(place), *spent);
  }
  return JsonObject().raw("names", names.text()).raw("nodes", frames.text()).text();
}

std::string regions_json(const Profile& profile) {
  JsonArray out;
  for (const FusedRegion& region : profile.regions()) {
    JsonArray nodes;
    for (const FusedRegion::Node& n : region.nodes) {
      JsonArray inputs;
      for (const std::int32_t i : n.inputs) inputs.raw(std::to_string(i));
      JsonObject node;
      node.add("name", n.name).add("operation", n.operation).add("place", n.place);
      node.add("kernel", std::int64_t{n.kernel});
      nodes.raw(node.raw("inputs", inputs.text()).text());
    }
    JsonObject one;
    one.add("place", region.place).add("reason", region.reason).raw("nodes", nodes.text());
    out.raw(one.text());
  }
  return out.text();
}

std::string levels_json(const Profile& profile) {
  JsonArray out;
  for (const auto& [key, level] : profile.levels()) {
    JsonObject one;
    one.add("function", profile.source().name(key.first)).add("level", std::int64_t{key.second});
    one.add("calls", static_cast<std::int64_t>(level.calls)).add("segments", level.shape.segments);
    one.add("elements", level.shape.elements).add("longest", level.shape.longest);
    out.raw(one.raw("lengths", histogram_json(level.shape)).text());
  }
  return out.text();
}

// Nothing in a script element may look like its end.
std::string for_script(const std::string& json) {
  std::string out;
  for (const char c : json) {
    if (c == '/' && !out.empty() && out.back() == '<') out += '\\';
    out += c;
    if (c == '!' && out.size() > 1 && out[out.size() - 2] == '<') out.replace(out.size() - 2, 2, "\\u003c!");
  }
  return out;
}

std::string replaced(std::string_view text, std::string_view mark, std::string_view with) {
  const std::size_t at = text.find(mark);
  std::string out(text.substr(0, at));
  out += with;
  return out.append(text.substr(at + mark.size()));
}

}  // namespace

std::string report_html(const Profile& profile, const Report& report, const std::string& events,
                        const std::string& title, const Gate& gate) {
  ReportStyle all;
  all.rows = 0;
  std::string figures = report_json(report, all);
  figures.erase(figures.find_last_of('}'));
  JsonObject rest;
  rest.add("title", title).raw("columns", columns_json()).raw("sources", sources_json(report, gate));
  rest.raw("flame", flame_json(profile)).raw("regions", regions_json(profile));
  rest.raw("levels", levels_json(profile)).raw("events", events.empty() ? "[]" : events);
  const std::string json = figures + "," + rest.text().substr(1);
  std::string page = replaced(page_html(), "@@STYLE@@", page_css());
  page = replaced(page, "@@SCRIPT@@", page_js());
  return replaced(page, "@@DATA@@", for_script(json));
}

}  // namespace nvm::vm
