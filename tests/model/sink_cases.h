// What each rule of a sink is tried on.
#pragma once

#include <memory>
#include <vector>

#include "tests/model/sinks.h"

namespace nvm::model {

class SinkCases {
 public:
  explicit SinkCases(const plan::SinkRule& rule);
  // Of folds: those of symbols stand apart from those of all elements.
  std::vector<SinkCase> symbolic, concrete;

 private:
  void folds(bool segmented);
  void stores();
  void counts();
  void scatters(bool distinct);
  void partitions();
  void ranks();
  void draws();
  void descriptors();

  plan::SinkKind kind_;
  bool in_tree_;
  std::vector<std::unique_ptr<Algebra>> algebras_;
};

// Cuts of what the sink makes, where the places of its elements are computed.
[[nodiscard]] std::vector<Cut> target_cuts(const SinkCase& c);

}  // namespace nvm::model
