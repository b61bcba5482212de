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
  struct Impl;

 public:
  [[nodiscard]] static Made<Recording> open(const std::string& path, const std::vector<std::string>& words);
  explicit Recording(std::unique_ptr<Impl> impl) noexcept;
  ~Recording() override;
  [[nodiscard]] vm::Observer& observer() override;
  [[nodiscard]] vm::World* world() override;
  void results(std::span<const Value> values) override;
  // Writes the end; only then the file has its name, before FILE.part. Why it is incomplete, or "".
  [[nodiscard]] std::string close();

 private:
  std::unique_ptr<Impl> impl_;
};

// Gives to runs what was recorded.
class Replay final : public Watcher {
  struct Impl;

 public:
  // Reads the file.
  [[nodiscard]] static Made<Replay> open(const std::string& path);
  explicit Replay(std::unique_ptr<Impl> impl) noexcept;
  ~Replay() override;
  [[nodiscard]] const std::vector<std::string>& words() const;  // the command line
  [[nodiscard]] vm::Observer& observer() override;
  [[nodiscard]] vm::World* world() override;
  void results(std::span<const Value> values) override;
  // After the runs: what they did otherwise than those that were recorded, or "".
  [[nodiscard]] std::string difference() const;
  // One line: how much was the same.
  [[nodiscard]] std::string summary() const;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace nvm::lib
