// What ranks look at before they begin: launchers, facts that must agree, processors.
#include "vm/ranks/agree.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <map>

#include "vm/ranks/mpi.h"
#include "vm/ranks/threads.h"

namespace nvm::ranks {
namespace {

Launcher launched(const std::map<std::string, const char*>& environment) {
  return find_launcher([&](const char* name) {
    const auto it = environment.find(name);
    return it == environment.end() ? nullptr : it->second;
  });
}

// What all of three ranks say, if they say the same.
std::string said(const std::function<std::vector<Fact>(int)>& facts) {
  std::vector<std::string> all(3);
  on_threads(3, [&](Ranks& ranks) {
    Rounds rounds(ranks);
    all[static_cast<std::size_t>(rounds.rank())] = disagreement(rounds, facts(rounds.rank()));
  });
  return all[0] == all[1] && all[0] == all[2] ? all[0] : "different messages";
}

}  // namespace

TEST_CASE("launchers are known by what they set") {
  CHECK(launched({}).name.empty());
  CHECK(launched({}).size == 1);
  const Launcher open = launched({{"OMPI_COMM_WORLD_SIZE", "8"},
                                  {"OMPI_COMM_WORLD_RANK", "3"},
                                  {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                                  {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                  {"PMIX_RANK", "3"}});
  CHECK(open.plugin == "openmpi");
  CHECK((open.size == 8 && open.rank == 3 && open.local_size == 4 && open.local_rank == 1));
  const Launcher hydra = launched({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}, {"MPI_LOCALNRANKS", "2"}});
  CHECK(hydra.plugin == "mpich");
  CHECK((hydra.size == 2 && hydra.rank == 1 && hydra.local_size == 2));
  CHECK(launched({{"PMIX_RANK", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}}).plugin == "openmpi");
  CHECK(launched({{"SLURM_STEP_NUM_TASKS", "2"}}).name.empty());
  CHECK(launched({{"PMI_SIZE", "x"}, {"PMI_RANK", "0"}}).size == 1);
  CHECK(mpi_ranks(launched({{"PMI_SIZE", "1"}, {"PMI_RANK", "0"}}))->name() == "alone");
}

TEST_CASE("ranks that differ say the same of it") {
  const auto same = [](int) { return std::vector<Fact>{{"build", "1"}, {"program", "p"}}; };
  CHECK(said(same).empty());
  const std::string other = said([](int r) {
    return std::vector<Fact>{{"build", "1"}, {"program", r == 2 ? std::string(200, 'q') : "p"}};
  });
  CHECK(other.find("rank 2 (") == 0);
  CHECK(other.find("has another program than rank 0: qqq") != std::string::npos);
  CHECK(other.size() < 200);
  CHECK(said([](int r) {
          return std::vector<Fact>(r == 1 ? 2 : 3, Fact{"build", "1"});
        }).find("another version") != std::string::npos);
}

TEST_CASE("a rank uses its share of the host") {
  Launcher launcher;
  CHECK(share_of({8, 8}, launcher) == 8);
  CHECK(bound_too_tightly({1, 8}, launcher).empty());  // nobody launched it
  launcher.name = "Open MPI";
  launcher.local_size = 2;
  CHECK(share_of({8, 8}, launcher) == 4);
  CHECK(share_of({4, 8}, launcher) == 4);
  CHECK(share_of({1, 8}, launcher) == 1);
  CHECK(bound_too_tightly({8, 8}, launcher).empty());
  CHECK(bound_too_tightly({4, 8}, launcher).empty());
  CHECK(bound_too_tightly({1, 8}, launcher).find("--bind-to none") != std::string::npos);
  launcher.local_size = 16;
  CHECK(share_of({8, 8}, launcher) == 1);
  CHECK(bound_too_tightly({1, 8}, launcher).empty());
  CHECK(processors().mine >= 1);
}

}  // namespace nvm::ranks
