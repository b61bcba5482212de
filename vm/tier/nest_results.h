// Results of a loop nest whose lengths are found by the recursion: what instances have of them is kept as it
// comes, with a record of each instance (plan::NestRecord), and put together when all are there.
#pragma once

#include <span>
#include <vector>

#include "bytecode/plan/nest.h"
#include "vm/prims/prims.h"

namespace nvm::vm {

class NestResults {
 public:
  // For instances, whose first cells are set to their records. All must outlive this. Throws Fault (memory),
  // as the others do.
  NestResults(const plan::Nest& nest, const PrimContext& context, std::span<std::int64_t> instances);

  // By vector among the results.
  [[nodiscard]] static std::vector<Storage> storages(const plan::Nest& nest);
  // Room for so many elements of each vector, and records.
  void reserve(std::int64_t own, std::int64_t records);
  // A level begins behind all that is there, and has come to an end.
  void begin(plan::NestLevel& level);
  void end(const plan::NestLevel& level);
  // What the call returns.
  [[nodiscard]] std::vector<Value> take();

 private:
  struct Chunk {
    BufferRef buffer;
    std::int64_t bytes = 0, used = 0;
  };
  template <typename Visit>
  void each_record(bool backwards, Visit visit) const;
  void place(const plan::NestRecord& record, std::span<std::byte* const> to) const;

  const plan::Nest& nest_;
  const PrimContext& context_;
  std::int64_t instances_;
  std::vector<Storage> storages_;
  std::vector<Chunk> chunks_;  // of records: those of children stand behind that of their parent
  std::vector<BufferRef> own_;
  std::vector<std::byte*> targets_;
  std::int64_t elements_ = 0, room_ = 0;
  std::int64_t records_ = 0;  // bytes
};

}  // namespace nvm::vm
