#include "vm/profile/why_not.h"

#include <algorithm>
#include <functional>

#include "vm/interp/work.h"
#include "vm/profile/reasons.h"
#include "vm/profile/report.h"

namespace nvm::vm {

namespace {

constexpr std::string_view kShort = "short vectors";

std::string times_text(std::uint64_t n) { return n == 1 ? "once" : std::to_string(n) + " times"; }

std::string padded(std::uint64_t elements) {
  const std::string text = elements == 0 ? "" : count_text(static_cast<double>(elements));
  return std::string(text.size() < 6 ? 6 - text.size() : 0, ' ') + text + "  ";
}

std::uint64_t sum(const std::map<std::string, std::uint64_t>& counts) {
  std::uint64_t all = 0;
  for (const auto& [what, n] : counts) all += n;
  return all;
}

// "DIST 24M, PACK 16M": those of at least a tenth of `all`.
std::string largest(const std::map<std::string, std::uint64_t>& counts, std::uint64_t all) {
  std::vector<std::pair<std::uint64_t, std::string>> order;
  for (const auto& [what, n] : counts)
    if (n >= all / 10) order.emplace_back(n, what);
  std::ranges::sort(order, std::greater<>());
  std::string out;
  for (const auto& [n, what] : order)
    out += (out.empty() ? "" : ", ") + what + " " + count_text(static_cast<double>(n));
  return out;
}

}  // namespace

void WhyNot::begin_run(const ssa::Module& module, const Pool&) {
  source_.begin(module);
  left_ = nullptr;
}

void WhyNot::begin(const ssa::Inst& inst, const Site&, std::int64_t work) {
  if (left_ != &inst) left_why_ = kShort;
  left_ = nullptr;
  begun_ = &inst;
  worked(work);
}

void WhyNot::worked(std::int64_t work) {
  if (work <= 1) return;  // numbers are no vectors
  Line& l = line(begun_);
  l.left[std::string(left_why_)][std::string(op_info(begun_->op).text)] += static_cast<std::uint64_t>(work);
  l.elements += static_cast<std::uint64_t>(work);
}

void WhyNot::left(const ssa::Inst& inst, std::string_view stop) {
  left_ = &inst;
  left_why_ = stop;
}

void WhyNot::left_whole(ssa::FunctionId function, std::string_view why) {
  const std::int32_t place = source_.place_number({source_.function(function), 0, 0});
  ++lines_[place].whole[std::string(why)];
}

void WhyNot::begin_region(const ssa::Inst*, std::string_view stop) { stop_ = stop_words(stop); }

void WhyNot::end_region(std::span<const RecordedWork> recorded, const RegionRun& run) {
  for (const RecordedWork& r : recorded) {
    Line& l = line(r.inst);
    const auto elements = static_cast<std::uint64_t>(r.work);
    l.elements += elements;
    if (run.kernels > 0)
      l.compiled += elements;
    else if (elements > 1)
      l.left[std::string(run.reason)][std::string(op_info(r.inst->op).text)] += elements;
  }
  if (!recorded.empty()) ++line(recorded.back().inst).ended[std::string(stop_)];
}

void WhyNot::end_compile(const Compilation& compilation) {
  for (const FusionRefusal& r : compilation.refusals) {
    const std::string to = source_.text(r.to == nullptr ? 0 : source_.place(r.to));
    line(r.from).unfused[std::string(r.why)].insert(r.from_name + " -> " + r.to_name +
                                                    (to.empty() ? "" : " at " + to));
  }
}

std::string WhyNot::paragraph(const std::string& name, const Line& l) {
  std::string out = name.empty() ? "start of program" : name;
  if (l.elements > 0)
    out += ": " + count_text(static_cast<double>(l.compiled)) + " of " +
           count_text(static_cast<double>(l.elements)) + " elements compiled";
  out += "\n";
  std::vector<std::pair<std::uint64_t, std::string>> left;
  for (const auto& [why, insts] : l.left) {
    const std::uint64_t all = sum(insts);
    if (all >= l.elements / 100) left.emplace_back(all, why + ": " + largest(insts, all));
  }
  std::ranges::sort(left, std::greater<>());
  for (const auto& [elements, words] : left) out += padded(elements) + words + "\n";
  for (const auto& [why, times] : l.ended)
    out += padded(0) + "a region ended here, " + times_text(times) + ": " + why + "\n";
  for (const auto& [why, pairs] : l.unfused)
    for (const std::string& pair : pairs) out += padded(0) + pair + " is another kernel: " + why + "\n";
  for (const auto& [why, times] : l.whole)
    out += padded(0) + "called as a whole, " + times_text(times) + ": " + why + "\n";
  return out;
}

// Functions of one name that have no line are one.
std::vector<std::pair<std::string, WhyNot::Line>> WhyNot::by_name() const {
  std::map<std::string, Line> lines;
  for (const auto& [place, l] : lines_) {
    Line& sum = lines[source_.text(place)];
    sum.elements += l.elements;
    sum.compiled += l.compiled;
    for (const auto& [why, insts] : l.left)
      for (const auto& [inst, elements] : insts) sum.left[why][inst] += elements;
    for (const auto& [why, times] : l.ended) sum.ended[why] += times;
    for (const auto& [why, times] : l.whole) sum.whole[why] += times;
    for (const auto& [why, pairs] : l.unfused) sum.unfused[why].insert(pairs.begin(), pairs.end());
  }
  std::vector<std::pair<std::string, Line>> out(lines.begin(), lines.end());
  std::ranges::stable_sort(out,
                           [](const auto& a, const auto& b) { return a.second.lost() > b.second.lost(); });
  return out;
}

std::string WhyNot::text() const {
  std::uint64_t all = 0;
  for (const auto& [place, l] : lines_) all += l.elements;
  std::set<std::string> reasons;
  std::string out;
  for (const auto& [name, l] : by_name()) {
    if (!l.says_something() || (l.whole.empty() && l.elements < all / 1000)) continue;
    const std::string said = paragraph(name, l);
    if (std::ranges::count(said, '\n') == 1) continue;
    out += said;
    for (const auto& [why, insts] : l.left) reasons.insert(why);
    for (const auto& [why, pairs] : l.unfused) reasons.insert(why);
    for (const auto* times : {&l.ended, &l.whole})
      for (const auto& [why, n] : *times) reasons.insert(why);
  }
  if (out.empty()) return "";
  out = "what was left to the primitives, not fused or not run in groups, by line, most elements first\n" +
        out + "what would help\n";
  for (const std::string& reason : reasons)
    if (const std::string_view help = help_for(reason); !help.empty())
      out += "  " + reason + ": " + std::string(help) + "\n";
  return out;
}

}  // namespace nvm::vm
