#include "vm/ranks/mpi.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "bytecode/base/library.h"
#include "vm/ranks/alone.h"
#include "vm/ranks/mpi_plugin.h"
#include "vm/ranks/rounds.h"
#include "vm/ranks/tally.h"

namespace nvm::ranks {
namespace {

// Launchers pass on what a process prints, unless they are busy killing it.
constexpr auto kFarewell = std::chrono::milliseconds(200);

class MpiRanks final : public Ranks {
 public:
  // `whole`: the ranks' numbers among all.
  MpiRanks(const NvmMpi& mpi, NvmMpiWorld* world, std::vector<int> whole)
      : mpi_(mpi), world_(world), whole_(std::move(whole)), tally_(mpi.rank(world), mpi.size(world)) {}
  ~MpiRanks() override {
    if (world_ != nullptr) mpi_.abort(world_, 1);
  }
  // After a round of all's names.
  void set_hosts(std::vector<std::string> hosts) { hosts_ = std::move(hosts); }

  [[nodiscard]] int rank() const override { return mpi_.rank(world_); }
  [[nodiscard]] int size() const override { return static_cast<int>(whole_.size()); }
  [[nodiscard]] std::string name() const override { return mpi_.library(world_); }
  [[nodiscard]] std::string host(int r) const override { return hosts_[static_cast<std::size_t>(r)]; }

  void start_all_gather(std::span<const std::byte> mine, std::span<const std::int64_t> lengths,
                        std::span<std::byte> all) override {
    check();
    tally_.all_gather(mine, lengths, all);
    lengths_.assign(lengths.begin(), lengths.end());
    started(mpi_.all_gather(world_, mine.data(), lengths_.data(), all.data()));
  }
  void start_all_to_all(std::span<const std::byte> out, std::span<const std::int64_t> sent,
                        std::span<std::byte> in, std::span<const std::int64_t> received) override {
    check();
    tally_.all_to_all(out, sent, in, received);
    started(mpi_.all_to_all(world_, out.data(), sent.data(), in.data(), received.data()));
  }
  void start_shift(std::span<const std::byte> out, std::span<std::byte> in) override {
    check();
    tally_.shift(out, in);
    started(mpi_.shift(world_, out.data(), std::ssize(out), in.data(), std::ssize(in)));
  }
  void start_broadcast(int from, std::span<std::byte> bytes) override {
    check();
    tally_.broadcast(from, bytes);
    started(mpi_.broadcast(world_, from, bytes.data(), std::ssize(bytes)));
  }
  [[nodiscard]] bool done() override;
  [[nodiscard]] std::vector<int> absent() override;

  void give_up(const Broken& why) override {
    if (!broken_) why_ = why;
    broken_ = true;
    tally_.broken();
  }
  void abort(int status, std::string_view /*why*/) override {
    std::this_thread::sleep_for(kFarewell);
    mpi_.abort(world_, status);
  }
  [[nodiscard]] std::unique_ptr<Ranks> split(std::span<const int> colours) override;
  void close() override;

  [[nodiscard]] double seconds() const override { return host_seconds(); }
  [[nodiscard]] Counts counts() const override { return tally_.counts(); }

 private:
  void check() const {
    if (broken_) throw why_;
  }
  // The library's error, which is this rank's.
  [[noreturn]] void fails() {
    give_up({whole_[static_cast<std::size_t>(rank())], name() + ": " + mpi_.error(world_)});
    throw why_;
  }
  void started(int result) {
    if (result < 0) fails();
  }

