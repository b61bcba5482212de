#include "vm/cmd/checkpoint.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "bytecode/base/hash.h"
#include "bytecode/base/out_file.h"
#include "bytecode/base/read_file.h"
#include "vm/cmd/commands.h"
#include "vm/cmd/launched.h"
#include "vm/cmd/machine.h"
#include "vm/cmd/outputs.h"
#include "vm/cmd/run.h"
#include "vm/lib/carrier.h"

namespace nvm::cmd {

namespace {

std::uint64_t hash_of(const std::string& path) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown))
    throw UsageError{"--checkpoint: " + path + " is no file that can be read again"};
  InFile file(path);
  std::uint64_t hash = kHashStart;
  for (std::string piece = file.rest(kPiece); !piece.empty(); piece = file.rest(kPiece))
    hash = hash_bytes(piece, hash);
  if (file.error() != 0) throw UsageError{path + " " + unread_because(file.error())};
  return hash;
}

lib::Checkpoint::Identity identity_of(const Arguments& arguments) {
  lib::Checkpoint::Identity identity;
  identity.words = arguments.words_without({});
  identity.bits = int_bits(arguments) == 32 ? IntBits::k32 : IntBits::k64;
  identity.choices = {
      "--rand " + arguments.text(Option::kRand),
      arguments.given(Option::kSeed) ? "--seed " + arguments.text(Option::kSeed) : "no --seed"};
  for (const std::string& word : arguments.all(Option::kIn)) identity.choices.push_back("--in " + word);
  std::vector<std::string> files = arguments.operands();
  for (const std::string& word : arguments.all(Option::kIn)) files.push_back(file_of_binding(word));
  if (arguments.given(Option::kInput) && arguments.text(Option::kInput) != "-")
    files.push_back(arguments.text(Option::kInput));
  for (const std::string& file : files)
    if (!file.empty()) identity.files.emplace_back(file, hash_of(file));
  return identity;
}

// FILE, or FILE,SECONDS, or FILE,Nr.
std::pair<std::string, lib::Checkpoint::When> plan_of(const std::string& word) {
  lib::Checkpoint::When when;
  const std::size_t comma = word.rfind(',');
  if (comma == std::string::npos) return {word, when};
  const std::string_view text = std::string_view(word).substr(comma + 1);
  const char* const end = text.data() + text.size();
  std::int64_t rounds = 0;
  if (const auto [rest, error] = std::from_chars(text.data(), end, rounds);
      error == std::errc() && rounds > 0 && std::string_view(rest, end) == "r") {
    when.rounds = rounds;
    return {word.substr(0, comma), when};
  }
  const auto [rest, error] = std::from_chars(text.data(), end, when.seconds);
  if (error != std::errc() || rest != end || !(when.seconds >= 0))
    throw UsageError{"--checkpoint " + word + ": expected FILE, FILE,SECONDS or FILE,Nr"};
  return {word.substr(0, comma), when};
}

}  // namespace

std::string file_of_checkpoint(const std::string& word) { return plan_of(word).first; }

std::shared_ptr<lib::Checkpoint> checkpoint_of(const Arguments& arguments) {
  if (!arguments.given(Option::kCheckpoint)) return nullptr;
  if (arguments.given(Option::kRecord))
    throw UsageError{"--checkpoint: a run that goes on is not recorded; --record is given"};
  const auto [path, when] = plan_of(arguments.text(Option::kCheckpoint));
  const auto rank = this_rank();
  if (rank == nullptr || rank->rank() == 0)
    if (const OutFile file(path); file.error() != 0) throw UsageError{"--checkpoint " + file.why()};
  return std::make_shared<lib::Checkpoint>(path, when, identity_of(arguments));
}

// The command line of the checkpoint, with what is added to it, on as many ranks as that says.
int resume_command(const Words& words) {
  if (words.empty() || words.front().starts_with("-"))
    throw UsageError{"expected the file of a checkpoint, then options of run"};
  const std::string& path = words.front();
  std::string wrong;
  const auto contents = of_first_rank([&]() -> std::optional<std::string> {
    auto read = lib::Checkpoint::read_file(path);
    if (read) return std::move(*read);
    wrong = read.failure().reason;
    errno = EINVAL;
    return std::nullopt;
  });
  if (!contents) throw UsageError{wrong};
  constexpr Option kNew[] = {Option::kRanks};
  Words all = Arguments("run", lib::Checkpoint::words_in(*contents)).words_without(kNew);
  all.insert(all.end(), words.begin() + 1, words.end());
  const Arguments arguments("run", words_of_rank(Arguments("run", all)));
  const lib::Limits limits = limits_of(arguments);
  const Watch watch(arguments);
  if (watch.checkpoint() == nullptr) throw UsageError{path + " makes no sense"};
  if (const std::string why = watch.checkpoint()->go_on(path, *contents); !why.empty()) throw UsageError{why};
  return watch.finish(run_program(arguments, watch, stdout));
}

}  // namespace nvm::cmd
