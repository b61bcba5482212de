// Records on their way between the parts of one kernel that run in one process.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

#include "bytecode/plan/part.h"

namespace nvm::vm {

class Records {
 public:
  Records(std::size_t parts, std::size_t sinks);

  // What a part is given; lives as long as this. `lists`, by sink: its kScatter writes into a list.
  [[nodiscard]] plan::Exchange& of(std::size_t part) { return links_[part]; }
  void list(std::size_t sink);
  // A part has ended. If not all went well, nobody waits for anything any more.
  void ended(std::size_t part, bool well);
  [[nodiscard]] bool stopped() const;

  [[nodiscard]] const std::vector<plan::Write>& writes(std::size_t part, std::size_t sink) const;
  // Handed on, and their words.
  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] std::size_t words() const;

 private:
  struct Cell {
    std::optional<plan::RecordWords> record;
    bool listed = false;
    std::vector<plan::Write> writes;
  };
  class Link final : public plan::Exchange {
   public:
    Link(Records& all, std::size_t part) : all_(all), part_(part) {}
    [[nodiscard]] const plan::RecordWords* before(std::size_t sink) override;
    void after(std::size_t sink, plan::RecordWords record) override;
    [[nodiscard]] std::vector<plan::Write>* writes(std::size_t sink) override;

   private:
    Records& all_;
    std::size_t part_;
  };
  [[nodiscard]] Cell& cell(std::size_t part, std::size_t sink) { return cells_[part * sinks_ + sink]; }

  std::size_t sinks_;
  std::vector<Cell> cells_;  // by part and sink
  std::vector<Link> links_;
  std::vector<bool> ended_;  // by part
  bool stopped_ = false;
  mutable std::mutex mutex_;
  std::condition_variable news_;
};

}  // namespace nvm::vm
