#include "vm/profile/observers.h"

namespace nvm::vm {

void Observers::add(Observer& observer) {
  all_.push_back(&observer);
  see_recorded(observer.sees_recorded());
  see_group_lines(sees_group_lines() || observer.sees_group_lines());
  see_device_times(sees_device_times() || observer.sees_device_times());
  see_group_bytes(sees_group_bytes() || observer.sees_group_bytes());
  see_branches(sees_branches() || observer.sees_branches());
  see_work(all_.size() > 1 ? sees_work() || observer.sees_work() : observer.sees_work());
}

Observer* Observers::one() {
  if (all_.empty()) return nullptr;
  return all_.size() == 1 ? all_.front() : this;
}

void Observers::begin_run(const ssa::Module& module, const Pool& pool) {
  for (Observer* o : all_) o->begin_run(module, pool);
}
void Observers::end_run() {
  for (Observer* o : all_) o->end_run();
}
void Observers::begin(const ssa::Inst& inst, const Site& site, std::int64_t work) {
  for (Observer* o : all_)
    if (o->sees_instructions()) o->begin(inst, site, work);
}
void Observers::worked(std::int64_t work) {
  for (Observer* o : all_)
    if (o->sees_instructions() && o->sees_work()) o->worked(work);
}
void Observers::moved(std::int64_t bytes) {
  for (Observer* o : all_)
    if (o->sees_instructions() && o->sees_work()) o->moved(bytes);
}
void Observers::left(const ssa::Inst& inst, std::string_view stop) {
  for (Observer* o : all_) o->left(inst, stop);
}
void Observers::branch(bool taken) {
  for (Observer* o : all_)
    if (o->sees_branches()) o->branch(taken);
}
void Observers::begin_calls(const OpenCalls& calls) {
  for (Observer* o : all_) o->begin_calls(calls);
}
void Observers::end_calls(std::uint64_t made) {
  for (Observer* o : all_) o->end_calls(made);
}
void Observers::enter(const CallStart& call) {
  for (Observer* o : all_)
    if (o->sees_calls()) o->enter(call);
}
void Observers::leave(ssa::FunctionId function) {
  for (Observer* o : all_)
    if (o->sees_calls()) o->leave(function);
}
// One of them has places.
std::int32_t Observers::place() const {
  std::int32_t place = 0;
  for (const Observer* o : all_) place |= o->place();
  return place;
}
bool Observers::wants_region(std::int64_t longest) {
  bool wanted = false;
  for (Observer* o : all_) wanted |= o->wants_region(longest);
  return wanted;
}
void Observers::begin_region(const ssa::Inst* first, std::string_view stop) {
  for (Observer* o : all_) o->begin_region(first, stop);
}
void Observers::end_region(std::span<const RecordedWork> recorded, const RegionRun& run) {
  for (Observer* o : all_) o->end_region(recorded, run);
}
void Observers::begin_compile() {
  for (Observer* o : all_) o->begin_compile();
}
void Observers::end_compile(const Compilation& compilation) {
  for (Observer* o : all_) o->end_compile(compilation);
}
void Observers::begin_kernel(std::uint32_t region, std::uint32_t kernel) {
  for (Observer* o : all_) o->begin_kernel(region, kernel);
}
void Observers::end_kernel(const KernelRun& run) {
  for (Observer* o : all_) o->end_kernel(run);
}
void Observers::device_kernel(const KernelRun& run, const DeviceTimes& times) {
  for (Observer* o : all_) o->device_kernel(run, times);
}
void Observers::begin_groups(const CallStart& call, std::int64_t instances, std::size_t groups) {
  for (Observer* o : all_) o->begin_groups(call, instances, groups);
}
void Observers::end_groups(bool done, std::int64_t moved) {
  for (Observer* o : all_) o->end_groups(done, moved);
}
void Observers::groups_spent(const GroupsSpent& spent) {
  for (Observer* o : all_)
    if (o->sees_group_lines() || o->sees_device_times()) o->groups_spent(spent);
}
void Observers::left_whole(ssa::FunctionId function, std::string_view why) {
  for (Observer* o : all_) o->left_whole(function, why);
}
void Observers::begin_group(std::size_t group, std::int64_t instances) {
  for (Observer* o : all_) o->begin_group(group, instances);
}
void Observers::end_group(std::size_t group, std::int64_t moved) {
  for (Observer* o : all_) o->end_group(group, moved);
}
void Observers::begin_share() {
  for (Observer* o : all_) o->begin_share();
}
void Observers::end_share() {
  for (Observer* o : all_) o->end_share();
}

}  // namespace nvm::vm
