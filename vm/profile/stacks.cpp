// Chains of calls in the formats of flame graph tools.
#include <cmath>
#include <map>

#include "vm/profile/json.h"
#include "vm/profile/report.h"

namespace nvm::vm {

namespace {

constexpr std::size_t kMostFrames = 400;  // of a chain; what is deeper is left out in the middle

struct Stack {
  std::vector<std::string> frames;  // outermost first
  double seconds = 0;
};

std::vector<std::string> frames_of(const Profile& profile, std::int32_t node) {
  std::vector<std::string> frames;
  const auto& nodes = profile.nodes();
  for (std::int32_t n = node; n > 0; n = nodes[static_cast<std::size_t>(n)].parent) {
    const CallNode& call = nodes[static_cast<std::size_t>(n)];
    frames.push_back(profile.source().name(call.function));
  }
  return {frames.rbegin(), frames.rend()};
}

std::vector<Stack> stacks(const Profile& profile) {
  std::vector<Stack> all;
  const auto& nodes = profile.nodes();
  const double tick = profile.seconds_per_tick();
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].lines.empty()) continue;
    std::vector<std::string> frames = frames_of(profile, static_cast<std::int32_t>(n));
    if (frames.size() > kMostFrames)
      frames.erase(frames.begin() + kMostFrames / 2,
                   frames.end() - static_cast<std::ptrdiff_t>(kMostFrames / 2));
    for (const auto& [place, spent] : nodes[n].lines) {
      const std::int64_t ticks = spent->all_ticks();
      if (ticks <= 0) continue;
      Stack stack{frames, static_cast<double>(ticks) * tick};
      stack.frames.push_back(place == 0 ? "(start and end)" : profile.source().text(place));
      all.push_back(std::move(stack));
    }
  }
  for (const auto& [name, seconds] : profile.phases()) all.push_back({{"(" + name + ")"}, seconds});
  return all;
}

// Semicolons separate frames, a blank the figure.
std::string safe(std::string frame) {
  for (char& c : frame)
    if (c == ';' || c == '\n') c = ',';
  return frame;
}

}  // namespace

std::string folded_stacks(const Profile& profile) {
  std::map<std::string, double> sums;
  for (const Stack& s : stacks(profile)) {
    std::string key;
    for (const std::string& frame : s.frames) key += (key.empty() ? "" : ";") + safe(frame);
    sums[key] += s.seconds;
  }
  std::string out;
  for (const auto& [key, seconds] : sums) {
    const auto us = std::int64_t{std::llround(seconds * 1e6)};
    if (us > 0) out += key + " " + std::to_string(us) + "\n";
  }
  return out;
}

std::string speedscope_json(const Profile& profile, const std::string& name) {
  std::map<std::string, std::int64_t> numbers;
  JsonArray frames, samples, weights;
  double total = 0;
  for (const Stack& s : stacks(profile)) {
    JsonArray sample;
    for (const std::string& frame : s.frames) {
      const auto [at, fresh] = numbers.try_emplace(frame, static_cast<std::int64_t>(numbers.size()));
      if (fresh) frames.raw(JsonObject().add("name", frame).text());
      sample.raw(std::to_string(at->second));
    }
    samples.raw(sample.text());
    weights.raw(json_number(s.seconds, 12));
    total += s.seconds;
  }
  JsonObject one;
  one.add("type", "sampled").add("name", name).add("unit", "seconds").add("startValue", 0.0);
  one.raw("endValue", json_number(total, 12)).raw("samples", samples.text()).raw("weights", weights.text());
  JsonObject out;
  out.add("$schema", "https://www.speedscope.app/file-format-schema.json");
  out.raw("shared", JsonObject().raw("frames", frames.text()).text());
  out.raw("profiles", JsonArray().raw(one.text()).text()).add("name", name).add("exporter", "nvm");
  return out.text() + "\n";
}

}  // namespace nvm::vm