  const NvmMpi& mpi_;
  NvmMpiWorld* world_;
  std::vector<int> whole_;
  std::vector<std::string> hosts_;
  Tally tally_;
  std::vector<std::int64_t> lengths_;
  bool told_ = false;  // the others, that this rank waits
  bool broken_ = false;
  Broken why_;
};

bool MpiRanks::done() {
  check();
  const int result = mpi_.done(world_);
  if (result < 0) fails();
  if (result > 0 && std::exchange(told_, false)) mpi_.tell(world_, 0);
  return tally_.asked(result > 0);
}

// The first rank collects who waits; the second does only to say that the first does not.
std::vector<int> MpiRanks::absent() {
  check();
  if (!std::exchange(told_, true)) mpi_.tell(world_, 1);
  std::vector<unsigned char> waits(whole_.size());
  std::vector<int> result;
  if (mpi_.heard(world_, waits.data()) < 0) return result;
  for (std::size_t r = 0; r < waits.size(); ++r) {
    if (waits[r] == 0 && std::cmp_not_equal(r, rank()) && (rank() == 0 || r == 0))
      result.push_back(whole_[r]);
  }
  return result;
}

std::unique_ptr<Ranks> MpiRanks::split(std::span<const int> colours) {
  check();
  const int mine = colours[static_cast<std::size_t>(rank())];
  NvmMpiWorld* const team = mpi_.split(world_, mine);
  if (team == nullptr) fails();
  std::vector<int> whole;
  std::vector<std::string> hosts;
  for (std::size_t r = 0; r < colours.size(); ++r) {
    if (colours[r] != mine) continue;
    whole.push_back(whole_[r]);
    hosts.push_back(hosts_[r]);
  }
  auto result = std::make_unique<MpiRanks>(mpi_, team, std::move(whole));
  result->set_hosts(std::move(hosts));
  return result;
}

void MpiRanks::close() {
  check();
  if (mpi_.close(world_) < 0) fails();
  world_ = nullptr;
}

std::string folder_of_this_program() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  const std::string file(path.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return file.substr(0, file.rfind('/') + 1);
}

const NvmMpi& load(const Launcher& launcher, const MpiOptions& options) {
  const std::string usual = "libnvm_mpi-" + launcher.plugin + ".so";
  std::vector<std::string> names = {options.plugin};
  if (options.plugin.empty()) names = {usual, folder_of_this_program() + usual};
  std::string opened;
  std::string reason;
  void* const library = open_library(names, opened, reason);
  if (library == nullptr) {
    throw Refused("started by the launcher of " + launcher.name +
                  ", but nvm's plug-in for it cannot be loaded (" + reason +
                  "): install the package nvm-mpi, or name a plug-in with NVM_MPI=FILE");
  }
  auto* const plugin = reinterpret_cast<decltype(&nvm_mpi_plugin)>(find_symbol(library, "nvm_mpi_plugin"));
  if (plugin == nullptr || plugin()->interface != kNvmMpiInterface) {
    throw Refused(opened + " is no plug-in for this version of nvm: compile its mpi_plugin.c with mpicc");
  }
  return *plugin();
}

}  // namespace

std::unique_ptr<Ranks> mpi_ranks(const Launcher& launcher, const MpiOptions& options) {
  if (launcher.size <= 1 && options.communicator == nullptr) return std::make_unique<Alone>();
  const NvmMpi& mpi = load(launcher, options);
  std::array<char, 512> why{};
  NvmMpiWorld* const world = mpi.open(options.communicator, options.piece, why.data(), why.size());
  if (world == nullptr) throw Refused(std::string("MPI cannot be initialised: ") + why.data());
  const int size = mpi.size(world);
  if (options.communicator == nullptr && size != launcher.size) {
    const std::string library = mpi.library(world);
    (void)mpi.close(world);
    throw Refused(
        "the launcher of " + launcher.name + " started " + std::to_string(launcher.size) +
        " ranks, but the library " + library + " sees " + std::to_string(size) +
        ": they do not belong together; use that library's mpirun, or NVM_MPI=FILE with the plug-in "
        "for the launcher's");
  }
  std::vector<int> whole(static_cast<std::size_t>(size));
  std::iota(whole.begin(), whole.end(), 0);
  auto ranks = std::make_unique<MpiRanks>(mpi, world, std::move(whole));
  const std::string mine = host_name();
  std::vector<std::int64_t> lengths;
  const std::vector<char> all = Rounds(*ranks).all_gather_unequal(std::span(mine), &lengths);
  std::vector<std::string> hosts;
  std::size_t at = 0;
  for (const std::int64_t n : lengths) {
    hosts.emplace_back(all.data() + at, static_cast<std::size_t>(n));
    at += static_cast<std::size_t>(n);
  }
  ranks->set_hosts(std::move(hosts));
  return ranks;
}

}  // namespace nvm::ranks
