// Several observers as one.
#pragma once

#include <vector>

#include "vm/interp/observer.h"

namespace nvm::vm {

class Observers final : public Observer {
 public:
  Observers() : Observer(true, Recorded::kNothing) {}
  // `observer` must outlive this.
  void add(Observer& observer);
  // What to observe with: null for none, the observer itself if there is one only.
  [[nodiscard]] Observer* one();

  void begin_run(const ssa::Module& module, const Pool& pool) override;
  void end_run() override;
  void begin_calls(const OpenCalls& calls) override;
  void end_calls(std::uint64_t made) override;
  void begin(const ssa::Inst& inst, const Site& site, std::int64_t work) override;
  void worked(std::int64_t work) override;
  void moved(std::int64_t bytes) override;
  void left(const ssa::Inst& inst, std::string_view stop) override;
  void branch(bool taken) override;
  void enter(const CallStart& call) override;
  void leave(ssa::FunctionId function) override;
  [[nodiscard]] std::int32_t place() const override;
  [[nodiscard]] bool wants_region(std::int64_t longest) override;
  void begin_region(const ssa::Inst* first, std::string_view stop) override;
  void end_region(std::span<const RecordedWork> recorded, const RegionRun& run) override;
  void begin_compile() override;
  void end_compile(const Compilation& compilation) override;
  void begin_kernel(std::uint32_t region, std::uint32_t kernel) override;
  void end_kernel(const KernelRun& run) override;
  void device_kernel(const KernelRun& run, const DeviceTimes& times) override;
  void begin_groups(const CallStart& call, std::int64_t instances, std::size_t groups) override;
  void end_groups(bool done, std::int64_t moved) override;
  void groups_spent(const GroupsSpent& spent) override;
  void left_whole(ssa::FunctionId function, std::string_view why) override;
  void begin_group(std::size_t group, std::int64_t instances) override;
  void end_group(std::size_t group, std::int64_t moved) override;
  void begin_share() override;
  void end_share() override;

 private:
  std::vector<Observer*> all_;
};

}  // namespace nvm::vm
