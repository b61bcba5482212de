// libnvm: recording what comes to runs from outside, and running them again exactly so.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vm/lib/watch.hpp"

namespace nvm::lib {

// Notes the command line, the files that are read, and what host instructions bring from outside (standard
// input, files, processes, clocks). Random numbers follow from the seed; branch decisions and results are
// kept as a checksum, to see whether a repetition is one.
class Recording final : public Watcher {
 public:
  Recording(const std::string& path, const std::vector<std::string>& words);
  ~Recording() override;
  [[nodiscard]] vm::Observer& observer() override;
  [[nodiscard]] vm::World* world() override;
  void results(std::span<const Value> values) override;
  // Why the file cannot be opened, or "".
  [[nodiscard]] std::string refused() const;
  // Writes the end; only then the file has its name, before FILE.part. Why it is incomplete, or "".
  [[nodiscard]] std::string close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Gives to runs what was recorded.
class Replay final : public Watcher {
 public:
  // Reads the file; error() says what is wrong with it.
  explicit Replay(const std::string& path);
  ~Replay() override;
  [[nodiscard]] const std::string& error() const;
  [[nodiscard]] const std::vector<std::string>& words() const;  // the command line
  [[nodiscard]] vm::Observer& observer() override;
  [[nodiscard]] vm::World* world() override;
  void results(std::span<const Value> values) override;
  // After the runs: what they did otherwise than those that were recorded, or "".
  [[nodiscard]] std::string difference() const;
  // One line: how much was the same.
  [[nodiscard]] std::string summary() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace nvm::lib
