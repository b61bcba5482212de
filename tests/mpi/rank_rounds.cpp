// The same random rounds on every rank of an MPI launcher, compared with what they must give.
//
//   rank_rounds SEED COUNT LONGEST PIECE [FAULTS]
//
// Prints on rank 0 what carried them and what was sent; status 1 if anything was wrong, 3 if the rounds
// broke.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/random_rounds.h"
#include "vm/ranks/faults.h"
#include "vm/ranks/mpi.h"

namespace nvm::ranks {
namespace {

// 0, or 1 with a message.
int random_rounds(Rounds& rounds, std::uint64_t seed, int count, std::int64_t longest) {
  testing::RandomRounds random(rounds, seed, longest);
  std::string wrong;
  for (int i = 0; i < count && wrong.empty(); ++i) wrong = random.next();
  if (!wrong.empty()) std::fprintf(stderr, "wrong: %s\n", wrong.c_str());
  return wrong.empty() ? 0 : 1;
}

int run(Rounds& rounds, std::uint64_t seed, int count, std::int64_t longest) {
  int status = random_rounds(rounds, seed, count, longest);
  const auto team = rounds.split(rounds.rank() % 2);
  Rounds of_team(*team, rounds.waiting());
  status |= random_rounds(of_team, seed + 1, count / 4, longest);
  of_team.close();
  for (const int other : rounds.all_gather(status)) status |= other;
  const Counts counts = rounds.ranks().counts();
  if (rounds.rank() == 0) {
    std::printf("%s on %s, %d ranks: %lld rounds, %s\n", rounds.ranks().name().c_str(),
                rounds.ranks().host(rounds.size() - 1).c_str(), rounds.size(),
                static_cast<long long>(counts.rounds), status == 0 ? "right" : "wrong");
    std::fflush(stdout);
  }
  rounds.close();
  return status;
}

int on_mpi(char** words, const char* wished) {
  const char* const plugin = std::getenv("NVM_MPI");
  MpiOptions options;
  options.plugin = plugin == nullptr ? "" : plugin;
  options.piece = std::atoll(words[4]);
  std::unique_ptr<Ranks> ranks = mpi_ranks(find_launcher(), options);
  const auto faults = Faults::read(wished);
  if (!faults) return 2;
  ranks = with_faults(std::move(ranks), *faults);
  Waiting waiting;
  waiting.limit = faults->what == Faults::What::kStop ? 2 : 60;
  waiting.stop = true;
  Rounds rounds(*ranks, waiting);
  try {
    return run(rounds, std::strtoull(words[1], nullptr, 10), std::atoi(words[2]), std::atoll(words[3]));
  } catch (const Broken& why) {
    std::fprintf(stderr, "broken: rank %d %s\n", why.rank, why.why.c_str());
    ranks->abort(3, why.why);
  }
  return 3;
}

}  // namespace
}  // namespace nvm::ranks

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  try {
    return nvm::ranks::on_mpi(argv, argc > 5 ? argv[5] : "");
  } catch (const nvm::ranks::Refused& why) {
    if (nvm::ranks::find_launcher().rank == 0) std::fprintf(stderr, "refused: %s\n", why.what());
    return 4;
  }
}
