// The observer behind `nvm explain`: what of each source line was not fused, not compiled or not run in
// groups, and why. Elements are those that the cost model counts.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vm/interp/observer.h"
#include "vm/profile/source_map.h"

namespace nvm::vm {

class WhyNot final : public Observer {
 public:
  WhyNot() : Observer(true, Recorded::kInstructions) {}

  void begin_run(const ssa::Module& module, const Pool& pool) override;
  void begin(const ssa::Inst& inst, const Site& site, std::int64_t work) override;
  void worked(std::int64_t work) override;
  void left(const ssa::Inst& inst, std::string_view stop) override;
  void left_whole(ssa::FunctionId function, std::string_view why) override;
  void begin_region(const ssa::Inst* first, std::string_view stop) override;
  void end_region(std::span<const RecordedWork> recorded, const RegionRun& run) override;
  void end_compile(const Compilation& compilation) override;

  // One paragraph for each line, those with the most elements outside of compiled code first; "" if nothing
  // ran.
  [[nodiscard]] std::string text() const;

 private:
  struct Line {
    std::uint64_t elements = 0, compiled = 0;
    // Elements left to the primitives, by reason and instruction.
    std::map<std::string, std::map<std::string, std::uint64_t>> left;
    std::map<std::string, std::uint64_t> ended,
        whole;  // compiled lines that ended here, calls; times by reason
    std::map<std::string, std::set<std::string>> unfused;  // "map -> reduce at 3" by reason
    [[nodiscard]] std::uint64_t lost() const { return elements - compiled; }
    [[nodiscard]] bool says_something() const { return !left.empty() || !unfused.empty() || !whole.empty(); }
  };

  Line& line(const ssa::Inst* inst) { return lines_[inst == nullptr ? 0 : source_.place(inst)]; }
  [[nodiscard]] std::vector<std::pair<std::string, Line>> by_name() const;
  [[nodiscard]] static std::string paragraph(const std::string& name, const Line& line);

  SourceMap source_;
  std::map<std::int32_t, Line> lines_;  // by place
  const ssa::Inst* left_ = nullptr;     // the instruction that was left last, and why
  std::string_view left_why_;
  const ssa::Inst* begun_ = nullptr;  // the instruction that began last
  std::string_view stop_;             // of the open region
};

}  // namespace nvm::vm
