#include "vm/profile/trace_names.h"

#include <algorithm>

#include "vm/profile/json.h"

namespace nvm::vm {

namespace {

const std::string*& slot(std::vector<const std::string*>& all, std::int32_t number) {
  const auto at = static_cast<std::size_t>(number);
  if (at >= all.size()) all.resize(at + 1, nullptr);
  return all[at];
}

}  // namespace

void TraceNames::begin(const ssa::Module& module) {
  source_.begin(module);
  kernels_.clear();
}

const std::string* TraceNames::place(std::int32_t place) {
  const std::string*& text = slot(places_, place);
  return text != nullptr ? text : text = words_.of(source_.text(place));
}

const std::string* TraceNames::region(std::int32_t place) {
  const std::string*& text = slot(regions_, place);
  return text != nullptr ? text : text = words_.of("region " + source_.text(place));
}

const std::string* TraceNames::name(std::int32_t number) {
  const std::string*& text = slot(names_, number);
  return text != nullptr ? text : text = words_.of(source_.name(number));
}

const std::string* TraceNames::level(std::int32_t number, std::int32_t level) {
  constexpr std::int32_t kNamed = 256;
  const std::string which = level < kNamed ? std::to_string(level) : std::to_string(kNamed) + " and deeper";
  return words_.of(source_.name(number) + " level " + which);
}

void TraceNames::compiled(const Compilation& c) {
  for (std::size_t k = 0; k < c.kernels.size(); ++k)
    kernels_[{c.region, static_cast<std::uint32_t>(k)}] = {c.kernels[k].combinators, {}, {}};
}

const KernelNames& TraceNames::kernel(const KernelRun& run) {
  Kernel& kernel = kernels_[{run.region, run.kernel}];
  if (kernel.names.name != nullptr && std::ranges::equal(kernel.insts, run.insts)) return kernel.names;
  kernel.insts.assign(run.insts.begin(), run.insts.end());
  JsonArray lines;
  for (const ssa::Inst* inst : run.insts) lines.raw(*place(source_.place(inst)));
  const std::string at = run.insts.empty() ? "" : source_.text(source_.place(run.insts.front())) + " ";
  kernel.names = {words_.of(at + kernel.combinators), words_.of(kernel.combinators),
                  words_.json(lines.text())};
  return kernel.names;
}

}  // namespace nvm::vm
